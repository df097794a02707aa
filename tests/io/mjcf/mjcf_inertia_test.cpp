#include <cmath>
#include <functional>
#include <string>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "io/mjcf/mjcf_fixture.hpp"

// The MJCF reader: masses and inertias, given or from geoms.

using namespace mjcf_test;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using grbda::Inertial;
using grbda::Severity;

namespace {

/// Body 'b' on a joint; `inside` begins in line 3.
std::string moving(const std::string& inside, const std::string& sections = "") {
    return world("<body name=\"b\"><joint/>\n" + inside + "</body>", sections);
}

Inertial inertial(const std::string& inside, const std::string& sections = "") {
    const Reading reading = accept(moving(inside, sections));
    REQUIRE(reading.link("b").inertial);
    return *reading.link("b").inertial;
}

/// Mass, centre and inertia about the origin of a solid in a box around the origin, by counting the cells of
/// a grid whose midpoints are inside.
struct Counted {
    double mass = 0;
    Vector3d first = Vector3d::Zero();
    Matrix3d inertia = Matrix3d::Zero();
};

Counted count(const Vector3d& half, double density, const std::function<bool(const Vector3d&)>& inside) {
    constexpr int cells = 80;
    Counted result;
    const Vector3d cell = 2 * half / cells;
    const double mass = density * cell.prod();
    for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j)
            for (int k = 0; k < cells; ++k) {
                const Vector3d x = Vector3d(i + 0.5, j + 0.5, k + 0.5).cwiseProduct(cell) - half;
                if (!inside(x)) continue;
                result.mass += mass;
                result.first += mass * x;
                result.inertia += mass * (x.squaredNorm() * Matrix3d::Identity() - x * x.transpose());
            }
    return result;
}

constexpr double counting = 1.2e-2;  // cells on the surface, over all

void check_counted(const Inertial& read, const Counted& counted) {
    CHECK(std::abs(read.mass - counted.mass) < counting * counted.mass);
    const Matrix3d about_origin = read.inertia + read.mass * (read.com.squaredNorm() * Matrix3d::Identity() -
                                                              read.com * read.com.transpose());
    CHECK((read.mass * read.com - counted.first).norm() < counting * counted.mass);
    CHECK((about_origin - counted.inertia).norm() < counting * counted.inertia.norm());
}

}  // namespace

TEST_CASE("mjcf inertials have moments about their own axes through the centre of mass") {
    const Inertial read = inertial(
        "<inertial mass=\"2\" pos=\"1 2 3\" euler=\"0 0 90\" diaginertia=\"1 2 2.5\"/>" + ball_of_one);
    CHECK(read.mass == 2);
    CHECK(read.com == Vector3d(1, 2, 3));
    CHECK(equal(read.inertia, Vector3d(2, 1, 2.5).asDiagonal()));
    Matrix3d full;
    full << 1, 0.4, 0.5, 0.4, 2, 0.6, 0.5, 0.6, 3;
    CHECK(inertial("<inertial mass=\"2\" pos=\"0 0 0\" fullinertia=\"1 2 3 .4 .5 .6\"/>").inertia == full);
}

TEST_CASE("mjcf refuses inertials that say things twice or not at all") {
    check_error(moving("<inertial pos=\"0 0 0\" diaginertia=\"1 1 1\"/>"), 3, "<inertial> of body 'b'",
                "'mass', found none");
    check_error(moving("<inertial mass=\"1\" diaginertia=\"1 1 1\" fullinertia=\"1 1 1 0 0 0\"/>"), 3,
                "<inertial> of body 'b'", "found both");
    check_error(moving("<inertial mass=\"1\" euler=\"0 0 9\" fullinertia=\"1 1 1 0 0 0\"/>"), 3,
                "<inertial> of body 'b'", "an orientation besides");
    check_error(moving("<inertial mass=\"1\" fullinertia=\"1 1 1\"/>"), 3, "<inertial>", "6 finite numbers");
    check_error(moving("<inertial mass=\"1\"/>\n<inertial mass=\"1\"/>"), 4, "<inertial>", "a second one");
    check_error(moving("<inertial mass=\"1\"/>\n<frame><inertial mass=\"1\"/></frame>"), 4, "<inertial>",
                "<frame>");
    const std::string negative = "<inertial mass=\"-1\" diaginertia=\"1 1 1\"/>";
    for (const char* bound : {"", "<compiler boundmass=\"1\"/>"})
        check_later_error(grbda::Code::out_of_range, moving(negative, bound), 3, "link 'b'",
                          "a mass of zero or more, found -1");
}

