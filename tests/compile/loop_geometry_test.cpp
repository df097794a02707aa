#include <string>

#include "compile/model_diagnostics_fixture.hpp"

// Findings about loops with a wrong axis or length: the most frequent errors in files with loops. Each names
// the axis or the lengths, by how much they are wrong, and the value that fits.

using namespace model_diagnostics;

namespace {

/// The axes of a four-bar linkage as its file has them; empty: no <axis>.
struct Axes {
    std::string a = "0 0 1", b = "0 0 1", c = "0 0 1", closure = "0 0 1";
};

std::string hinge(const char* name, const char* parent, const char* child, const char* at,
                  const std::string& axis, const std::string& marks = "") {
    return std::string("<joint name=\"") + name + "\" type=\"continuous\"" + marks + "><parent link=\"" +
           parent + "\"/><child link=\"" + child + "\"/><origin xyz=\"" + at + "\"/>" +
           (axis.empty() ? "" : "<axis xyz=\"" + axis + "\"/>") + "</joint>\n" + link(child);
}

/// The linkage of model_diagnostics::four_bar(), with these axes and this point on the coupler.
Loaded four_bar_with(const Axes& axes, const std::string& end = "2 0 0", const std::string& marks = "") {
    const std::string axis = axes.closure.empty() ? "" : "<axis xyz=\"" + axes.closure + "\"/>";
    return load_text(robot(empty_link("base") + hinge("a", "base", "crank", "0 0 0", axes.a, marks) +
                           hinge("b", "crank", "coupler", "0 1 0", axes.b) +
                           hinge("c", "base", "rocker", "2.5 0 0", axes.c) +
                           loop("closure", "coupler", end, "rocker", "-0.5 1 0", "revolute", axis)));
}

/// A crank, a rod and a slider with these axes.
Loaded slider_crank_with(const std::string& slide, const std::string& pin) {
    return load_text(robot(
        empty_link("base") + hinge("crank", "base", "wheel", "0 0 0", "0 0 1") +
        hinge("rod", "wheel", "bar", "0 0.1 0", "0 0 1") +
        joint({"slide", "base", "piston", "0 0 0", "type=\"prismatic\"", slide,
               "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>"}) +
        link("piston") +
        loop("pin", "bar", "0.3 0 0", "piston", "0.28 0 0", "revolute", "<axis xyz=\"" + pin + "\"/>")));
}

}  // namespace

TEST_CASE("a loop with a wrong axis that locks its joints is named, with their axis") {
    check_accepted(four_bar_with({}));
    for (const std::string axis : {"1 0 0", "0 1 0"}) {
        const Loaded loaded = four_bar_with({.closure = axis});
        check_accepted(loaded, 1);
        check_finding(
            loaded, Severity::warning, "loop", "closure",
            {"loop 'closure'", "an axis along z of 'base', as joint 'a', joint 'b' and joint 'c' have",
             axis == "1 0 0" ? "one along x, 90° from it" : "one along y, 90° from it", "a locked structure",
             "did you mean <axis xyz=\"0 0 1\"/>?"});
    }
    check_finding(
        four_bar_with({.closure = ""}), Severity::warning, "loop", "closure",
        {"one along x, 90° from it", "did you mean <axis xyz=\"0 0 1\"/>? Without <axis>, it is 1 0 0"});
}

TEST_CASE("a loop with a wrong axis that cannot close is refused, with its axis and not with lengths") {
    check_accepted(four_bar_with({}, "4 0 0"));
    check_error(four_bar_with({.closure = "1 0 0"}, "4 0 0"), "loop", "closure",
                {"one along x, 90° from it; loop 'closure' is left open by", " m",
                 "did you mean <axis xyz=\"0 0 1\"/>?"});
    check_error(four_bar_with({"", "", "", "0 0 1"}, "2.1 0 0"), "loop", "closure",
                {"an axis along x", "one along z, 90° from it", "is <axis> missing in the others?"});
}

