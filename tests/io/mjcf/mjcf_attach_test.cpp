#include "io/folder_fixture.hpp"

// Models attached to a model, each as if it had been written there under new names.

using namespace folder_test;

namespace {

std::string mjcf(const std::string& inside) { return "<mujoco>\n" + inside + "\n</mujoco>\n"; }

const std::string inertial = "<inertial pos=\"0.1 0 0\" mass=\"2\" diaginertia=\"0.1 0.2 0.3\"/>";

/// In degrees, with a default class of its own, a loop and a motor.
const std::string leg = mjcf(
    "<default><joint damping=\"3\"/><default class=\"strong\"><joint armature=\"0.5\"/></default></default>"
    "<worldbody><frame pos=\"9 9 9\"><body name=\"thigh\" pos=\"0 0 -0.1\" euler=\"0 30 0\">" +
    inertial +
    "<joint name=\"hip\" class=\"strong\" range=\"-90 90\"/><body name=\"shank\" pos=\"0.3 0 0\">" +
    inertial + "<joint name=\"knee\"/></body></body></frame><body name=\"other\">" + inertial +
    "<joint name=\"loose\"/></body></worldbody>"
    "<equality><joint name=\"gear\" joint1=\"knee\" joint2=\"hip\" polycoef=\"0 2\"/>"
    "<joint joint1=\"loose\" polycoef=\"0\"/></equality>"
    "<actuator><motor joint=\"hip\"/></actuator><option gravity=\"0 0 -1\"/>");

/// Attached as `prefix`, in radians and written out.
std::string leg_by_hand(const std::string& p) {
    return "<body name=\"" + p + "thigh\" pos=\"0 0 -0.1\" euler=\"0 0.52359877559829887307 0\">" + inertial +
           "<joint name=\"" + p +
           "hip\" damping=\"3\" armature=\"0.5\" range=\"-1.57079632679489661923 "
           "1.57079632679489661923\"/><body name=\"" +
           p + "shank\" pos=\"0.3 0 0\">" + inertial + "<joint name=\"" + p +
           "knee\" damping=\"3\"/></body></body>";
}

std::string gear_by_hand(const std::string& p) {
    return "<joint name=\"" + p + "gear\" joint1=\"" + p + "knee\" joint2=\"" + p +
           "hip\" polycoef=\"0 2\"/>";
}

const std::string in_radians =
    "<compiler angle=\"radian\"/><default><joint stiffness=\"7\" damping=\"100\"/></default>";
const std::string asset = "<asset><model name=\"leg\" file=\"leg.xml\"/></asset>";

}  // namespace

TEST_CASE("an attached body is the same body written by hand, in its own angles and classes") {
    const Folder folder;
    folder.write("leg.xml", leg);
    const std::string trunk =
        "<worldbody><body name=\"trunk\" childclass=\"main\">" + inertial + "<freejoint name=\"free\"/>";
    folder.write("robot.xml",
                 mjcf(in_radians + asset + trunk +
                      "<frame pos=\"0.5 0 0\"><attach model=\"leg\" body=\"thigh\" prefix=\"left_\"/></frame>"
                      "<attach model=\"leg\" body=\"thigh\" prefix=\"right_\"/></body></worldbody>"));
    folder.write(
        "one.xml",
        mjcf("<compiler angle=\"radian\"/>" + trunk.substr(0, trunk.find(" childclass")) +
             trunk.substr(trunk.find('>', trunk.find(" childclass"))) + "<frame pos=\"0.5 0 0\">" +
             leg_by_hand("left_") + "</frame>" + leg_by_hand("right_") + "</body></worldbody><equality>" +
             gear_by_hand("left_") + gear_by_hand("right_") +
             "</equality><actuator><motor joint=\"left_hip\"/><motor joint=\"right_hip\"/></actuator>"));
    CHECK(whole(folder.at("robot.xml")) == whole(folder.at("one.xml")));
}

TEST_CASE("contents of an asset other than models are ignored") {
    const Folder folder;
    folder.write("leg.xml", leg);
    const auto words = [&](const std::string& more) {
        folder.write("robot.xml", mjcf(asset + more +
                                       "<worldbody><attach model=\"leg\" body=\"thigh\" "
                                       "prefix=\"left_\"/></worldbody>"));
        grbda::Diagnostics findings;
        grbda::read_description({folder.at("robot.xml")}, findings);
        return in_words(findings, folder);
    };
    CHECK_FALSE(contains(words(""), "ignored"));
    CHECK(contains(words("<asset><model name=\"m\" file=\"m.xml\"/><texture/></asset>"),
                   "ignored elements: <texture>\n"));
}

