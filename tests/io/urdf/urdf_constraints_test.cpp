#include "io/urdf/urdf_fixture.hpp"
#include "mechanism/relation.hpp"

#include <string>

// The URDF+ reader: loops, couplings and what <robot> says of them.

using namespace urdf_test;
using grbda::CouplingRatio;
using grbda::LoopType;
using grbda::Severity;

TEST_CASE("urdf+ knows every loop type") {
    const LoopType types[] = {LoopType::fixed,     LoopType::revolute,      LoopType::continuous,
                              LoopType::prismatic, LoopType::universal,     LoopType::planar,
                              LoopType::helical,   LoopType::cylindrical,   LoopType::spherical,
                              LoopType::distance,  LoopType::point_on_line, LoopType::floating};
    for (const LoopType type : types) {
        const std::string pitch = type == LoopType::helical ? "<pitch value=\"1\"/>" : "";
        const Reading reading = accept(
            loop("type=\"" + std::string(grbda::to_string(type)) + "\"", "<axis xyz=\"0 0 1\"/>" + pitch));
        CHECK(reading.diagnostics.empty());
        REQUIRE(reading.robot.loops.size() == 1);
        CHECK(reading.robot.loops[0].type == type);
    }
    check_error(loop("type=\"sphericl\""), 2, "loop 'l'", "did you mean 'spherical'");
    check_error(loop(""), 2, "loop 'l'", "'type', found none");
}

TEST_CASE("urdf+ loops keep their two ends with their frames") {
    const Reading reading = accept(robot(
        "<loop name=\"l\" type=\"universal\">\n"
        "<predecessor link=\"a b\"><origin xyz=\"1 2 3\" rpy=\"3.141592653589793 0 0\"/></predecessor>\n"
        "<successor name=\"ns/c\"><origin xyz=\"4 5 6\"/></successor>\n"
        "<axis xyz=\"0 2 0\"/><axis2 xyz=\"0 0 1\"/></loop>"));
    CHECK(reading.diagnostics.empty());
    const grbda::LoopDescription& loop = reading.robot.loops.at(0);
    CHECK(loop.name == "l");
    CHECK(loop.predecessor == "a b");
    CHECK(loop.successor == "ns/c");
    CHECK(loop.predecessor_origin.translation == Eigen::Vector3d(1, 2, 3));
    CHECK(loop.predecessor_origin.rotation(1, 1) == -1);
    CHECK(loop.successor_origin.translation == Eigen::Vector3d(4, 5, 6));
    CHECK(loop.successor_origin.rotation == Eigen::Matrix3d::Identity());
    CHECK(loop.axis == Eigen::Vector3d(0, 2, 0));
    CHECK(loop.axis2 == Eigen::Vector3d(0, 0, 1));
    CHECK(loop.where.line == 2);
}

TEST_CASE("urdf+ reads an origin beside an end of a loop as that end's, where it is clear which") {
    const auto read_loop = [](const std::string& inside) {
        const Reading reading = read(robot("<loop name=\"l\" type=\"fixed\">\n" + inside + "\n</loop>"));
        CHECK(reading.count(Severity::error) == 0);
        CHECK(has(reading, Severity::warning, 3, "<origin> of loop 'l'", "which it follows"));
        CHECK(reading.robot.loops.at(0).predecessor == "a");
        CHECK(reading.robot.loops.at(0).successor == "b");
        return reading.robot.loops.at(0);
    };
    const std::string a = "<predecessor name=\"a\"/>", b = "<successor name=\"b\"/>";
    const std::string one = "<origin xyz=\"1 0 0\"/>", two = "<!-- - --><origin xyz=\"2 0 0\"/>";
    const auto check = [&](const std::string& inside, double predecessor, double successor) {
        INFO(inside);
        const grbda::LoopDescription loop = read_loop(inside);
        CHECK(loop.predecessor_origin.translation == Eigen::Vector3d(predecessor, 0, 0));
        CHECK(loop.successor_origin.translation == Eigen::Vector3d(successor, 0, 0));
    };
    check(a + one + b + two, 1, 2);
    check(b + one + a + two, 2, 1);
    check(a + one + b, 1, 0);
    check(b + one + a, 0, 1);
    check("<predecessor name=\"a\">" + one + "</predecessor>" + b + two, 1, 2);
    check(a + one + "<successor name=\"b\">" + two + "</successor>", 1, 2);
    const auto refuse = [](const std::string& inside) {
        check_error(robot("<loop name=\"l\" type=\"fixed\">\n" + inside + "\n</loop>"), 3,
                    "<origin> of loop 'l'", "inside <predecessor> or <successor>");
    };
    refuse(a + b + one);
    refuse(one + a + b);
    refuse(a + b + "<axis xyz=\"1 0 0\"/>" + one);
    refuse("<predecessor name=\"a\">" + one + "</predecessor>" + two + b);
}