TEST_CASE("a joint with a wrong axis that locks its loop is named") {
    const auto words = [](const char* name, const char* others) {
        return std::vector<std::string>{std::string("joint '") + name + "'",
                                        others,
                                        "one along x, 90° from it",
                                        "a locked structure",
                                        "constraint rank 3",
                                        "did you mean <axis xyz=\"0 0 1\"/>?"};
    };
    const Loaded rocker = four_bar_with({.c = "1 0 0"});
    check_accepted(rocker, 1);
    check_finding(rocker, Severity::warning, "joint", "c",
                  words("c", "as joint 'a', joint 'b' and loop 'closure' have"));
    const Loaded crank = four_bar_with({.a = ""});
    check_accepted(crank, 1);
    check_finding(crank, Severity::warning, "joint", "a", words("a", "Without <axis>, it is 1 0 0"));
    check_error(four_bar_with({.b = "1 0 0"}, "2 0 0", " " + yes), "joint", "b",
                words("b", "as joint 'a', joint 'c' and loop 'closure' have"));
}

TEST_CASE("the angle of an axis that a program has rounded is printed") {
    const Loaded tilted = four_bar_with({.c = "0.0001 0 1"});
    check_accepted(tilted, 1);
    check_finding(tilted, Severity::warning, "loop", "closure",
                  {"left out", "the axis of joint 'c' differs by 0.0057° from joint 'a', joint 'b' and loop",
                   "did you mean <axis xyz=\"0 0 1\"/>?"});
    CHECK(tilted.model.nv == 1);
    const Loaded farther = four_bar_with({.c = "0.001 0 1"});
    CHECK(farther.model.nv == 0);
    check_finding(farther, Severity::warning, "joint", "c",
                  {"one that differs by 0.057°", "did you mean <axis xyz=\"0 0 1\"/>?"});
}

TEST_CASE("the axes of a slider-crank fit, or the one that does not is named") {
    check_accepted(slider_crank_with("1 0 0", "0 0 1"));
    check_finding(slider_crank_with("1 0 0", "0 1 0"), Severity::warning, "loop", "pin",
                  {"an axis along z of 'base', as joint 'crank' and joint 'rod' have", "one along y"});
    const Loaded across = slider_crank_with("0 0 1", "0 0 1");
    check_finding(across, Severity::warning, "joint", "slide",
                  {"a slide across z of 'base', about which joint 'crank', joint 'rod' and loop 'pin' turn",
                   "one along z, 90° from that plane", "check its axis"});
}

TEST_CASE("a loop that is too long is refused with its lengths, and one beside its plane with the distance") {
    check_error(four_bar_with({}, "9 0 0"), "loop", "closure",
                {"left open by", "'coupler' is 9 m long between its joints, the other links together 4.618 m",
                 "'crank' 1 m", "'rocker' 1.118 m", "'base' 2.5 m"});
    check_error(four_bar_with({}, "2 0 0.01"), "loop", "closure",
                {"its ends are 0.01 m apart along the joints' axes, z of 'base', in every configuration"});
    const std::string rod =
        loop("rod", "crank", "1 0 0", "rocker", "1 0 0", "distance", "<length value=\"10\"/>");
    check_error(load_text(robot(two_arms() + rod)), "loop", "rod",
                {"'rod' is 10 m long", "the other links together 4.5 m"});
}

TEST_CASE("loops that no plane could free are not blamed on an axis") {
    // three hinges are a triangle, whatever their axes are
    const Loaded triangle = load_text(
        robot(empty_link("base") + hinge("a", "base", "crank", "0 0 0", "0 0 1") +
              hinge("c", "base", "rocker", "2 0 0", "1 0 0") +
              loop("pin", "crank", "1 0 0", "rocker", "-1 0 0", "revolute", "<axis xyz=\"0 0 1\"/>")));
    check_finding(triangle, Severity::warning, "joint", "a",
                  {"'a', 'c'", "some freedom", "locked structure"});
    // two axes along z, two along x: neither direction is that of most
    const Loaded even = four_bar_with({"1 0 0", "0 0 1", "1 0 0", "0 0 1"});
    CHECK(even.findings().find("an axis along") == std::string::npos);
}