TEST_CASE("mjcf geoms have the mass and inertia of their solids") {
    const auto in_ellipsoid = [](const Vector3d& x) {
        return x.cwiseQuotient(Vector3d(0.3, 0.2, 0.1)).norm() < 1;
    };
    const auto in_cylinder = [](const Vector3d& x) {
        return x.head<2>().norm() < 0.2 && std::abs(x.z()) < 0.3;
    };
    const auto in_capsule = [](const Vector3d& x) {
        return (x - Vector3d(0, 0, std::min(0.3, std::max(-0.3, x.z())))).norm() < 0.2;
    };
    check_counted(inertial("<geom size=\"0.2\"/>"),
                  count(Vector3d::Constant(0.2), 1000, [](const Vector3d& x) { return x.norm() < 0.2; }));
    check_counted(inertial("<geom type=\"box\" size=\".1 .2 .3\" density=\"500\"/>"),
                  count(Vector3d(0.1, 0.2, 0.3), 500, [](const Vector3d&) { return true; }));
    check_counted(inertial("<geom type=\"ellipsoid\" size=\".3 .2 .1\"/>"),
                  count(Vector3d(0.3, 0.2, 0.1), 1000, in_ellipsoid));
    check_counted(inertial("<geom type=\"cylinder\" size=\".2 .3\"/>"),
                  count(Vector3d(0.2, 0.2, 0.3), 1000, in_cylinder));
    check_counted(inertial("<geom type=\"capsule\" size=\".2 .3\"/>"),
                  count(Vector3d(0.2, 0.2, 0.5), 1000, in_capsule));
}

TEST_CASE("mjcf geoms may lie between two points") {
    const Vector3d from(0.1, 0.2, -0.1), to(-0.2, 0.1, 0.2);
    const Vector3d direction = (to - from).normalized();
    const std::string ends = "fromto=\".1 .2 -.1 -.2 .1 .2\"";
    const auto along = [&](const Vector3d& x) { return direction.dot(x - from); };
    const double length = (to - from).norm();
    const auto in_capsule = [&](const Vector3d& x) {
        return (x - from - direction * std::min(length, std::max(0.0, along(x)))).norm() < 0.15;
    };
    const auto in_cylinder = [&](const Vector3d& x) {
        return (x - from - direction * along(x)).norm() < 0.15 && along(x) > 0 && along(x) < length;
    };
    check_counted(inertial("<geom type=\"capsule\" size=\".15\" " + ends + "/>"),
                  count(Vector3d::Constant(0.4), 1000, in_capsule));
    check_counted(inertial("<geom type=\"cylinder\" size=\".15\" " + ends + "/>"),
                  count(Vector3d::Constant(0.4), 1000, in_cylinder));
    // A box of equal width and depth.
    const Inertial box = inertial("<geom type=\"box\" size=\".15\" " + ends + "/>");
    CHECK(box.mass == Approx(1000 * 0.3 * 0.3 * length));
    CHECK(direction.dot(box.inertia * direction) == Approx(box.mass * (0.09 + 0.09) / 12));
    CHECK(equal(box.com, (from + to) / 2));
    check_error(moving("<geom type=\"capsule\" size=\".1\" fromto=\"1 1 1 1 1 1\"/>" + ball_of_one), 3,
                "<geom>", "not zero");
}

TEST_CASE("mjcf bodies have the sum of their geoms") {
    const auto in_both = [](const Vector3d& x) {
        const Vector3d c = x - Vector3d(0.3, 0, 0);  // the box, turned by 90° about x
        return (x + Vector3d(0.2, 0, 0)).norm() < 0.2 ||
               (std::abs(c.x()) < 0.1 && std::abs(c.y()) < 0.3 && std::abs(c.z()) < 0.2);
    };
    check_counted(
        inertial(
            "<geom size=\".2\" pos=\"-.2 0 0\"/><frame pos=\".3 0 0\"><geom type=\"box\" size=\".1 .2 .3\" "
            "euler=\"90 0 0\"/></frame>"),
        count(Vector3d(0.4, 0.4, 0.4), 1000, in_both));
}

TEST_CASE("mjcf geoms have the mass that they give") {
    const Inertial light = inertial("<geom size=\"0.5\" mass=\"3\" density=\"7\"/>");
    CHECK(light.mass == 3);
    CHECK(light.inertia(0, 0) == Approx(0.4 * 3 * 0.25));
    CHECK(inertial(ball_of_one + "<geom size=\"5\" mass=\"0\"/>").mass == 1);
    CHECK(inertial(ball_of_one + "<geom size=\"5\" density=\"0\"/>").mass == 1);
    CHECK(inertial(ball_of_one + "<geom type=\"plane\" size=\"5 5 5\"/>").mass == 1);
    CHECK(inertial(ball_of_one + "<geom type=\"mesh\" mesh=\"m\" mass=\"0\"/>").mass == 1);
    check_error(moving(ball_of_one + "<geom size=\"1\" mass=\"-1\"/>"), 3, "<geom>", "zero or more");
    check_error(moving(ball_of_one + "<geom type=\"box\" size=\"1 1\"/>"), 3, "<geom>",
                "3 numbers above zero");
    check_error(moving(ball_of_one + "<geom/>"), 3, "<geom>", "1 numbers above zero");
    check_error(moving(ball_of_one + "<geom size=\"1 x\"/>"), 3, "<geom>", "at most 3 finite numbers");
}