TEST_CASE("meshes and materials of an attached model are its own") {
    const Folder folder;
    const auto assets = [](const std::string& folder_of_meshes, const std::string& color) {
        return "<compiler meshdir=\"" + folder_of_meshes +
               "\"/><default><mesh scale=\"2 2 2\"/></default><asset><mesh file=\"skin.stl\"/><material "
               "name=\"paint\" rgba=\"" +
               color + "\"/></asset>";
    };
    const std::string skin = "<geom name=\"g\" type=\"mesh\" mesh=\"skin\" material=\"paint\"/>";
    folder.write("leg.xml", mjcf(assets("legs", "0 0 1 1") + "<worldbody><body name=\"thigh\">" + skin +
                                 inertial + "</body></worldbody>"));
    folder.write("robot.xml", mjcf(assets("all", "1 0 0 1") +
                                   "<asset><model name=\"leg\" file=\"leg.xml\"/></asset><worldbody>" + skin +
                                   "<attach model=\"leg\" body=\"thigh\" prefix=\"left_\"/>"
                                   "<attach model=\"leg\" body=\"thigh\" prefix=\"right_\"/></worldbody>"));
    grbda::Diagnostics findings;
    const grbda::RobotDescription robot = grbda::read_description({folder.at("robot.xml")}, findings);
    INFO(in_words(findings, folder));
    REQUIRE_FALSE(has_errors(findings));
    const auto check = [&](std::size_t link, const char* name, const char* mesh,
                           const Eigen::Vector4d& color) {
        REQUIRE(robot.links.at(link).shapes.size() == 1);
        const grbda::ShapeDescription& shape = robot.links[link].shapes[0];
        CHECK(shape.name == name);
        CHECK(shape.shape.mesh == mesh);
        CHECK(shape.shape.size == Eigen::Vector3d(2, 2, 2));
        CHECK(shape.color == color);
    };
    check(0, "g", "all/skin.stl", {1, 0, 0, 1});
    check(1, "left_g", "legs/skin.stl", {0, 0, 1, 1});
    check(2, "right_g", "legs/skin.stl", {0, 0, 1, 1});
}

TEST_CASE("without body or frame, all of a model's world is attached") {
    const Folder folder;
    folder.write("leg.xml", mjcf("<worldbody><body name=\"a\">" + inertial +
                                 "<joint name=\"j\"/></body><body name=\"b\">" + inertial +
                                 "<joint name=\"k\"/></body></worldbody>"));
    folder.write("robot.xml", mjcf(asset + "<worldbody><attach model=\"leg\" prefix=\"p/\"/></worldbody>"));
    folder.write("one.xml", mjcf("<worldbody><body name=\"p/a\">" + inertial +
                                 "<joint name=\"p/j\"/></body><body name=\"p/b\">" + inertial +
                                 "<joint name=\"p/k\"/></body></worldbody>"));
    CHECK(whole(folder.at("robot.xml")) == whole(folder.at("one.xml")));
}

TEST_CASE("a model asset without a name is called as its file calls the model") {
    const Folder folder;
    for (const char* name : {"a", "b"}) {
        folder.write(std::string(name) + ".xml", "<mujoco model=\"" + std::string(name) +
                                                     "\"><worldbody><body name=\"" + name + "\">" + inertial +
                                                     "<joint name=\"j\"/></body></worldbody></mujoco>");
    }
    folder.write("robot.xml", mjcf("<asset><model file=\"a.xml\"/><model file=\"b.xml\"/></asset><worldbody>"
                                   "<attach model=\"b\" body=\"b\" prefix=\"p\"/></worldbody>"));
    CHECK(contains(whole(folder.at("robot.xml")), "\"pb\""));
}

