#include <algorithm>
#include <cmath>
#include <sstream>

#include <Eigen/Core>

#include "compile/model_diagnostics_fixture.hpp"
#include "grbda/baselines/baselines.hpp"
#include "constraints/closure.hpp"
#include "dynamics/aba.hpp"
#include "kinematics/configuration.hpp"

// Assembly of robots with rounded figures, loops that stay open, and freedoms that move nothing, and its
// findings about them.

using namespace model_diagnostics;

namespace {

/// The four-bar of model_diagnostics::four_bar(), its joints turned forth and back by a quarter written with
/// the given digits: with all of them the axes are parallel.
std::string turned_four_bar(const std::string& quarter) {
    const auto turned = [&](const char* name, const char* parent, const char* child, const char* xyz,
                            const std::string& rpy, const char* axis) {
        return std::string("<joint name=\"") + name + "\" type=\"continuous\"><parent link=\"" + parent +
               "\"/><child link=\"" + child + "\"/><origin xyz=\"" + xyz + "\" rpy=\"" + rpy +
               "\"/><axis xyz=\"" + axis + "\"/></joint>\n";
    };
    return robot(
        empty_link("base") + turned("a", "base", "crank", "0 0 0", quarter + " 0 0", "0 0 1") +
        link("crank") + turned("c", "base", "rocker", "2.5 0 0", "0 0 0", "0 -1 0") + link("rocker") +
        turned("b", "crank", "coupler", "0 1 0", "-" + quarter + " 0 0", "0 1 0") + link("coupler") +
        loop("closure", "coupler", "2 0 0", "rocker", "-0.5 0 1", "revolute", "<axis xyz=\"0 1 0\"/>"));
}

/// Three cranks that carry a bar, leaned back by 80 degrees at q = 0: a parallelogram, and in its middle a
/// third crank, `longer` than the others and turned by `turned`, whose pin is on the bar there.
std::string three_cranks(double longer, double turned) {
    const Eigen::Vector2d along(-std::sin(80 * M_PI / 180), std::cos(80 * M_PI / 180)),
        across(along.y(), -along.x());
    const auto place = [](const Eigen::Vector2d& p) {
        std::ostringstream text;
        text.precision(17);
        text << p.x() << " 0 " << p.y();
        return text.str();
    };
    const auto hinge = [&](const char* name, const char* parent, const char* child,
                           const Eigen::Vector2d& at) {
        return std::string("<joint name=\"") + name + "\" type=\"continuous\"><parent link=\"" + parent +
               "\"/><child link=\"" + child + "\"/><origin xyz=\"" + place(at) +
               "\"/><axis xyz=\"0 1 0\"/></joint>\n" + link(child);
    };
    const std::string axis = "<axis xyz=\"0 1 0\"/>";
    const Eigen::Vector2d third = (1 + longer) * along + turned * across;
    return robot(empty_link("base") + hinge("a", "base", "first", {0, 0}) +
                 hinge("b", "first", "bar", along) + hinge("c", "base", "second", {1, 0}) +
                 hinge("d", "base", "third", Eigen::Vector2d(0.5, 0) + along - third) +
                 loop("on_second", "bar", "1 0 0", "second", place(along), "revolute", axis) +
                 loop("on_third", "bar", "0.5 0 0", "third", place(third), "revolute", axis));
}

/// A ball joint at each end of the rod, which therefore turns about itself.
std::string rod_between(const std::string& from, const std::string& at, const std::string& to,
                        const std::string& end) {
    return joint({"ball", from, "rod", at, "type=\"spherical\""}) + link("rod") +
           loop("tip", "rod", "1 0 0", to, end, "spherical", "");
}

/// Links of each group, with a space behind each.
std::vector<std::string> idle_links(const Model& model) {
    std::vector<std::string> links;
    for (const ClusterReport& report : model.reports)
        for (const std::vector<int>& group : report.idle) {
            std::string names;
            for (const int body : group) names += model.names.bodies[body] + " ";
            links.push_back(names);
        }
    return links;
}

}  // namespace

