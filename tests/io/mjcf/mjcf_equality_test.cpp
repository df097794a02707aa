#include <cmath>
#include <sstream>
#include <string>

#include <Eigen/Geometry>

#include "grbda/compile/build.hpp"
#include "io/mjcf/mjcf_fixture.hpp"
#include "mechanism/relation.hpp"

// The MJCF reader: equalities, and the tendons that some of them are about.

using namespace mjcf_test;
using Eigen::AngleAxisd;
using Eigen::Vector3d;
using grbda::LoopDescription;
using grbda::LoopType;
using grbda::Pose;
using grbda::Severity;

namespace {

constexpr double degree = 3.14159265358979323846 / 180;

/// Bodies a and b on hinges 'ja' and 'jb' in line 2; the equality in line 4.
std::string pair(const std::string& equality, const std::string& sections = "",
                 const std::string& hinge = "") {
    return world(
        "<body name=\"a\" pos=\"1 0 0\" euler=\"0 0 90\">" + ball_of_one + "<joint name=\"ja\" " + hinge +
            "/><site name=\"sa\" pos=\"0 0 1\" euler=\"90 0 0\"/>"
            "<body name=\"b\" pos=\"0 2 0\" euler=\"90 0 0\">" +
            ball_of_one + "<joint name=\"jb\" " + hinge + "/><site name=\"sb\" pos=\"0 3 0\"/></body></body>",
        "<equality>\n" + equality + "</equality>" + sections);
}

LoopDescription loop(const std::string& equality) {
    const Reading reading = accept(pair(equality));
    CHECK(reading.diagnostics.empty());
    REQUIRE(reading.robot.loops.size() == 1);
    return reading.robot.loops[0];
}

grbda::LinearRelation linear(const std::string& equality, const std::string& hinge = "",
                             const std::string& sections = "") {
    const Reading reading = accept(pair(equality, sections, hinge));
    REQUIRE(reading.robot.couplings.size() == 1);
    return relation_of<grbda::LinearRelation>(reading.robot);
}

/// Σ coefficient · q + offset with the positions of ja and jb.
double value(const grbda::LinearRelation& coupling, double ja, double jb) {
    double sum = coupling.offset;
    for (const grbda::LinearTerm& term : coupling.terms)
        sum += term.coefficient * (term.joint == "ja" ? ja : jb);
    return sum;
}

}  // namespace

TEST_CASE("mjcf connects hold the point of body 2 that is at the anchor in the reference pose") {
    const LoopDescription read = loop("<connect name=\"c\" body1=\"a\" body2=\"b\" anchor=\"1 2 3\"/>");
    CHECK(read.name == "c");
    CHECK(read.type == LoopType::spherical);
    CHECK(read.predecessor == "a");
    CHECK(read.successor == "b");
    CHECK(read.predecessor_origin.translation == Vector3d(1, 2, 3));
    // b stands at (0, 2, 0) in a, its y along z.
    CHECK(equal(read.successor_origin.translation, Vector3d(1, 3, 0)));
    CHECK(read.where.line == 4);
}

TEST_CASE("mjcf connects are to the world if no second body is named") {
    const LoopDescription read = loop("<connect body1=\"b\" anchor=\"0 0 0\"/>");
    CHECK(read.name == "connect_0");
    CHECK(read.successor == "world");
    CHECK(equal(read.successor_origin.translation, Vector3d(-1, 0, 0)));
}

TEST_CASE("mjcf connects and welds of the reference pose do not depend on ref") {
    for (const std::string equality :
         {"<connect body1=\"a\" body2=\"b\" anchor=\"1 2 3\"/>", "<weld body1=\"a\" body2=\"b\"/>"}) {
        const LoopDescription plain = accept(pair(equality)).robot.loops.at(0);
        const LoopDescription turned = accept(pair(equality, "", "ref=\"40\"")).robot.loops.at(0);
        CHECK(equal(turned.predecessor_origin, plain.predecessor_origin));
        CHECK(equal(turned.successor_origin, plain.successor_origin));
    }
}