TEST_CASE("models attached to attached models keep their own settings; so do copies of them") {
    const Folder folder;
    folder.write("leg.xml", leg);
    folder.write("half.xml",
                 mjcf(asset +
                      "<compiler angle=\"radian\"/><default><joint damping=\"50\"/></default><worldbody>"
                      "<body name=\"pelvis\">" +
                      inertial +
                      "<joint name=\"waist\" range=\"-1 1\"/>"
                      "<attach model=\"leg\" body=\"thigh\" prefix=\"leg_\"/></body></worldbody>"));
    folder.write(
        "robot.xml",
        mjcf("<asset><model name=\"half\" file=\"half.xml\"/></asset><worldbody><replicate count=\"2\">"
             "<attach model=\"half\" body=\"pelvis\" prefix=\"h_\"/></replicate></worldbody>"));
    const auto half_by_hand = [](const std::string& n) {
        std::string text = leg_by_hand("h_leg_");
        for (const char* name : {"thigh", "shank", "hip", "knee"}) {
            const std::string whole_name = std::string("h_leg_") + name;
            text.insert(text.find("\"" + whole_name + "\"") + 1 + whole_name.size(), n);
        }
        return "<body name=\"h_pelvis" + n + "\">" + inertial + "<joint name=\"h_waist" + n +
               "\" damping=\"50\" range=\"-1 1\"/>" + text + "</body>";
    };
    const auto gear = [](const std::string& n) {
        return "<joint name=\"h_leg_gear" + n + "\" joint1=\"h_leg_knee" + n + "\" joint2=\"h_leg_hip" + n +
               "\" polycoef=\"0 2\"/>";
    };
    folder.write(
        "one.xml",
        mjcf("<compiler angle=\"radian\"/><worldbody>" + half_by_hand("0") + half_by_hand("1") +
             "</worldbody><equality>" + gear("0") + gear("1") +
             "</equality><actuator><motor joint=\"h_leg_hip0\"/><motor joint=\"h_leg_hip1\"/></actuator>"));
    CHECK(whole(folder.at("robot.xml")) == whole(folder.at("one.xml")));
}

TEST_CASE("a body of the model itself can be attached again") {
    const Folder folder;
    const auto arm = [](const std::string& p) {
        return "<body name=\"" + p + "arm\" pos=\"1 0 0\">" + inertial + "<joint name=\"" + p +
               "j\"/></body>";
    };
    folder.write("robot.xml", mjcf("<worldbody>" + arm("") +
                                   "<frame pos=\"0 1 0\"><attach body=\"arm\" prefix=\"second_\"/></frame>"
                                   "</worldbody><actuator><motor joint=\"j\"/></actuator>"));
    folder.write("one.xml", mjcf("<worldbody>" + arm("") + "<frame pos=\"0 1 0\">" + arm("second_") +
                                 "</frame></worldbody>"
                                 "<actuator><motor joint=\"j\"/><motor joint=\"second_j\"/></actuator>"));
    CHECK(whole(folder.at("robot.xml")) == whole(folder.at("one.xml")));
}

TEST_CASE("includes of an attached model are sought beside it") {
    const Folder folder;
    folder.write("legs/leg.xml", mjcf("<worldbody><include file=\"body.xml\"/></worldbody>"));
    folder.write("legs/body.xml", mjcf("<body name=\"a\">" + inertial + "<joint name=\"j\"/></body>"));
    folder.write("robot.xml", mjcf("<asset><model name=\"leg\" file=\"legs/leg.xml\"/></asset><worldbody>"
                                   "<attach model=\"leg\" body=\"a\" prefix=\"1\"/><attach model=\"leg\" "
                                   "body=\"a\" prefix=\"2\"/></worldbody>"));
    CHECK_FALSE(whole(folder.at("robot.xml")).empty());
}

TEST_CASE("errors of impossible attachments say why") {
    const Folder folder;
    folder.write("leg.xml", leg);
    const auto with = [&](const std::string& element, const std::string& assets = asset) {
        folder.write("robot.xml", mjcf(assets + "<worldbody><body name=\"left_thigh\">" + inertial +
                                       "<joint name=\"x\"/>\n" + element + "</body></worldbody>"));
        return refusal(folder, "robot.xml");
    };
    CHECK(contains(with("<attach model=\"leg\" body=\"thigh\"/>"),
                   "robot.xml:3:1: error: <attach> of body 'left_thigh': expected attribute 'prefix'"));
    CHECK(contains(with("<attach model=\"lge\" body=\"thigh\" prefix=\"\"/>"), "did you mean 'leg'?"));
    CHECK(contains(with("<attach model=\"leg\" body=\"tigh\" prefix=\"\"/>"),
                   "expected the name of a <body> of that model, found 'tigh'"));
    CHECK(contains(with("<attach body=\"left_thigh\" prefix=\"p\"/>"), "which this stands in"));
    CHECK(contains(with("<attach prefix=\"p\"/>"), "neither"));
    CHECK(contains(with("<attach model=\"leg\" body=\"a\" frame=\"b\" prefix=\"p\"/>"), "both"));
    CHECK(contains(with("<attach model=\"leg\" body=\"thigh\" prefix=\"left_\"/>"), "'left_thigh' again"));
    CHECK(contains(with("<attach model=\"leg\" body=\"thigh\" prefix=\"a\"/><attach model=\"leg\" "
                        "body=\"thigh\" prefix=\"a\"/>"),
                   "'athigh' again"));
    CHECK(contains(
        with("<attach model=\"m\" prefix=\"a\"/>", "<asset><model name=\"m\" file=\"../leg.xml\"/></asset>"),
        "robot.xml:2:8: error"));
    folder.write("other.xml", leg);
    CHECK(contains(with("<attach model=\"leg\" body=\"thigh\" prefix=\"a\"/><attach model=\"m\" "
                        "body=\"other\" prefix=\"a\"/>",
                        asset + "<asset><model name=\"m\" file=\"other.xml\"/></asset>"),
                   "expected a prefix that no other model is attached with"));
}