TEST_CASE("urdf+ refuses figures that place an end of a loop outside of an origin") {
    const std::string a = "<predecessor link=\"a\"/>", b = "<successor link=\"b\"/>";
    const auto refuse = [](const std::string& attributes, const std::string& inside, int line,
                           const std::string& subject) {
        check_error(robot("<loop name=\"l\" type=\"fixed\"" + attributes + ">\n" + inside + "\n</loop>"),
                    line, subject, "inside <predecessor> or <successor>");
    };
    for (const std::string figure :
         {"xyz=\"1 0 0\"", "rpy=\"0 0 1\"", "quat_xyzw=\"0 0 0 1\"", "pos=\"1 0 0\""}) {
        INFO(figure);
        refuse("", "<predecessor link=\"a\" " + figure + "/>" + b, 3, "<predecessor> of loop 'l'");
        refuse("", a + "<successor link=\"b\" " + figure + "/>", 3, "<successor> of loop 'l'");
        refuse(" " + figure, a + b, 2, "loop 'l'");
    }
    refuse("", "<predecessor link=\"a\"><pose>1 0 0 0 0 0</pose></predecessor>" + b, 3,
           "<predecessor> of loop 'l'");
    refuse("", a + b + "<pose>1 0 0 0 0 0</pose>", 2, "loop 'l'");
}

TEST_CASE("urdf+ loops without an axis take x and a note says so") {
    const Reading reading = accept(loop("type=\"revolute\""));
    CHECK(has(reading, Severity::note, 2, "loop 'l'", "1 0 0"));
    CHECK(reading.robot.loops.at(0).axis == Eigen::Vector3d(1, 0, 0));
    const Reading universal = accept(loop("type=\"universal\"", "<axis xyz=\"1 0 0\"/>"));
    CHECK(universal.robot.loops.at(0).axis2 == Eigen::Vector3d(0, 1, 0));
}

TEST_CASE("urdf+ refuses a zero axis only where a loop needs one") {
    for (const char* type : {"revolute", "continuous", "prismatic", "cylindrical", "universal", "planar"}) {
        check_figure(loop("type=\"" + std::string(type) + "\"", "<axis xyz=\"0 0 0\"/>"), 3, "loop 'l'",
                     "an axis that is not zero");
    }
    for (const char* type : {"fixed", "spherical", "distance", "floating"}) {
        const Reading reading = accept(loop("type=\"" + std::string(type) + "\"", "<axis xyz=\"0 0 0\"/>"));
        CHECK(reading.diagnostics.empty());
    }
    check_figure(loop("type=\"universal\"", "<axis xyz=\"0 1 0\"/><axis2 xyz=\"0 -1 0\"/>"), 2, "loop 'l'",
                 "parallel");
    check_error(loop("type=\"revolute\"", "<axis xyz=\"0 nan 0\"/>"), 3, "<axis> of loop 'l'",
                "3 finite numbers");
}

TEST_CASE("urdf+ distance loops have a positive length or none") {
    CHECK_FALSE(accept(loop("type=\"distance\"")).robot.loops.at(0).length);
    CHECK(accept(loop("type=\"distance\"", "<length value=\"0.25\"/>")).robot.loops.at(0).length == 0.25);
    check_figure(loop("type=\"distance\"", "<length value=\"0\"/>"), 3, "loop 'l'",
                 "a length above zero, found 0");
    check_figure(loop("type=\"distance\"", "<length value=\"-1\"/>"), 3, "loop 'l'", "found -1");
    check_error(loop("type=\"distance\"", "<length value=\"inf\"/>"), 3, "<length> of loop 'l'", "finite");
    check_error(loop("type=\"distance\"", "<length/>"), 3, "<length> of loop 'l'", "'value', found none");
    const Reading other = accept(loop("type=\"spherical\"", "<length value=\"1\"/>"));
    CHECK(has(other, Severity::note, 3, "robot 'r'", "ignored elements: <length>"));
}

TEST_CASE("urdf+ helical loops have a pitch") {
    const std::string axis = "<axis xyz=\"0 0 1\"/>";
    const Reading reading = accept(loop("type=\"helical\"", axis + "<pitch value=\"-0.002\"/>"));
    CHECK(reading.diagnostics.empty());
    CHECK(reading.robot.loops.at(0).pitch == -0.002);
    check_error(loop("type=\"helical\"", axis), 2, "loop 'l'", "<pitch>, found none");
    check_figure(loop("type=\"helical\"", axis + "\n<pitch value=\"0\"/>"), 4, "loop 'l'", "other than zero");
    check_error(loop("type=\"helical\"", axis + "<pitch/>"), 3, "<pitch> of loop 'l'", "'value', found none");
    const Reading other = accept(loop("type=\"cylindrical\"", axis + "<pitch value=\"1\"/>"));
    CHECK(has(other, Severity::note, 3, "robot 'r'", "ignored elements: <pitch>"));
}