TEST_CASE("mjcf connects join two sites where they are") {
    const LoopDescription read = loop("<connect site1=\"sa\" site2=\"sb\"/>");
    CHECK(read.predecessor == "a");
    CHECK(read.predecessor_origin.translation == Vector3d(0, 0, 1));
    CHECK(read.successor_origin.translation == Vector3d(0, 3, 0));
    check_error(pair("<connect site1=\"sa\" site2=\"sb\" anchor=\"0 0 0\"/>"), 4, "<connect>",
                "anchor besides sites");
    check_error(pair("<connect site1=\"sa\"/>"), 4, "<connect>", "'site2', found none");
    check_error(pair("<connect site1=\"sa\" site2=\"sc\"/>"), 4, "<connect>", "did you mean 'sa' or 'sb'");
}

TEST_CASE("mjcf welds keep the reference pose unless relpose says otherwise") {
    for (const char* relpose : {"", "relpose=\"0 1 0 0 0 0 0\""}) {
        const LoopDescription read =
            loop("<weld body1=\"a\" body2=\"b\" anchor=\"1 2 3\" " + std::string(relpose) + "/>");
        CHECK(read.type == LoopType::fixed);
        CHECK(equal(read.successor_origin, Pose{Eigen::Matrix3d::Identity(), Vector3d(1, 2, 3)}));
        CHECK(equal(read.predecessor_origin.translation, Vector3d(1, -1, 2)));
        CHECK(equal(read.predecessor_origin.rotation,
                    AngleAxisd(90 * degree, Vector3d::UnitX()).toRotationMatrix()));
    }
    const LoopDescription read =
        loop("<weld body1=\"a\" body2=\"b\" anchor=\"1 2 3\" relpose=\"4 5 6 1 0 1 0\"/>");
    CHECK(read.predecessor_origin.translation == Vector3d(4, 5, 6));
    CHECK(equal(read.predecessor_origin.rotation,
                AngleAxisd(90 * degree, Vector3d::UnitY()).toRotationMatrix()));
    CHECK(read.successor_origin.translation == Vector3d(1, 2, 3));
    const LoopDescription sites = loop("<weld site1=\"sa\" site2=\"sb\"/>");
    CHECK(equal(sites.predecessor_origin.rotation,
                AngleAxisd(90 * degree, Vector3d::UnitX()).toRotationMatrix()));
    CHECK(sites.successor_origin.rotation == Eigen::Matrix3d::Identity());
}

TEST_CASE("mjcf refuses connects and welds without two bodies that are there") {
    check_error(pair("<connect body2=\"b\" anchor=\"0 0 0\"/>"), 4, "<connect>", "'body1', found none");
    check_error(pair("<connect body1=\"a\" body2=\"b\"/>"), 4, "<connect>", "'anchor', found none");
    check_error(pair("<connect body1=\"a\" body2=\"c\" anchor=\"0 0 0\"/>"), 4, "<connect>",
                "a body in body2");
    check_later_error(grbda::Code::same_ends, pair("<weld body1=\"a\" body2=\"a\"/>"), 4, "loop 'weld_0'",
                      "two different links, found 'a' at both ends");
    check_error(pair("<weld body1=\"a\" body2=\"b\" relpose=\"1 2 3\"/>"), 4, "<weld>", "7 finite numbers");
    check_error(pair("<connect name=\"x\" body1=\"a\" anchor=\"0 0 0\"/>\n<weld name=\"x\" body1=\"b\"/>"), 5,
                "weld 'x'", "first in line 4");
}

TEST_CASE("mjcf connects of bodies fixed to each other are omitted with a warning") {
    const Reading reading =
        read(body("<joint/><body name=\"c\" pos=\"1 0 0\"/>",
                  "<equality><connect body1=\"b\" body2=\"c\" anchor=\"0 0 0\"/></equality>"));
    CHECK(reading.count(Severity::error) == 0);
    CHECK(has(reading, Severity::warning, 4, "<connect>", "fixed to each other"));
    CHECK(reading.robot.loops.empty());
}