TEST_CASE("points that are one but for rounding close in a robot with lengths elsewhere") {
    for (const std::string gap : {"0", "4.2e-17", "-1e-16", "1e-15"}) {
        INFO(gap);
        const std::string bar =
            "<inertial><origin xyz=\"0.1 0 0\"/><mass value=\"1\"/>"
            "<inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\"/></inertial>";
        const Loaded loaded = load_text(robot(
            empty_link("base") + joint({"hinge", "base", "first", "0 0 0"}) + "<link name=\"first\">" + bar +
            "</link>" + joint({"pin", "first", "second", "0 0 0"}) + "<link name=\"second\">" + bar +
            "</link>" + loop("closure", "second", gap + " 0 0", "base", "0 0 0", "spherical", "")));
        check_accepted(loaded);
        CHECK(loaded.model.nv == 2);
    }
}

TEST_CASE("rounded figures cost a linkage rows that repeat others, with a warning, and not its freedom") {
    const Loaded exact = load_text(turned_four_bar("1.5707963267948966"));
    check_accepted(exact);
    REQUIRE(exact.model.nv == 1);
    CHECK(exact.model.reports[0].misfit_rows == 0);
    for (const std::string quarter : {"1.570796", "1.5708", "1.571"}) {
        INFO(quarter);
        const Loaded rounded = load_text(turned_four_bar(quarter));
        check_accepted(rounded, 1);
        check_finding(rounded, Severity::warning, "loop", "closure",
                      {"loop 'closure'", "contradict the others by up to", "left out", "digits"});
        const Model& model = rounded.model;
        REQUIRE(model.nv == 1);
        CHECK(model.rows == 2);
        const double error = std::abs(std::stod(quarter) - 1.5707963267948966);
        CHECK(model.reports[0].misfit_rows == 3);
        CHECK(model.reports[0].misfit < 2 * error);
        CHECK(model.reports[0].misfit > 0.01 * error);

        // what is left closes exactly, and moves as the baselines and nearly as the exact figures say
        std::mt19937_64 random(5);
        const Eigen::VectorXd q = random_configuration(model, random), one = Eigen::VectorXd::Ones(1);
        Workspace<double> data(model), other(exact.model);
        CHECK(closure_residual<double>(model, data, q).residual < 1e-12);
        REQUIRE(aba<double>(model, data, q, one, one).ok());
        baselines::Workspace work(model);
        REQUIRE(
            forward_dynamics(baselines::Method::dense_kkt, model, work, q, one, one, Eigen::MatrixXd(6, 0))
                .ok());
        CHECK(work.ydd[0] == Approx(data.ydd[0]).epsilon(1e-10));
        Eigen::VectorXd near = q;
        REQUIRE(close_loops<double>(exact.model, other, near).ok());
        REQUIRE(aba<double>(exact.model, other, near, one, one).ok());
        CHECK(other.ydd[0] == Approx(data.ydd[0]).epsilon(100 * error).margin(100 * error));
    }
}

TEST_CASE("rows are treated as rounded according to their largest gap over the whole range") {
    // a crank longer by d would leave its pin by d (1 − cos q) where the others turn by q
    const Loaded rounded = load_text(three_cranks(1e-4, 1e-5));
    check_accepted(rounded, 1);
    REQUIRE(rounded.model.nv == 1);
    CHECK(rounded.model.reports[0].misfit_rows == 1);
    CHECK(rounded.model.reports[0].misfit <= 1e-3);
    CHECK(rounded.model.reports[0].misfit > 1e-4 * (1 - std::cos(1)) / std::sqrt(2));  // of its size
    const Loaded longer = load_text(three_cranks(1e-3, 1e-4));
    CHECK(longer.model.nv == 0);
    check_error(longer, "joint", "a", {"all but singular constraints", "nearly repeat each other"});
}