TEST_CASE("urdf+ refuses loops and couplings without ends") {
    check_error(robot("<loop name=\"l\" type=\"spherical\"><successor link=\"b\"/></loop>"), 2, "loop 'l'",
                "<predecessor>, found none");
    check_error(robot("<coupling name=\"c\"><predecessor link=\"b\"/><ratio value=\"2\"/></coupling>"), 2,
                "coupling 'c'", "<successor>, found none");
    check_error(robot("<coupling name=\"c\">\n<predecessor/><successor link=\"b\"/></coupling>"), 3,
                "<predecessor> of coupling 'c'", "'link', found none");
}

TEST_CASE("urdf+ gives loops and couplings without a name one that no other has") {
    const std::string ends = "<predecessor link=\"a\"/><successor link=\"b\"/>";
    const std::string loop = " type=\"spherical\">" + ends + "</loop>\n";
    const std::string term = " type=\"linear\"><term joint=\"j\"/></coupling>\n";
    const Reading reading = accept(
        robot("<loop" + loop + "<coupling>" + ends + "<ratio value=\"2\"/></coupling>\n" + "<loop name=\"\"" +
              loop + "<coupling" + term + "<loop name=\"coupling_2\"" + loop + "<loop" + loop));
    REQUIRE(reading.robot.loops.size() == 4);
    CHECK(reading.robot.loops[0].name == "loop_1");
    CHECK(reading.robot.loops[1].name == "loop_2");
    CHECK(reading.robot.loops[2].name == "coupling_2");
    CHECK(reading.robot.loops[3].name == "loop_4");
    CHECK(reading.robot.couplings.at(0).name == "coupling_1");
    CHECK(reading.robot.couplings.at(1).name == "coupling_2_");  // the file has a coupling_2
    CHECK(reading.count(Severity::note) == 5);
    CHECK(has(reading, Severity::note, 4, "<loop> of robot 'r'", "called 'loop_2', it has no name"));
    CHECK(has(reading, Severity::note, 5, "<coupling> of robot 'r'", "called 'coupling_2_'"));
}

TEST_CASE("urdf+ loops and couplings share one namespace") {
    const std::string ends = "<predecessor link=\"a\"/><successor link=\"b\"/>";
    const std::string loop = "<loop name=\"x\" type=\"spherical\">" + ends + "</loop>\n";
    const std::string coupling = "<coupling name=\"x\">" + ends + "<ratio value=\"2\"/></coupling>\n";
    const std::string linear = "<coupling name=\"x\" type=\"linear\"><term joint=\"a\"/></coupling>\n";
    for (const std::string& first : {loop, coupling, linear}) {
        check_taken_name(robot(first + loop), 3, "loop 'x'", "first in line 2");
        check_taken_name(robot(first + coupling), 3, "coupling 'x'", "first in line 2");
        check_taken_name(robot(first + linear), 3, "coupling 'x'", "first in line 2");
        accept(robot(first + "<link name=\"x\"/>"));
    }
}

TEST_CASE("urdf+ couplings keep their ends and ratio") {
    const Reading reading = accept(coupling("", "<ratio value=\"-6.5\"/>"));
    CHECK(reading.diagnostics.empty());
    const grbda::CouplingDescription& coupling = reading.robot.couplings.at(0);
    CHECK(coupling.name == "c");
    const auto& gear = relation_of<grbda::GearRelation>(reading.robot);
    CHECK(gear.predecessor == "a");
    CHECK(gear.successor == "b");
    CHECK(gear.ratio == -6.5);
    CHECK(coupling.where.line == 2);
}

TEST_CASE("urdf+ couplings without a ratio take 1 and a note says so") {
    for (const char* inside : {"", "<ratio/>"}) {
        const Reading reading = accept(coupling("", inside));
        CHECK(has(reading, Severity::note, 2, "coupling 'c'", "ratio 1"));
        CHECK(relation_of<grbda::GearRelation>(reading.robot).ratio == 1);
    }
}

TEST_CASE("urdf+ refuses a ratio that is zero or not finite") {
    for (const char* zero : {"0", "-0.0", "1e-999"}) {
        check_figure(coupling("", "<ratio value=\"" + std::string(zero) + "\"/>"), 3, "coupling 'c'",
                     "a finite ratio other than zero, found 0");
    }
    for (const char* bad : {"nan", "inf", "-inf", "", "six", "1/6"}) {
        check_error(coupling("", "<ratio value=\"" + std::string(bad) + "\"/>"), 3, "<ratio> of coupling 'c'",
                    "finite number");
    }
}

