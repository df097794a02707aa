#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "grbda/io/mjcf.hpp"
#include "io/folder_fixture.hpp"

// A model in several files is the model that they make when written as one.

using namespace folder_test;

namespace {

std::string mjcf(const std::string& inside) { return "<mujoco>\n" + inside + "\n</mujoco>\n"; }

const std::string inertial = "<inertial pos=\"0.1 0 0\" mass=\"2\" diaginertia=\"0.1 0.2 0.3\"/>";

std::string body(const std::string& name, const std::string& inside, const std::string& attributes = "") {
    return "<body name=\"" + name + "\" " + attributes + ">" + inertial + inside + "</body>";
}

std::string hinge(const std::string& name, const std::string& attributes = "") {
    return "<joint name=\"" + name + "\" " + attributes + "/>";
}

}  // namespace

TEST_CASE("an included file's elements replace the include") {
    const Folder folder;
    folder.write("parts/arm.xml", "<mujocoinclude>" +
                                      body("arm", hinge("elbow") + "<include file=\"hand.xml\"/>",
                                           "pos=\"0 0 1\" euler=\"0 30 0\"") +
                                      "</mujocoinclude>");
    folder.write("parts/hand.xml", mjcf(body("hand", hinge("wrist"), "pos=\"0.3 0 0\"")));
    folder.write("settings.xml",
                 mjcf("<compiler angle=\"degree\"/><default><joint armature=\"0.01\"/></default>"));
    folder.write("robot.xml",
                 mjcf("<include file=\"settings.xml\"/>\n<worldbody>" +
                      body("base", hinge("hip") + "<include file=\"parts/arm.xml\"/>") + "</worldbody>"));
    folder.write(
        "one.xml",
        mjcf("<compiler angle=\"degree\"/><default><joint armature=\"0.01\"/></default><worldbody>" +
             body("base",
                  hinge("hip") + body("arm", hinge("elbow") + body("hand", hinge("wrist"), "pos=\"0.3 0 0\""),
                                      "pos=\"0 0 1\" euler=\"0 30 0\"")) +
             "</worldbody>"));
    CHECK(whole(folder.at("robot.xml")) == whole(folder.at("one.xml")));
}

TEST_CASE("findings in an included file name that file, with line and column") {
    const Folder folder;
    folder.write("robot.xml", mjcf("<worldbody>\n\n<include file=\"parts/arm.xml\"/></worldbody>"));
    folder.write("parts/arm.xml",
                 "<mujoco>\n" + body("arm", "\n   " + hinge("j", "axis=\"0 0 0\"")) + "</mujoco>");
    const std::string words = refusal(folder, "robot.xml");
    CHECK(contains(words, "parts/arm.xml:3:4: error: joint 'j'"));

    folder.write("parts/arm.xml", "<mujoco>\n<body name=\"arm\"></mujoco>");
    CHECK(contains(refusal(folder, "robot.xml"), "parts/arm.xml:2:18: error: file: expected </body>"));
    folder.write("parts/arm.xml", "\xEF\xBB\xBF<mujoco>\n<body name=\"arm\" name=\"b\"/></mujoco>");
    CHECK(contains(refusal(folder, "robot.xml"),
                   "parts/arm.xml:2:1: error: body 'arm': expected each attribute once"));
    folder.write("parts/arm.xml", "");
    CHECK(contains(refusal(folder, "robot.xml"), "parts/arm.xml:1:1: error"));
}

TEST_CASE("a name that two files have is reported with both places") {
    const Folder folder;
    folder.write("arm.xml", mjcf(body("arm", hinge("j"))));
    folder.write("robot.xml",
                 mjcf("<worldbody>" + body("arm", hinge("k")) + "\n<include file=\"arm.xml\"/></worldbody>"));
    CHECK(contains(refusal(folder, "robot.xml"),
                   "arm.xml:2:1: error: body 'arm': expected a body name that no other "
                   "has, found 'arm' again, first in line 2 of robot.xml"));
}