TEST_CASE("a rod that holds in every pose is no row among rounded figures") {
    // from the crank's bearing to a point on the crank: its only row vanishes, at any place in the file
    const std::string rod = loop("rod", "base", "0 0 0", "crank", "0 0 0.3", "distance", "");
    const std::string bar = turned_four_bar("1.5708");
    const std::string::size_type first = bar.find("<loop"), last = bar.find("</robot>");
    for (const std::string::size_type place : {first, last}) {
        const Loaded loaded = load_text(bar.substr(0, place) + rod + bar.substr(place));
        check_accepted(loaded, 1);
        const Model& model = loaded.model;
        REQUIRE(model.loops.size() == 2);
        CHECK(model.nv == 1);
        CHECK(model.rows == 2);
        CHECK(model.reports[0].misfit_rows == 3);
        CHECK(model.reports[0].rows_written == 6);
        const Loop& kept = model.loops[place == first ? 1 : 0];
        CHECK(model.loops[place == first ? 0 : 1].rows == 0);
        CHECK(kept.type == LoopType::revolute);
        CHECK(kept.rows == 2);
        CHECK(kept.lengths == 2);
        const Loaded without = load_text(bar);
        CHECK(model.row_scale == without.model.row_scale);
        CHECK(idle_links(model).empty());
    }
}

TEST_CASE("a rod written twice is one row among rounded figures") {
    std::string bar = turned_four_bar("1.5708");
    const std::string tail =
        "<joint name=\"d\" type=\"continuous\"><parent link=\"rocker\"/><child "
        "link=\"tail\"/><origin xyz=\"0 0 0.5\"/><axis xyz=\"0 1 0\"/></joint>\n" +
        link("tail");
    const auto rod = [](const char* name) {
        return loop(name, "base", "3 0 1.5", "tail", "0.4 0 0", "distance", "");
    };
    bar.insert(bar.find("</robot>"), tail + rod("first") + rod("second"));
    const Loaded loaded = load_text(bar);
    check_accepted(loaded, 1);
    CHECK(loaded.model.nv == 1);
    CHECK(loaded.model.rows == 3);
    CHECK(loaded.model.reports[0].misfit_rows == 4);
    CHECK(loaded.model.reports[0].rank == 3);
}

TEST_CASE("a loop that never closes is refused though all of its rows vanish") {
    const auto arms = [](const std::string& rpy) {
        return robot(empty_link("base") + joint({"a", "base", "crank"}) + link("crank") +
                     joint({"b", "crank", "arm", "1 0 0"}) + link("arm") +
                     "<loop name=\"plane\" type=\"planar\"><predecessor link=\"base\"/><successor "
                     "link=\"arm\"><origin xyz=\"1 0 0\" rpy=\"" +
                     rpy + "\"/></successor><axis xyz=\"0 0 1\"/></loop>\n");
    };
    const Loaded aligned = load_text(arms("0 0 0.4"));
    check_accepted(aligned);
    CHECK(aligned.model.rows == 0);
    check_error(load_text(arms("3.141592653589793 0 0.4")), "loop", "plane",
                {"loop 'plane'", "left open by 3.14 rad in every pose", "axes point against each other"});
}

TEST_CASE("figures rounded too far leave a loop open, and the error says which axis and by how much") {
    const Loaded coarse = load_text(turned_four_bar("1.55"));
    check_error(coarse, "joint", "a",
                {"joint 'a'", "differs by 1.2°", "left open by", " m", " rad", "all their digits"});
    const Loaded rounded = load_text(turned_four_bar("1.57"));
    check_error(rounded, "joint", "a", {"differs by 0.046°", "left open by", "orientation of its frame"});
}

TEST_CASE("a loop is refused if its gap is large relative to its cluster, even if it is short") {
    const auto cart = [](const std::string& gap) {
        return robot(empty_link("base") + joint({"slide", "base", "cart", "0 0 0", "type=\"prismatic\""}) +
                     link("cart") +
                     "<loop name=\"held\" type=\"fixed\"><predecessor link=\"base\"><origin xyz=\"" + gap +
                     " 0 1e-4\"/></predecessor><successor link=\"cart\"><origin xyz=\"0 0 1e-4\"/>" +
                     "</successor></loop>\n");
    };
    check_accepted(load_text(cart("0")), 1);
    check_error(load_text(cart("5e-12")), "loop", "held", {"loop 'held'", "left open by 5e-12 m"});
}