TEST_CASE("models attached to themselves, directly or not, are refused, and so are too many") {
    const Folder folder;
    const auto model = [&](const std::string& name, const std::string& other, int copies) {
        std::string attachments;
        for (int i = 0; i < copies; ++i) {
            attachments +=
                "<attach model=\"m\" prefix=\"" + std::string(1, static_cast<char>('a' + i)) + "\"/>";
        }
        folder.write(
            name, mjcf("<asset><model name=\"m\" file=\"" + other + "\"/></asset><worldbody><body name=\"" +
                       "b\">" + inertial + "<joint name=\"j\"/>" + attachments + "</body></worldbody>"));
    };
    model("robot.xml", "robot.xml", 1);
    CHECK(contains(refusal(folder, "robot.xml"), "attached in itself"));
    model("robot.xml", "a.xml", 1);
    model("a.xml", "b.xml", 1);
    std::filesystem::create_symlink(folder.at("a.xml"), folder.at("alias.xml"));
    model("b.xml", "alias.xml", 1);
    CHECK(contains(refusal(folder, "robot.xml"), "attached in itself"));
    for (int i = 0; i < 25; ++i) model(std::to_string(i) + ".xml", std::to_string(i + 1) + ".xml", 3);
    folder.write("25.xml", leg);
    CHECK(contains(refusal(folder, "0.xml"), "error"));
}

TEST_CASE("models are attached to each other 32 deep and no deeper, with the files that they include") {
    const Folder folder;
    const auto chain = [&](int depth, const std::string& innermost) {
        for (int i = 0; i < depth; ++i) {
            const std::string next = std::to_string(i + 1) + ".xml";
            folder.write(std::to_string(i) + ".xml",
                         mjcf("<asset><model name=\"m\" file=\"" + next +
                              "\"/></asset><worldbody><attach model=\"m\" prefix=\"p\"/></worldbody>"));
        }
        folder.write(std::to_string(depth) + ".xml", innermost);
    };
    const std::string body = "<body name=\"b\">" + inertial + "<joint name=\"j\"/></body>";
    const std::string whole_model = mjcf("<worldbody>" + body + "</worldbody>");
    chain(32, whole_model);
    CHECK_FALSE(whole(folder.at("0.xml")).empty());
    chain(33, whole_model);
    const std::string too_deep = ": expected at most 32 files in each other, found more";
    CHECK(contains(refusal(folder, "0.xml"), "32.xml:2:8: error: model 'm'" + too_deep));
    folder.write("part.xml", mjcf(body));
    const std::string including = mjcf("<worldbody><include file=\"part.xml\"/></worldbody>");
    chain(31, including);
    CHECK_FALSE(whole(folder.at("0.xml")).empty());
    chain(32, including);
    CHECK(contains(refusal(folder, "0.xml"), "32.xml:2:12: error: <include>" + too_deep));
}

TEST_CASE("a loop of an attached model to a part that is not attached is omitted, with a warning") {
    const Folder folder;
    folder.write("leg.xml", mjcf("<worldbody><body name=\"a\">" + inertial +
                                 "<joint name=\"j\"/></body><body name=\"b\">" + inertial +
                                 "<joint name=\"k\"/></body></worldbody><equality>\n<joint joint1=\"j\" "
                                 "joint2=\"k\"/></equality>"));
    folder.write("robot.xml",
                 mjcf(asset + "<worldbody><attach model=\"leg\" body=\"a\" prefix=\"p\"/></worldbody>"));
    const grbda::Model model = grbda::load(folder.at("robot.xml"));
    const std::string words = in_words(model.diagnostics, folder);
    CHECK(contains(words, "leg.xml:3:1: warning"));
    CHECK(model.couplings.empty());
}