TEST_CASE("files outside of the robot's folder are not included") {
    const Folder folder;
    folder.write("elsewhere/arm.xml", mjcf(body("arm", hinge("j"))));
    const auto robot_with = [&](const std::string& file) {
        folder.write("robot/robot.xml", mjcf("<worldbody><include file=\"" + file + "\"/></worldbody>"));
        return refusal(folder, "robot/robot.xml");
    };
    const std::string elsewhere = "expected a file below the folder of the robot's file";
    CHECK(contains(robot_with("../elsewhere/arm.xml"), elsewhere));
    CHECK(contains(robot_with("../elsewhere/arm.xml"), "which lies elsewhere"));
    CHECK(contains(robot_with(folder.at("elsewhere/arm.xml")), "which lies elsewhere"));
    CHECK(contains(robot_with("/etc/passwd"), "which lies elsewhere"));
    CHECK(contains(robot_with("missing.xml"), "which is not there"));
    CHECK(contains(robot_with(""), "error"));
    std::filesystem::create_symlink(folder.at("elsewhere/arm.xml"), folder.at("robot/link.xml"));
    CHECK(contains(robot_with("link.xml"), "which lies elsewhere"));
    std::filesystem::create_directory_symlink(folder.at("elsewhere"), folder.at("robot/folder"));
    CHECK(contains(robot_with("folder/arm.xml"), "which lies elsewhere"));
    // a folder whose name begins as the robot's does
    folder.write("robot_two/arm.xml", mjcf(body("arm", hinge("j"))));
    CHECK(contains(robot_with("../robot_two/arm.xml"), "which lies elsewhere"));

    CHECK_FALSE(whole(folder.at("robot/robot.xml"), {folder.at("robot_two")}).empty());
    CHECK(refusal(folder, "robot/robot.xml", {folder.at("nowhere")}) != "");
    robot_with("arm.xml");
    CHECK_FALSE(whole(folder.at("robot/robot.xml"), {folder.at("elsewhere")}).empty());
}

TEST_CASE("paths that are not files are not included") {
    const Folder folder;
    folder.write("robot.xml", mjcf("<worldbody><include file=\"part\"/></worldbody>"));
    std::filesystem::create_directory(folder.at("part"));
    CHECK(contains(refusal(folder, "robot.xml"), "a folder"));
    folder.write("robot.xml", mjcf("<worldbody><include file=\"robot.xml/part\"/></worldbody>"));
    CHECK(contains(refusal(folder, "robot.xml"), "which is not there"));
    folder.write("robot.xml", mjcf("<worldbody><include file=\"other.urdf\"/></worldbody>"));
    folder.write("other.urdf", "<robot name=\"r\"><link name=\"a\"/></robot>");
    CHECK(contains(refusal(folder, "robot.xml"),
                   "other.urdf:1:1: error: robot 'r': expected the outermost element"));
    folder.write("other.urdf", "<mujoco/>");
    CHECK(contains(refusal(folder, "robot.xml"), "expected elements to include, found none"));
}

TEST_CASE("each file is included once, so there are no cycles") {
    const Folder folder;
    folder.write("robot.xml", mjcf("<worldbody><include file=\"robot.xml\"/></worldbody>"));
    CHECK(contains(refusal(folder, "robot.xml"), "expected each file at most once in a model"));
    folder.write("robot.xml", mjcf("<worldbody><include file=\"a.xml\"/></worldbody>"));
    folder.write("a.xml", mjcf("<include file=\"b.xml\"/>"));
    folder.write("b.xml", mjcf("<include file=\"./a.xml\"/>"));
    CHECK(contains(refusal(folder, "robot.xml"), "b.xml:2:1: error"));
    std::filesystem::create_symlink(folder.at("a.xml"), folder.at("alias.xml"));
    folder.write("b.xml", mjcf("<include file=\"alias.xml\"/>"));
    CHECK(contains(refusal(folder, "robot.xml"), "expected each file at most once in a model"));
}

TEST_CASE("a text without a file includes nothing") {
    for (const std::string& inside :
         {std::string("<include file=\"robot.xml\"/>"),
          std::string("<asset><model name=\"m\" file=\"robot.xml\"/></asset>"
                      "<worldbody><attach model=\"m\" prefix=\"p\"/></worldbody>")}) {
        grbda::Diagnostics findings;
        grbda::read_mjcf(mjcf(inside), "robot.xml", findings);
        REQUIRE(findings.size() == 1);
        CHECK(contains(to_string(findings.front()), "was not read from a file"));
    }
}