TEST_CASE("a truss is no linkage with rounded figures") {
    // a third rocker locks the four-bar: its row is independent of the others, however often it is looked at
    const Loaded truss = load_text(robot(four_bar() + joint({"e", "base", "stay", "1 0 0"}) + link("stay") +
                                         loop("stays", "coupler", "1 0.3 0", "stay", "0 1.3 0")));
    check_accepted(truss, 1);
    check_finding(truss, Severity::warning, "joint", "a", {"locked structure"});
    CHECK(truss.model.reports[0].misfit_rows == 0);
}

TEST_CASE("a slide beside two hinges is at a dead centre, which rounded figures do not lock") {
    // Both arms turn by θ, and their slide closes where 0.01 (cos(θ − δ) − cos δ) = 0: as in the legs of
    // Cassie.
    const auto springs = [](const std::string& across) {
        return load_text(robot(
            empty_link("knee") + joint({"a", "knee", "shin", across}) + link("shin") +
            joint({"b", "knee", "spring", "0 0 0"}) + link("spring") +
            loop("slide", "shin", "1 0 0", "spring", "1 0.01 0", "prismatic", "<axis xyz=\"1 0 0\"/>")));
    };
    const Loaded loaded = springs("1e-6 0.01 0");
    check_accepted(loaded, 1);
    CHECK(loaded.model.nv == 1);
    check_finding(loaded, Severity::warning, "loop", "slide", {"1 that contradicts", "left out"});
    CHECK(loaded.model.reports[0].misfit < 0.05);
    // a slide that is across by intention locks both arms
    const Loaded locked = springs("1e-3 0.01 0");
    CHECK(std::none_of(locked.diagnostics.begin(), locked.diagnostics.end(),
                       [](const grbda::Diagnostic& d) { return d.code == grbda::Code::misfit; }));
}

TEST_CASE("a rod between ball joints is idle freedom, named in a note") {
    grbda::LoadOptions options;
    options.rod_reduction = false;
    const Loaded loaded =
        load_text(robot(two_arms() + rod_between("crank", "0.5 0.5 0.2", "rocker", "-1 0.5 0.2")), options);
    check_accepted(loaded);
    CHECK(loaded.model.nv == 2);
    CHECK(idle_links(loaded.model) == std::vector<std::string>{"rod "});
    check_finding(loaded, Severity::note, "joint", "a", {"1 of its 2 degrees of freedom is idle", "'rod'"});
}

TEST_CASE("a rod and what is pinned to it turn together, massless links between them not counted") {
    const std::string rod =
        joint({"roll", "crank", "g1", "0.5 0.5 0.2", "type=\"continuous\"", "1 0 0"}) + empty_link("g1") +
        joint({"pitch", "g1", "g2", "0 0 0", "type=\"continuous\"", "0 1 0"}) + empty_link("g2") +
        joint({"yaw", "g2", "rod", "0 0 0"}) + link("rod") +
        joint({"slide", "rod", "piston", "0.5 0 0", "type=\"prismatic\"", "1 0 0"}) + link("piston") +
        loop("tip", "piston", "0.5 0 0", "rocker", "-1 0.5 0.2", "spherical", "");
    const Loaded loaded = load_text(robot(two_arms() + rod));
    check_accepted(loaded);
    CHECK(loaded.model.nv == 3);
    CHECK(idle_links(loaded.model) == std::vector<std::string>{"rod piston "});
}

TEST_CASE("freedom that moves something else is not idle") {
    const Loaded four = load_text(robot(four_bar()));
    CHECK(idle_links(four.model).empty());
    // turning the rod swings what hangs across it
    const Loaded loaded = load_text(robot(
        two_arms() + rod_between("crank", "0.5 0.5 0.2", "rocker", "-1 0.5 0.2") +
        joint({"hang", "rod", "pendulum", "0.5 0 0", "type=\"continuous\"", "0 1 0"}) + link("pendulum") +
        loop("stay", "pendulum", "0 0 -0.4", "crank", "1 0.4 -0.2", "distance", "<length value=\"0.4\"/>")));
    check_accepted(loaded);
    CHECK(loaded.model.nv == 2);
    CHECK(idle_links(loaded.model).empty());
}