TEST_CASE("mjcf joint equalities up to first order are linear couplings about the reference positions") {
    const std::string hinge = "ref=\"40\"";
    const double ref = 40 * degree;
    // y - y0 = a0 + a1 (x - x0)
    const std::string equality = "<joint name=\"e\" joint1=\"ja\" joint2=\"jb\" polycoef=\"0.3 -2 0 0 0\"/>";
    CHECK(accept(pair(equality)).robot.couplings.at(0).name == "e");
    const auto both = linear(equality, hinge);
    CHECK_FALSE(both.mimic);
    CHECK(both.terms.size() == 2);
    for (const double x : {0.0, 0.7, -2.0}) {
        const double y = ref + 0.3 - 2 * (x - ref);
        CHECK(std::abs(value(both, y, x)) < rounding);
        CHECK(std::abs(value(both, y + 1, x)) > 0.1);
    }
    const auto locked = linear("<joint joint1=\"jb\" polycoef=\"0.3 5 1\"/>", hinge);
    REQUIRE(locked.terms.size() == 1);
    CHECK(locked.terms[0].joint == "jb");
    CHECK(std::abs(value(locked, 0, ref + 0.3)) < rounding);
    CHECK(linear("<joint joint1=\"ja\" joint2=\"jb\" polycoef=\"1 0\"/>").terms.size() == 1);
}

TEST_CASE("mjcf polynomials without all their numbers have those of 0 1 0 0 0") {
    CHECK(value(linear("<joint joint1=\"ja\" joint2=\"jb\"/>"), 3, 3) == 0);
    CHECK(value(linear("<joint joint1=\"ja\" joint2=\"jb\" polycoef=\"0.5\"/>"), 3.5, 3) == 0);
    CHECK(value(linear("<joint joint1=\"ja\" joint2=\"jb\" polycoef=\"0 2\"/>"), 6, 3) == 0);
}

TEST_CASE("mjcf joint equalities of higher order keep their coefficients and references") {
    const Reading reading =
        accept(pair("<joint joint1=\"ja\" joint2=\"jb\" polycoef=\"1 2 3 0 0\"/>", "", "ref=\"40\""));
    REQUIRE(reading.robot.couplings.size() == 1);
    const auto& coupling = relation_of<grbda::PolynomialRelation>(reading.robot);
    CHECK(reading.robot.couplings[0].name == "joint_0");
    CHECK(coupling.follower == "ja");
    CHECK(coupling.leader == "jb");
    CHECK(coupling.coefficients == std::vector<double>{1, 2, 3});
    CHECK(coupling.follower_reference == Approx(40 * degree));
    CHECK(coupling.leader_reference == Approx(40 * degree));
    CHECK(reading.robot.couplings[0].where.line == 4);
}

TEST_CASE("mjcf joint equalities are about two hinges or slides") {
    check_error(pair("<joint joint2=\"ja\"/>"), 4, "<joint>", "'joint1', found none");
    check_error(pair("<joint joint1=\"ja\" joint2=\"j\"/>"), 4, "<joint>", "did you mean 'ja' or 'jb'");
    check_later_error(grbda::Code::same_ends, pair("<joint joint1=\"ja\" joint2=\"ja\"/>"), 4,
                      "coupling 'joint_0'", "'ja' as both");
    check_error(pair("<joint joint1=\"ja\" joint2=\"jb\" polycoef=\"0 1 0 0 0 0\"/>"), 4, "<joint>",
                "at most 5");
    check_error(pair("<joint joint1=\"ja\"/>", "", "type=\"ball\""), 4, "<joint>", "spherical joint 'ja'");
}

TEST_CASE("mjcf equalities of fixed tendons are linear couplings of their joints") {
    const std::string tendons =
        "<tendon><fixed name=\"s\"><joint joint=\"ja\" coef=\"2\"/><joint joint=\"jb\" coef=\"3\"/></fixed>"
        "<fixed name=\"t\"><joint joint=\"jb\" coef=\"5\"/></fixed><spatial name=\"u\"/></tendon>";
    const std::string hinge = "ref=\"40\"";
    const double ref = 40 * degree;
    const auto one = linear("<tendon tendon1=\"s\" polycoef=\"0.5 0\"/>", hinge, tendons);
    for (const double x : {0.0, 1.0}) {
        const double y = ref + (0.5 - 3 * (x - ref)) / 2;
        CHECK(std::abs(value(one, y, x)) < rounding);
    }
    const auto two = linear("<tendon tendon1=\"s\" tendon2=\"t\" polycoef=\"0 2\"/>", hinge, tendons);
    // 2 (y - ref) + 3 (x - ref) = 2 · 5 (x - ref)
    CHECK(std::abs(value(two, ref + 3.5 * (1 - ref), 1)) < rounding);
    check_error(pair("<tendon tendon1=\"u\"/>", tendons), 4, "<tendon>", "a <fixed> tendon");
    check_error(pair("<tendon tendon1=\"v\"/>", tendons), 4, "<tendon>", "a tendon in tendon1");
    check_error(pair("<tendon tendon1=\"s\" tendon2=\"t\" polycoef=\"0 1 1\"/>", tendons), 4, "<tendon>",
                "higher power");
}