TEST_CASE("files include each other 32 deep and no deeper") {
    const Folder folder;
    const auto chain = [&](int depth) {
        folder.write("robot.xml", mjcf("<worldbody><include file=\"1.xml\"/></worldbody>"));
        for (int i = 1; i < depth; ++i) {
            folder.write(std::to_string(i) + ".xml",
                         mjcf("<include file=\"" + std::to_string(i + 1) + ".xml\"/>"));
        }
        folder.write(std::to_string(depth) + ".xml", mjcf(body("b", hinge("j"))));
    };
    chain(32);
    CHECK_FALSE(whole(folder.at("robot.xml")).empty());
    chain(33);
    CHECK(contains(refusal(folder, "robot.xml"),
                   "32.xml:2:1: error: <include>: expected at most 32 files in each other, found more"));
}

TEST_CASE("more than a thousand files are refused, and two missing files are two errors") {
    const Folder folder;
    std::string all;
    for (int i = 0; i < 1001; ++i) {
        const std::string name = std::to_string(i) + ".xml";
        folder.write(name, mjcf(body("b" + name, hinge("j" + name))));
        all += "<include file=\"" + name + "\"/>";
    }
    folder.write("robot.xml", mjcf("<worldbody>" + all + "</worldbody>"));
    CHECK(contains(refusal(folder, "robot.xml"), "1000 included files"));
    folder.write("robot.xml", mjcf("<include file=\"x.xml\"/>\n<include file=\"y.xml\"/>"));
    const std::string words = refusal(folder, "robot.xml");
    CHECK(contains(words, "robot.xml:2:1"));
    CHECK(contains(words, "robot.xml:3:1"));
}

TEST_CASE("replicate copies as written out by hand, with numbered names") {
    const Folder folder;
    const auto finger = [](const std::string& number, const std::string& place) {
        return body("finger" + number,
                    hinge("knuckle" + number) +
                        body("tip" + number, hinge("joint" + number), "pos=\"0.2 0 0\"") +
                        "<site name=\"mark" + number + "\" pos=\"0 0 0.1\"/>",
                    place);
    };
    const std::string coupling =
        "<equality><joint joint1=\"joint\" joint2=\"knuckle\" polycoef=\"0 0.5\"/></equality>"
        "<actuator><motor joint=\"knuckle\"/></actuator>";
    folder.write("short.xml", mjcf("<compiler angle=\"degree\"/><worldbody><replicate count=\"3\" "
                                   "offset=\"0.1 0 0\" euler=\"0 0 90\">" +
                                   finger("", "pos=\"0 0 1\"") + "</replicate></worldbody>" + coupling));
    const auto copied = [](const std::string& n) {
        return "<joint joint1=\"joint" + n + "\" joint2=\"knuckle" + n + "\" polycoef=\"0 0.5\"/>";
    };
    // offsets 0.1 along x, then along y, as the frame of each copy has turned by 90 degrees
    folder.write("long.xml",
                 mjcf("<compiler angle=\"degree\"/><worldbody>" + finger("0", "pos=\"0 0 1\"") +
                      finger("1", "pos=\"0.1 0 1\" euler=\"0 0 90\"") +
                      finger("2", "pos=\"0.1 0.1 1\" euler=\"0 0 180\"") + "</worldbody><equality>" +
                      copied("0") + copied("1") + copied("2") +
                      "</equality><actuator><motor joint=\"knuckle0\"/><motor joint=\"knuckle1\"/>"
                      "<motor joint=\"knuckle2\"/></actuator>"));
    grbda::Diagnostics findings;
    const auto short_robot = grbda::read_description({folder.at("short.xml")}, findings);
    const auto long_robot = grbda::read_description({folder.at("long.xml")}, findings);
    CHECK_FALSE(has_errors(findings));
    REQUIRE(short_robot.joints.size() == long_robot.joints.size());
    for (std::size_t i = 0; i < short_robot.joints.size(); ++i) {
        const grbda::JointDescription &a = short_robot.joints[i], &b = long_robot.joints[i];
        CHECK(a.name == b.name);
        CHECK(a.parent == b.parent);
        CHECK(a.child == b.child);
        constexpr double rounding = 1e-15;  // of a quaternion and of the turns by 90 degrees
        CHECK((a.origin.translation - b.origin.translation).norm() <= rounding);
        CHECK((a.origin.rotation - b.origin.rotation).norm() <= 4 * rounding);
    }
    REQUIRE(short_robot.couplings.size() == 3);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(joints_of(short_robot.couplings[i]) == joints_of(long_robot.couplings[i]));
    CHECK(short_robot.actuated == long_robot.actuated);
    REQUIRE(short_robot.frames.size() == 3);
    CHECK(short_robot.frames[2].name == "mark2");
}