TEST_CASE("mjcf sizes with fewer numbers than their class take the others from the class") {
    const std::string defaults =
        "<default><geom type=\"capsule\" size=\"0.2 0.3\" density=\"10\"/></default>";
    CHECK(inertial("<geom size=\"0.1\"/>", defaults).mass ==
          inertial("<geom size=\"0.1 0.3\"/>", defaults).mass);
}

TEST_CASE("mjcf computes inertia from geoms according to the compiler element") {
    const std::string both = "<inertial mass=\"2\" pos=\"0 0 0\" diaginertia=\"1 1 1\"/>" + ball_of_one;
    CHECK(inertial(both).mass == 2);
    CHECK(inertial(both, "<compiler inertiafromgeom=\"auto\"/>").mass == 2);
    CHECK(inertial(both, "<compiler inertiafromgeom=\"true\"/>").mass == 1);
    CHECK(inertial(both, "<compiler inertiafromgeom=\"false\"/>").mass == 2);
    check_error(moving(ball_of_one, "<compiler inertiafromgeom=\"false\"/>"), 2, "body 'b'",
                "mass in a body that moves");
    const std::string groups = ball_of_one + "<geom size=\"1\" mass=\"5\" group=\"3\"/>";
    CHECK(inertial(groups).mass == 6);
    CHECK(inertial(groups, "<compiler inertiagrouprange=\"0 2\"/>").mass == 1);
    CHECK(inertial(groups, "<compiler inertiagrouprange=\"3 3\"/>").mass == 5);
}

TEST_CASE("mjcf refuses moving bodies whose mass is undetermined") {
    check_error(moving("<geom type=\"mesh\" mesh=\"m\"/>"), 2, "body 'b'",
                "in line 3 takes its mass from a mesh");
    check_error(moving(ball_of_one + "\n<geom type=\"mesh\" mesh=\"m\"/>"), 2, "body 'b'", "in line 4");
    check_error(moving("<geom type=\"box\" mesh=\"m\"/>"), 2, "body 'b'", "mesh");
    check_error(moving(""), 2, "body 'b'", "mass in a body that moves, found none");
    accept(world("<body><geom type=\"mesh\" mesh=\"m\"/></body>"));
    accept(
        moving("<inertial mass=\"1\" pos=\"0 0 0\" diaginertia=\"1 1 1\"/><geom type=\"mesh\" mesh=\"m\"/>"));
    accept(moving("<body name=\"c\">" + ball_of_one + "</body>"));
}

TEST_CASE("mjcf leaves out the mass of meshes on bodies that a heavier one carries, with a warning") {
    const std::string carried = "<body name=\"c\"><geom type=\"mesh\" mesh=\"m\"/></body>";
    const Reading reading = read(moving(ball_of_one + carried));
    CHECK(reading.count(Severity::error) == 0);
    CHECK(has(reading, Severity::warning, 3, "body 'c'", "left out"));
    check_error(moving(carried), 3, "body 'c'", "an <inertial>");
    check_error(moving(ball_of_one + carried, "<compiler settotalmass=\"3\"/>"), 3, "body 'c'",
                "an <inertial>");
}

TEST_CASE("mjcf bounds, balances and scales inertia according to the compiler element") {
    const std::string thin = "<inertial mass=\"0.5\" pos=\"0 0 0\" euler=\"0 0 30\" diaginertia=\"1 2 6\"/>";
    CHECK(inertial(thin, "<compiler boundmass=\"2\"/>").mass == 2);
    CHECK(inertial(thin, "<compiler boundmass=\"0.1\"/>").mass == 0.5);
    const Matrix3d bounded = inertial(thin, "<compiler boundinertia=\"1.5\"/>").inertia;
    const Vector3d moments = Eigen::SelfAdjointEigenSolver<Matrix3d>(bounded).eigenvalues();
    CHECK(equal(moments, Vector3d(1.5, 2, 6)));
    CHECK(equal(inertial(thin, "<compiler balanceinertia=\"true\"/>").inertia, 3 * Matrix3d::Identity()));
    const std::string fine = "<inertial mass=\"0.5\" pos=\"0 0 0\" diaginertia=\"1 2 2.5\"/>";
    CHECK(equal(inertial(fine, "<compiler balanceinertia=\"true\"/>").inertia,
                Vector3d(1, 2, 2.5).asDiagonal()));

    const Reading scaled =
        accept(world("<body name=\"a\">" + ball_of_one + "<joint/><body name=\"b\">" + ball_of_one +
                         "<joint/></body></body><body name=\"c\">" + ball_of_one + "</body>",
                     "<compiler settotalmass=\"6\"/>"));
    CHECK(scaled.link("b").inertial->mass == Approx(2));
    CHECK(scaled.link("c").inertial->mass == Approx(2));
    CHECK(scaled.link("a").inertial->inertia(1, 1) == Approx(2 * 0.4 * 0.01));
}
