#include <cmath>
#include <random>

#include "compile/model_diagnostics_fixture.hpp"
#include "constraints/closure.hpp"

// The neutral configuration is within the joint limits, and rods change no freedoms.

using namespace model_diagnostics;

namespace {

std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
}

std::string bar(const std::string& name, double length) {
    return "<link name=\"" + name + "\"><inertial><origin xyz=\"0 0 " + number(length / 2) +
           "\"/><mass value=\"1\"/><inertia ixx=\"0.01\" iyy=\"0.01\" izz=\"0.01\"/></inertial></link>\n";
}

/// A joint about y; without limits if these are not finite.
std::string hinge(const std::string& name, const std::string& parent, const std::string& child, double x,
                  double z, double roll = 0, double lower = -INFINITY, double upper = INFINITY) {
    const bool limited = std::isfinite(lower);
    return "<joint name=\"" + name + "\" type=\"" + (limited ? "revolute" : "continuous") +
           "\"><parent link=\"" + parent + "\"/><child link=\"" + child + "\"/><origin xyz=\"" + number(x) +
           " 0 " + number(z) + "\" rpy=\"" + number(roll) + " 0 0\"/><axis xyz=\"0 1 0\"/>" +
           (limited ? "<limit lower=\"" + number(lower) + "\" upper=\"" + number(upper) +
                          "\" effort=\"1\" velocity=\"1\"/>"
                    : "") +
           "</joint>\n";
}

struct Limits {
    double lower = -INFINITY, upper = INFINITY;
};

/// A four-bar linkage with links of these lengths, the last one the ground, and limits of crank and rocker.
std::string linkage(double crank, double coupler, double rocker, double ground, const Limits& a,
                    const Limits& c, double roll = 0) {
    return "<robot name=\"r\"><link name=\"base\"/>" + bar("A", crank) + bar("B", coupler) +
           bar("C", rocker) + hinge("a", "base", "A", 0, 0, 0, a.lower, a.upper) +
           hinge("b", "A", "B", 0, crank) + hinge("c", "base", "C", ground, 0, roll, c.lower, c.upper) +
           "<loop name=\"pin\" type=\"spherical\"><predecessor link=\"B\"><origin xyz=\"0 0 " +
           number(coupler) + "\"/></predecessor><successor link=\"C\"><origin xyz=\"0 0 " + number(rocker) +
           "\"/></successor></loop></robot>";
}

double position(const Model& model, const std::string& joint) {
    return model.neutral[at(model.bodies[at(model.joint(joint).index)].q)];
}

}  // namespace

TEST_CASE("the neutral configuration is within limits that some configuration keeps") {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < 60; ++i) {
        const double crank = 0.15 + 0.1 * unit(random), coupler = 0.4 + 0.2 * unit(random),
                     rocker = 0.35 + 0.1 * unit(random), ground = 0.45 + 0.1 * unit(random);
        const Model free = load_text(linkage(crank, coupler, rocker, ground, {}, {})).model;
        REQUIRE(free.nv == 1);
        // the crank at this angle: the rocker's two angles follow from the triangle of rocker and coupler
        const double angle = 2 * M_PI * unit(random);
        const double x = crank * std::sin(angle) - ground, z = crank * std::cos(angle);
        const double d = std::hypot(x, z);
        const double cosine = (d * d + rocker * rocker - coupler * coupler) / (2 * d * rocker);
        if (!(std::abs(cosine) < 0.95)) continue;
        const double mode = i % 2 == 0 ? 1 : -1, turns = 2 * M_PI * (i % 3 - 1);
        const double c = std::atan2(x, z) + mode * std::acos(cosine) + turns;
        const Limits of_c{c - 0.1 - 0.1 * unit(random), c + 0.1 + 0.1 * unit(random)};
        const Limits of_a = i % 4 < 2 ? Limits{} : Limits{angle - 0.3, angle + 0.3};
        for (const bool reduced : {true, false}) {
            LoadOptions options;
            options.rod_reduction = reduced;
            const Loaded loaded = load_text(linkage(crank, coupler, rocker, ground, of_a, of_c), options);
            INFO(loaded.findings());
            REQUIRE(loaded.model.nv == 1);
            CHECK(loaded.count(Severity::warning) == 0);
            CHECK(position(loaded.model, "c") >= of_c.lower);
            CHECK(position(loaded.model, "c") <= of_c.upper);
            Workspace<double> data(loaded.model);
            const Eigen::VectorXd q =
                Eigen::Map<const Eigen::VectorXd>(loaded.model.neutral.data(), loaded.model.nq);
            CHECK(closure_residual<double>(loaded.model, data, q).ok());
        }
    }
}

TEST_CASE("joints of an open tree are at the limit nearest to zero") {
    const auto arm = [](const std::string& more) {
        return "<robot name=\"r\"><link name=\"base\"/>" + bar("A", 1) + bar("B", 1) + bar("C", 1) +
               hinge("a", "base", "A", 0, 0, 0, 0.3, 0.6) + hinge("b", "A", "B", 0, 1, 0, -2, -0.5) +
               hinge("c", "B", "C", 0, 1, 0, -1, 1) + more + "</robot>";
    };
    const Loaded free = load_text(arm(""));
    CHECK(position(free.model, "a") == 0.3);
    CHECK(position(free.model, "b") == -0.5);
    CHECK(position(free.model, "c") == 0);
    CHECK(free.count(Severity::warning) == 0);
    const Loaded given = load_text(arm("<start><joint name=\"a\" value=\"5\"/></start>"));
    CHECK(position(given.model, "a") == 5);
    check_finding(given, Severity::warning, "joint", "a", {"a start within its limits"});
}

TEST_CASE("limits that no configuration keeps are reported with the joint's name") {
    // |c| stays near the ground's direction: the coupler is too short to let the rocker lie there
    const Loaded loaded = load_text(linkage(0.1, 0.5, 0.4, 0.5, {}, {1.4, 1.7}));
    check_finding(loaded, Severity::warning, "joint", "c", {"within its limits", "no configuration"});
}

TEST_CASE("rods leave as many freedoms as links in slightly misaligned linkages") {
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> unit(0, 1);
    for (const double roll : {1e-5, 1e-4, 3e-4, 7.9633e-4, 1e-3, 3e-3, 1e-2}) {
        for (int i = 0; i < 6; ++i) {
            const std::string text =
                linkage(0.2 + 0.1 * unit(random), 0.3 + 0.1 * unit(random), 0.22 + 0.1 * unit(random),
                        0.25 + 0.1 * unit(random), {}, {}, roll);
            LoadOptions links;
            links.rod_reduction = false;
            const Loaded with = load_text(text), without = load_text(text, links);
            INFO(with.findings());
            INFO(without.findings());
            CHECK(with.model.nv == without.model.nv);
        }
    }
}

TEST_CASE("a linkage that misaligned axes lock reports by how much its rows miss") {
    const Loaded loaded = load_text(linkage(0.2, 0.3, 0.22, 0.25, {}, {}, 1e-2));
    INFO(loaded.findings());
    CHECK(loaded.model.nv == 0);
    check_finding(loaded, Severity::warning, "joint", "c",
                  {"differs by 0.57°", "as joint 'a' has", "locked structure", "contradicts them by up to"});
}