TEST_CASE("mjcf equalities of a tendon between two sites are distance loops") {
    const std::string tendon =
        "<tendon><spatial name=\"t\"><site site=\"sa\"/><site site=\"sb\"/></spatial>"
        "<spatial name=\"u\"><site site=\"sa\"/><site site=\"sb\"/><site site=\"sa\"/></spatial></tendon>";
    const Reading reading = accept(pair("<tendon tendon1=\"t\" polycoef=\"0.25 0 0 0 0\"/>", tendon));
    REQUIRE(reading.robot.loops.size() == 1);
    const LoopDescription& rod = reading.robot.loops[0];
    CHECK(rod.type == LoopType::distance);
    CHECK(rod.predecessor == "a");
    CHECK(rod.successor == "b");
    CHECK(equal(rod.predecessor_origin.translation, Vector3d(0, 0, 1)));
    CHECK(equal(rod.successor_origin.translation, Vector3d(0, 3, 0)));
    REQUIRE(rod.length);  // from (0 0 1) to (0 2 3) in a
    CHECK(std::abs(*rod.length - (std::sqrt(8.0) + 0.25)) < rounding);
    check_error(pair("<tendon tendon1=\"u\"/>", tendon), 4, "<tendon>", "between two sites");
}

TEST_CASE("mjcf tendons with limits are noted") {
    const auto is_noted = [](const std::string& tendon, const std::string& before = "") {
        const Reading reading = accept(pair("", before + "<tendon>" + tendon + "</tendon>"));
        return has(reading, Severity::note, 4, "'t'", "limits of tendons are not applied, 't'");
    };
    CHECK_FALSE(is_noted("<fixed name=\"t\"/>"));
    CHECK(is_noted("<fixed name=\"t\" range=\"0 1\"/>"));
    CHECK(is_noted("<spatial name=\"t\" range=\"0 1\"/><fixed name=\"u\"/>"));
    CHECK_FALSE(is_noted("<fixed name=\"t\" range=\"0 1\" limited=\"false\"/>"));
    CHECK_FALSE(is_noted("<fixed name=\"t\" range=\"0 1\"/>", "<compiler autolimits=\"false\"/>"));
    CHECK(is_noted("<fixed name=\"t\" limited=\"true\" range=\"0 1\"/>", "<compiler autolimits=\"false\"/>"));
    CHECK(is_noted("<fixed name=\"t\"/>", "<default><tendon range=\"0 1\"/></default>"));
    CHECK_FALSE(
        is_noted("<fixed name=\"t\"/>", "<default><tendon range=\"0 1\" limited=\"false\"/></default>"));
}

TEST_CASE("mjcf tendons have no inertia that could be left out") {
    check_error(pair("", "<tendon><fixed name=\"t\" armature=\"1\"/></tendon>"), 4, "fixed 't'",
                "without inertia");
}

