#include "io/urdf/urdf_fixture.hpp"

#include <string>

// The URDF reader and the text around the robot: encoding, syntax, what is ignored, other formats.

using namespace urdf_test;
using grbda::Severity;

TEST_CASE("urdf takes a parent called world for the world where no link has this name, as Drake does") {
    const std::string arm = "<link name=\"arm\"/>\n",
                      hinge =
                          "<joint name=\"j\" type=\"continuous\">"
                          "<parent link=\"world\"/><child link=\"arm\"/></joint>";
    const Reading reading = accept(robot(arm + hinge));
    CHECK(has(reading, Severity::note, 1, "robot 'r'", "a root link 'world' is added, joint 'j'"));
    REQUIRE(reading.robot.links.size() == 2);
    CHECK(reading.robot.links[0].name == "world");
    CHECK_FALSE(reading.robot.links[0].inertial);
    CHECK(accept(robot(arm + "<link name=\"world\"/>" + hinge)).diagnostics.empty());
    CHECK(accept(robot("<link name=\"arm\"/><link name=\"b\"/>")).robot.links.size() == 2);
}

TEST_CASE("an inertial of a urdf's root link that cannot be read is left out with a warning") {
    for (const char* inside :
         {"<density value=\"400\"/>", "<mass value=\"x\"/>", "<mass value=\"1\"/><inertia ixx=\"1\"/>"}) {
        const std::string base =
            std::string("<link name=\"base\"><inertial>") + inside + "</inertial></link>\n";
        const Reading reading = read(robot(base + "<link name=\"a\"/><joint name=\"j\" type=\"continuous\">"
                                                  "<parent link=\"base\"/><child link=\"a\"/></joint>"));
        INFO(inside);
        CHECK(reading.count(Severity::error) == 0);
        CHECK(has(reading, Severity::warning, 2, "link 'base'", "it is not used"));
        CHECK_FALSE(reading.link("base").inertial);
    }
}

TEST_CASE("urdf accepts byte order mark, DOCTYPE, comments, stray text and odd names") {
    const Reading reading = accept(
        "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<!DOCTYPE robot [ <!ENTITY width \"0.1\"> <!ELEMENT robot ANY> ]>\n"
        "<!-- a <robot> in a comment -->\n"
        "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"> stray text\n"
        "  <link name=\"left / upper arm\"/> ; <!-- <joint/> -->\r\n"
        "  <link name=\"a &amp; &#98;\"/>\n"
        "</robot>\n<!-- end -->\n");
    CHECK(reading.diagnostics.empty());
    REQUIRE(reading.robot.links.size() == 2);
    CHECK(reading.robot.links[0].name == "left / upper arm");
    CHECK(reading.robot.links[0].where.line == 5);
    CHECK(reading.robot.links[0].where.column == 3);
    CHECK(reading.robot.links[1].name == "a & b");
    CHECK(reading.robot.links[1].where.line == 6);
}

TEST_CASE("urdf columns count characters and lines end in any way") {
    const Reading marked = accept(
        "\xEF\xBB\xBF<robot name=\"\xC3\xA4\xE2\x82\xAC\"><link name=\"a\"/>\r\n\r\n"
        "<link name=\"b\"/>\r<link name=\"c\"/></robot>");
    REQUIRE(marked.robot.links.size() == 3);
    CHECK(marked.robot.where.column == 1);
    CHECK(marked.robot.links[0].where.line == 1);
    CHECK(marked.robot.links[0].where.column == 18);
    CHECK(marked.robot.links[1].where.line == 3);
    CHECK(marked.robot.links[2].where.line == 4);
    CHECK(marked.robot.links[2].where.column == 1);
}

TEST_CASE("urdf gives line and column of a syntax error") {
    const Reading reading = read("<robot name=\"r\">\n  <link name=\"a\">\n</robot>\n");
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::error, 3, "file",
              "expected </link> for the <link> of line 2, found </robot>"));
    check_error("<robot name=\"r\">\n<link name=a/></robot>", 2, "file", "well-formed XML");
    check_error("<robot name=\"r\">\n<link name=\"a\"/>", 2, "file", "found the end of the file");
    check_error("", 1, "file", "no XML element");
    check_error("robot:\n  name: r\n", 1, "file", "no XML element");
    check_error("<!-- nothing -->", 1, "file", "no XML element");
}

TEST_CASE("urdf refuses repeated attributes and a second outermost element") {
    check_error("<robot name=\"r\">\n<link name=\"a\" name=\"b\"/></robot>", 2, "link 'a'", "'name' twice");
    check_error("<robot name=\"r\"/>\n<robot name=\"s\"/>", 2, "robot 's'", "one outermost element");
}

TEST_CASE("urdf reads Latin-1 with a note and refuses UTF-16") {
    const Reading latin = accept("<robot name=\"M\xFCller\"/>");
    CHECK(has(latin, Severity::note, 1, "file", "Latin-1"));
    CHECK(latin.robot.name == "M\xC3\xBCller");
    const std::string wide("\xFF\xFE<\0r\0o\0b\0o\0t\0/\0>\0", 18);
    const Reading reading = read(wide);
    CHECK(reading.count(Severity::error) == 1);
    CHECK(has(reading, Severity::error, 1, "file", "UTF-8"));
}