TEST_CASE("urdf+ notes an unknown type of coupling and reads on") {
    const Reading reading = accept(coupling("type=\"rolling\"", "<ratio value=\"2\"/>"));
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::note, 2, "coupling 'c'", "'rolling'"));
    CHECK(relation_of<grbda::GearRelation>(reading.robot).ratio == 2);
    const Reading misspelt = accept(coupling("type=\"Linear\"", "<ratio value=\"2\"/>"));
    CHECK(has(misspelt, Severity::note, 2, "coupling 'c'", "did you mean 'linear'"));
    check_error(robot("<coupling name=\"c\"><term joint=\"j\"/></coupling>"), 2, "coupling 'c'",
                "type=\"linear\"");
}

TEST_CASE("urdf+ linear couplings keep their terms and offset") {
    const Reading reading = accept(
        robot("<coupling name=\"knee\" type=\"linear\">\n<term joint=\"left_knee\" coefficient=\"2\"/>\n"
              "<term joint=\"motor_1\" coefficient=\"-1\"/><term joint=\"motor_2\"/>\n"
              "<offset value=\"0.5\"/></coupling>"));
    CHECK(reading.diagnostics.empty());
    REQUIRE(reading.robot.couplings.size() == 1);
    const auto& coupling = relation_of<grbda::LinearRelation>(reading.robot);
    CHECK(reading.robot.couplings[0].name == "knee");
    CHECK_FALSE(coupling.mimic);
    CHECK(coupling.offset == 0.5);
    REQUIRE(coupling.terms.size() == 3);
    CHECK(coupling.terms[0].joint == "left_knee");
    CHECK(coupling.terms[0].coefficient == 2);
    CHECK(coupling.terms[0].where.line == 3);
    CHECK(coupling.terms[1].coefficient == -1);
    CHECK(coupling.terms[2].coefficient == 1);
}

TEST_CASE("urdf+ refuses linear couplings without terms, joints or numbers") {
    const auto linear = [](const std::string& inside) {
        return robot("<coupling name=\"c\" type=\"linear\">\n" + inside + "</coupling>");
    };
    check_error(linear(""), 2, "coupling 'c'", "at least one <term");
    check_error(linear("<term coefficient=\"1\"/>"), 3, "<term> of coupling 'c'", "'joint', found none");
    check_error(linear("<term joint=\"j\" coefficient=\"nan\"/>"), 3, "<term> of coupling 'c'",
                "finite number");
    check_error(linear("<term joint=\"j\"/>\n<offset value=\"inf\"/>"), 4, "<offset> of coupling 'c'",
                "finite number");
    check_error(linear("<term joint=\"j\"/>\n<offset/>"), 4, "<offset> of coupling 'c'",
                "'value', found none");
}

TEST_CASE("urdf+ files can say which way their ratios read") {
    CHECK(accept("<robot name=\"r\" coupling_ratio=\"predecessor/successor\"/>").robot.coupling_ratio ==
          CouplingRatio::predecessor_over_successor);
    CHECK(accept("<robot name=\"r\" coupling_ratio=\"successor/predecessor\"/>").robot.coupling_ratio ==
          CouplingRatio::successor_over_predecessor);
    check_error("<robot name=\"r\" coupling_ratio=\"sucessor/predecessor\"/>", 1, "robot 'r'",
                "did you mean 'successor/predecessor'");
    check_error("<robot name=\"r\" coupling_ratio=\"\"/>", 1, "robot 'r'", "coupling_ratio");
}

TEST_CASE("urdf reads a mimic as a linear coupling of its two joints") {
    const Reading reading =
        accept(joint("type=\"continuous\"", "<mimic joint=\"leader\" multiplier=\"-2\" offset=\"0.5\"/>"));
    CHECK(reading.diagnostics.empty());
    REQUIRE(reading.robot.couplings.size() == 1);
    const auto& coupling = relation_of<grbda::LinearRelation>(reading.robot);
    CHECK(reading.robot.couplings[0].name == "mimic of j");
    CHECK(coupling.mimic);
    CHECK(coupling.offset == -0.5);
    CHECK(reading.robot.couplings[0].where.line == 3);
    REQUIRE(coupling.terms.size() == 2);
    CHECK(coupling.terms[0].joint == "j");
    CHECK(coupling.terms[0].coefficient == 1);
    CHECK(coupling.terms[1].joint == "leader");
    CHECK(coupling.terms[1].coefficient == 2);

    const Reading plain = accept(joint("type=\"continuous\"", "<mimic joint=\"leader\"/>"));
    CHECK(relation_of<grbda::LinearRelation>(plain.robot).terms.at(1).coefficient == -1);
    CHECK(relation_of<grbda::LinearRelation>(plain.robot).offset == 0);
    check_error(joint("type=\"continuous\"", "<mimic multiplier=\"2\"/>"), 3, "<mimic> of joint 'j'",
                "'joint', found none");
}