TEST_CASE("mjcf welds without torque are connects at the weld's anchor") {
    const std::string weld = "<weld body1=\"a\" body2=\"b\" ";
    const std::string anchor = "anchor=\"1 2 3\" ";
    const LoopDescription full = loop(weld + anchor + "/>");
    const LoopDescription point = loop(weld + anchor + "torquescale=\"0\"/>");
    CHECK(full.type == LoopType::fixed);
    CHECK(point.type == LoopType::spherical);
    CHECK(equal(point.successor_origin.translation, Vector3d(1, 2, 3)));
    CHECK(equal(point.predecessor_origin.translation, full.predecessor_origin.translation));
    // At the reference pose it is the connect whose anchor, in body 1, is that point.
    const Vector3d in_first = point.predecessor_origin.translation;
    std::ostringstream text;
    text.precision(17);
    text << in_first.transpose();
    const LoopDescription connect = loop("<connect body1=\"a\" body2=\"b\" anchor=\"" + text.str() + "\"/>");
    CHECK(equal(connect.successor_origin.translation, point.successor_origin.translation));
    const LoopDescription posed = loop(weld + anchor + "relpose=\"4 5 6 1 0 0 0\" torquescale=\"0\"/>");
    CHECK(posed.type == LoopType::spherical);
    CHECK(equal(posed.predecessor_origin.translation, Vector3d(4, 5, 6)));
    CHECK(equal(posed.successor_origin.translation, Vector3d(1, 2, 3)));
    CHECK(loop("<weld site1=\"sa\" site2=\"sb\" torquescale=\"0\"/>").type == LoopType::spherical);
    const Reading fixed =
        read(world("<body name=\"a\">" + ball_of_one + "<joint/><body name=\"c\"/></body>",
                   "<equality><weld body1=\"a\" body2=\"c\" torquescale=\"0\"/></equality>"));
    CHECK(fixed.robot.loops.empty());
    CHECK(has(fixed, Severity::warning, 3, "<weld>", "fixed to each other"));
}

TEST_CASE("mjcf welds with another torquescale are rigid, with one note") {
    const Reading reading =
        accept(pair("<weld body1=\"a\" body2=\"b\" torquescale=\"0.5\"/>\n"
                    "<weld body1=\"b\" torquescale=\"2\"/>"));
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::note, 4, "<weld>", "torquescale other than 0 and 1 on 2"));
    CHECK(accept(pair("<weld body1=\"a\" torquescale=\"1\"/>")).diagnostics.empty());
}

TEST_CASE("a body on a weld without torque turns about three axes") {
    const Reading reading =
        accept(world("<body name=\"b\" pos=\"1 2 3\"><freejoint name=\"f\"/>" + ball_of_one + "</body>",
                     "<equality><weld body1=\"b\" torquescale=\"0\" anchor=\"0 0 0\"/></equality>"));
    CHECK(grbda::build_model(reading.robot).nv == 3);
}

TEST_CASE("mjcf equalities that are not active are omitted with a note") {
    const std::string connect = "<connect body1=\"a\" anchor=\"0 0 0\" ";
    const Reading inactive = accept(pair(connect + "active=\"false\"/>"));
    CHECK(inactive.robot.loops.empty());
    CHECK(has(inactive, Severity::note, 4, "<connect>", "left out"));
    CHECK(
        accept(pair(connect + "/>", "<default><equality active=\"false\"/></default>")).robot.loops.empty());
    CHECK(accept(pair(connect + "active=\"true\"/>", "<default><equality active=\"false\"/></default>"))
              .robot.loops.size() == 1);
    CHECK(accept(pair(connect + "/>", "<option><flag equality=\"disable\"/></option>")).robot.loops.empty());
    CHECK(
        accept(pair(connect + "/>", "<option><flag constraint=\"disable\"/></option>")).robot.loops.empty());
}

TEST_CASE("mjcf equalities are rigid, with one note") {
    const Reading reading =
        accept(pair("<connect body1=\"a\" anchor=\"0 0 0\" solref=\"0.01 1\"/>\n"
                    "<joint joint1=\"ja\" solimp=\"0.9 0.9 0.1\"/>"));
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::note, 4, "<connect>", "rigid here, solref or solimp on 2"));
}

TEST_CASE("mjcf equalities that it does not know are errors") {
    check_error(pair("<distance/>"), 4, "distance", "an equality of connect, weld, joint and tendon");
}

TEST_CASE("mjcf equalities of deformable bodies are omitted with a warning, like these bodies") {
    for (const char* kind : {"flex", "flexvert", "flexstrain"})
        check_warning(pair("<" + std::string(kind) + " flex=\"cloth\"/>"), 4, kind, "left out");
    accept(pair("<flex active=\"false\"/>"));
}