TEST_CASE("replicate in replicate numbers the inner one first, with as many digits as the count has") {
    const Folder folder;
    folder.write("robot.xml",
                 mjcf("<worldbody><replicate count=\"10\" sep=\"_\"><replicate count=\"2\" sep=\"-\">" +
                      body("b", hinge("j")) + "</replicate></replicate></worldbody>"));
    grbda::Diagnostics findings;
    const auto robot = grbda::read_description({folder.at("robot.xml")}, findings);
    CHECK_FALSE(has_errors(findings));
    REQUIRE(robot.joints.size() == 20);
    CHECK(robot.joints.front().name == "j-0_00");
    CHECK(robot.joints[1].name == "j-1_00");
    CHECK(robot.joints.back().name == "j-1_09");
}

TEST_CASE("replicate turns and moves as in the example of MuJoCo's reference") {
    const Folder folder;
    folder.write(
        "robot.xml",
        mjcf(
            "<compiler angle=\"degree\"/><worldbody><replicate count=\"2\" offset=\"0 1 0\" euler=\"90 0 0\">"
            "<replicate count=\"2\" sep=\"-\" offset=\"1 0 0\" euler=\"0 90 0\"><site "
            "name=\"a\"/></replicate>"
            "</replicate>" +
            body("b", hinge("j")) + "</worldbody>"));
    grbda::Diagnostics findings;
    const auto robot = grbda::read_description({folder.at("robot.xml")}, findings);
    CHECK_FALSE(has_errors(findings));
    const double half = std::sqrt(0.5);
    const std::vector<std::pair<std::string, Eigen::Vector3d>> places = {
        {"a-00", {0, 0, 0}}, {"a-10", {1, 0, 0}}, {"a-01", {0, 1, 0}}, {"a-11", {1, 1, 0}}};
    const std::vector<Eigen::Quaterniond> turns = {
        {1, 0, 0, 0}, {half, 0, half, 0}, {half, half, 0, 0}, {0.5, 0.5, 0.5, 0.5}};
    REQUIRE(robot.frames.size() == 4);
    constexpr double rounding = 1e-15;
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(robot.frames[i].name == places[i].first);
        CHECK((robot.frames[i].origin.translation - places[i].second).norm() <= rounding);
        CHECK((robot.frames[i].origin.rotation - turns[i].toRotationMatrix()).norm() <= 4 * rounding);
    }
}

TEST_CASE("replicate without a sensible count, or with far too many copies, is refused at once") {
    const Folder folder;
    const auto with = [&](const std::string& attributes, const std::string& inside) {
        folder.write("robot.xml", mjcf("<worldbody>\n<replicate " + attributes + ">" + inside +
                                       "</replicate></worldbody>"));
        return refusal(folder, "robot.xml");
    };
    for (const std::string& count :
         {std::string(""), std::string("count=\"0\""), std::string("count=\"-1\""),
          std::string("count=\"nan\""), std::string("count=\"2.5\""), std::string("count=\"1e99\""),
          std::string("count=\"99999999999999999999\""), std::string("count=\"many\"")}) {
        INFO(count);
        CHECK(contains(with(count, body("b", hinge("j"))), "robot.xml:3:1: error: <replicate>"));
    }
    CHECK(contains(with("count=\"1000000\"", body("b", hinge("j"))), "500000 elements and attributes"));
    std::string bomb = body("b", hinge("j"));
    for (int i = 0; i < 9; ++i) bomb = "<replicate count=\"10\">" + bomb + "</replicate>";
    CHECK(contains(with("count=\"10\"", bomb), "500000 elements and attributes"));
}

TEST_CASE("an error in a copied element is reported once") {
    const Folder folder;
    folder.write("robot.xml",
                 mjcf("<worldbody><replicate count=\"50\">\n" +
                      body("b", hinge("j", "axsi=\"0 0 1\" range=\"1 x\"")) + "</replicate></worldbody>"));
    const std::string words = refusal(folder, "robot.xml");
    CHECK(std::count(words.begin(), words.end(), '\n') == 2);
}

TEST_CASE("an element that refers into a replicate and out of it is refused") {
    const Folder folder;
    folder.write("robot.xml",
                 mjcf("<worldbody><replicate count=\"2\">" + body("b", hinge("j")) + "</replicate>" +
                      body("c", hinge("k")) +
                      "</worldbody>\n<equality>\n<joint joint1=\"j\" joint2=\"k\"/></equality>"));
    CHECK(contains(refusal(folder, "robot.xml"), "robot.xml:4:1: error"));
}