TEST_CASE("urdf says what another format looks like") {
    check_error("<mujoco model=\"m\"/>", 1, "<mujoco>", "MJCF");
    check_error("\n<sdf version=\"1.7\"/>", 2, "<sdf>", "SDF");
    check_error("<Robot name=\"r\"/>", 1, "Robot 'r'", "did you mean 'robot'");
    check_error("<COLLADA/>", 1, "<COLLADA>", "the outermost element <robot>, found <COLLADA>");
}

TEST_CASE("urdf accepts versions 1.0 to 1.2") {
    for (const char* version : {"1", "1.0", "1.1", "1.2"}) {
        CHECK(accept("<robot name=\"r\" version=\"" + std::string(version) + "\"/>").diagnostics.empty());
    }
    for (const char* version : {"0.9", "1.3", "2.0", "one", ""}) {
        check_error("<robot name=\"r\" version=\"" + std::string(version) + "\"/>", 1, "robot 'r'",
                    "version to be one of 1.0, 1.1, 1.2");
    }
}

TEST_CASE("urdf refuses entities that XML does not define") {
    const std::string bomb =
        "<!DOCTYPE robot [ <!ENTITY a \"1\"> <!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">\n"
        "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"> ]>\n";
    check_error(bomb + "<robot name=\"r\">\n<link name=\"&c;\"/></robot>", 4, "link '&c;'", "&c;");
    check_error(joint("type=\"fixed\"", "<origin xyz=\"&one; 0 0\"/>"), 3, "<origin> of joint 'j'", "&one;");
    check_error(joint("type=\"&kind;\""), 2, "joint 'j'", "&kind;");
    // A bare or escaped ampersand is no reference.
    CHECK(accept(robot("<link name=\"R&D\"/>")).robot.links.at(0).name == "R&D");
    CHECK(accept(robot("<link name=\"&amp;one;\"/>")).robot.links.at(0).name == "&one;");
    // Errors in elements that dynamics does not use are ignored.
    accept(robot("<link name=\"a\"><sensor name=\"&copy;\"/></link>"));
}

TEST_CASE("urdf refuses what xacro should have expanded, once") {
    const Reading reading =
        read(robot("<xacro:property name=\"mass\" value=\"1\"/>\n<link name=\"a\"><inertial>"
                   "<mass value=\"${mass}\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>\n"
                   "<link name=\"${prefix}b\"/><link name=\"${prefix}b\"/>"));
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::error, 2, "xacro:property", "<xacro:property> and 3 more"));
    CHECK(contains(reading.diagnostics[0].hint, "xacro robot.urdf > robot.expanded.urdf"));
    for (const auto& [name, command] :
         {std::pair("legs/arm.urdf.xacro", "xacro legs/arm.urdf.xacro > legs/arm.urdf"),
          std::pair("arm.xacro", "xacro arm.xacro > arm.urdf")}) {
        grbda::Diagnostics findings;
        grbda::read_urdf(robot("<xacro:property/>"), name, findings);
        CHECK(findings.at(0).hint == "expand it first: " + std::string(command));
    }
    check_error(joint("type=\"fixed\"", "<origin xyz=\"0 0 ${h}\"/>"), 3, "<origin> of joint 'j'",
                "'0 0 ${h}'");
    const Reading visual = read(robot("<link name=\"a\">\n<visual name=\"$(arg v)\"/></link>"));
    CHECK(visual.count(Severity::error) == 0);
    CHECK(has(visual, Severity::warning, 3, "visual", "in name"));
    check_error(robot("<link name=\"a\">\n<xacro:box/></link>"), 3, "xacro:box", "expand it first");
}

TEST_CASE("urdf lists what it ignores in one note") {
    const Reading reading = accept(
        robot("<material name=\"m\"/><material name=\"m\"/><link name=\"a\">\n"
              "<sensor/></link><transmission name=\"t\"><type>x</type></transmission>\n<gazebo/><gazebo/>"
              "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/><safety_controller/>"
              "<joint_properties friction=\"0\"/></joint>"));
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::note, 3, "robot 'r'",
              "<sensor>, <transmission>, <gazebo> (2 times), <safety_controller>, <joint_properties>"));
}

TEST_CASE("urdf elements in the wrong place are ignored, not read") {
    const Reading reading = accept(robot("<group><link name=\"a\"/></group><mass value=\"x\"/>"));
    CHECK(reading.robot.links.empty());
    CHECK(has(reading, Severity::note, 2, "robot 'r'", "<group>, <mass>"));
}

TEST_CASE("urdf with elements nested a hundred thousand deep needs no deep stack") {
    constexpr int depth = 100000;
    std::string text;
    for (int i = 0; i < depth; ++i) text += "<x a=\"1\">";
    for (int i = 0; i < depth; ++i) text += "</x>";
    const Reading reading = accept(robot(text));
    CHECK(reading.diagnostics.size() == 1);
}

TEST_CASE("urdf with a hundred thousand links is read") {
    constexpr std::size_t links = 100000;
    std::string text;
    for (std::size_t i = 0; i < links; ++i) text += "<link name=\"l" + std::to_string(i) + "\"/>\n";
    const Reading reading = accept(robot(text));
    REQUIRE(reading.robot.links.size() == links);
    CHECK(reading.robot.links.back().where.line == static_cast<int>(links) + 1);
}
