#include <algorithm>

#include "grbda/io/sdf.hpp"
#include "io/folder_fixture.hpp"

// A model in several files is the model that they make when written as one.

using namespace folder_test;

namespace {

std::string sdf(const std::string& inside, const std::string& version = "1.9") {
    return "<sdf version=\"" + version + "\">\n" + inside + "\n</sdf>\n";
}

std::string link(const std::string& name) {
    return "<link name=\"" + name +
           "\"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial></"
           "link>";
}

std::string hinge(const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name=\"" + name + "\" type=\"revolute\"><parent>" + parent + "</parent><child>" + child +
           "</child><axis><xyz>0 0 1</xyz></axis></joint>";
}

std::string arm(const std::string& name, const std::string& pose = "", const std::string& attributes = "") {
    return "<model name=\"" + name + "\"" + attributes + ">" + pose + link("upper") + link("lower") +
           "<frame name=\"mount\"><pose>0.1 0 0 0 0 0</pose></frame>" + hinge("elbow", "upper", "lower") +
           "</model>";
}

std::string include(const std::string& uri, const std::string& inside = "") {
    return "<include><uri>" + uri + "</uri>" + inside + "</include>";
}

std::string config(const std::string& file) {
    return "<?xml version=\"1.0\"?><model><name>arm</name><sdf version=\"1.5\">old.sdf</sdf><sdf "
           "version=\"1.9\">" +
           file + "</sdf></model>";
}

}  // namespace

TEST_CASE("an included model replaces the include, under the name and at the pose given there") {
    const Folder folder;
    folder.write("parts/arm.sdf", sdf(arm("arm", "<pose>5 5 5 0 0 0</pose>"), "1.6"));
    const std::string pose = "<pose relative_to=\"base\">1 2 3 0.1 0.2 0.3</pose>";
    const auto robot = [&](const std::string& first, const std::string& second) {
        return sdf("<model name=\"r\">" + link("base") + first + second +
                   hinge("shoulder", "base", "left::upper") + hinge("other", "base", "arm::upper") +
                   "</model>");
    };
    folder.write("robot.sdf",
                 robot(include("parts/arm.sdf", "<name>left</name>" + pose), include("parts/arm.sdf")));
    folder.write("one.sdf", robot(arm("left", pose), arm("arm", "<pose>5 5 5 0 0 0</pose>")));
    CHECK(whole(folder.at("robot.sdf")) == whole(folder.at("one.sdf")));
}

TEST_CASE("an include sets static and placement_frame of its model") {
    const Folder folder;
    folder.write("arm.sdf", sdf(arm("arm", "<static>false</static>")));
    const auto world = [&](const std::string& inside) {
        return sdf("<world name=\"w\">" + inside + "</world>");
    };
    const std::string pose = "<pose>1 0 0 0 0 1</pose>";
    folder.write("robot.sdf", world(include("arm.sdf", pose + "<placement_frame>mount</placement_frame>") +
                                    include("arm.sdf", "<name>still</name><static>true</static>")));
    folder.write("one.sdf", world(arm("arm", pose, " placement_frame=\"mount\"") +
                                  arm("still", "<static>true</static>")));
    CHECK(whole(folder.at("robot.sdf")) == whole(folder.at("one.sdf")));
}

TEST_CASE("the parts of a merged model are parts of the model, in their places") {
    const Folder folder;
    const std::string part =
        "<model name=\"part\"><pose>7 7 7 0 0 0</pose>" + link("upper") +
        "<link name=\"lower\"><pose>0 0 0.5 0 0 1</pose><inertial><mass>3</mass></inertial></link>"
        "<frame name=\"mount\"><pose>0.1 0 0 0 0 0</pose></frame>"
        "<frame name=\"tool\" attached_to=\"lower\"><pose relative_to=\"__model__\">0 0 2 0 0 "
        "0</pose></frame>"
        "<joint name=\"elbow\" type=\"revolute\"><parent>upper</parent><child>lower</child>"
        "<axis><xyz expressed_in=\"__model__\">1 0 0</xyz></axis></joint></model>";
    folder.write("part.sdf", sdf(part));
    const auto robot = [&](const std::string& parts, const std::string& p) {
        return sdf("<model name=\"r\">" + link("base") + parts + hinge("shoulder", "base", p + "upper") +
                   "</model>");
    };
    const std::string pose = "<pose>1 2 3 0.1 0.2 0.3</pose>";
    folder.write("merged.sdf",
                 robot("<include merge=\"true\"><uri>part.sdf</uri>" + pose + "</include>", ""));
    folder.write("nested.sdf", robot(include("part.sdf", pose), "part::"));
    grbda::Diagnostics findings;
    const auto merged = grbda::read_description({folder.at("merged.sdf")}, findings);
    const auto nested = grbda::read_description({folder.at("nested.sdf")}, findings);
    CHECK_FALSE(has_errors(findings));
    constexpr double rounding = 1e-14;
    const auto same_name = [](std::string with_scope, const std::string& name) {
        if (with_scope.rfind("part::", 0) == 0) with_scope.erase(0, 6);
        return with_scope == name;
    };
    REQUIRE(merged.joints.size() == nested.joints.size());
    for (const grbda::JointDescription& joint : merged.joints) {
        INFO(joint.name);
        const auto same = [&](const grbda::JointDescription& other) {
            return same_name(other.name, joint.name);
        };
        const auto other = std::find_if(nested.joints.begin(), nested.joints.end(), same);
        REQUIRE(other != nested.joints.end());
        CHECK((joint.origin.translation - other->origin.translation).norm() <= rounding);
        CHECK((joint.origin.rotation - other->origin.rotation).norm() <= rounding);
        CHECK((joint.axis - other->axis).norm() <= rounding);
    }
    for (const grbda::FrameDescription& frame : nested.frames) {
        INFO(frame.name);
        const auto same = [&](const grbda::FrameDescription& other) {
            return same_name(frame.name, other.name);
        };
        const auto other = std::find_if(merged.frames.begin(), merged.frames.end(), same);
        REQUIRE(other != merged.frames.end());
        CHECK(same_name(frame.link, other->link));
        CHECK((frame.origin.translation - other->origin.translation).norm() <= rounding);
        CHECK((frame.origin.rotation - other->origin.rotation).norm() <= rounding);
    }
}

TEST_CASE("a shape placed in its model stays there when the model is merged") {
    const Folder folder;
    const std::string ball =
        "<collision name=\"c\"><pose relative_to=\"__model__\">0 0 5 0 0 0</pose><geometry>"
        "<sphere><radius>1</radius></sphere></geometry></collision>";
    folder.write("part.sdf", sdf("<model name=\"part\"><link name=\"upper\"><pose>0 0 1 0 0 0</pose>" + ball +
                                 "</link></model>"));
    folder.write("robot.sdf",
                 sdf("<model name=\"r\">" + link("base") +
                     "<include merge=\"true\"><uri>part.sdf</uri><pose>1 2 3 0 0 0</pose></include>" +
                     hinge("shoulder", "base", "upper") + "</model>"));
    grbda::Diagnostics findings;
    const auto robot = grbda::read_description({folder.at("robot.sdf")}, findings);
    CHECK_FALSE(has_errors(findings));
    for (const grbda::LinkDescription& each : robot.links) {
        if (each.name != "upper") continue;
        REQUIRE(each.shapes.size() == 1);
        CHECK((each.shapes[0].origin.translation - Eigen::Vector3d(0, 0, 4)).norm() < 1e-14);
    }
}

TEST_CASE(
    "a world loads without Gazebo's sun and ground, which are left out with a warning, and with them where "
    "they are") {
    const Folder folder;
    const std::string scenery = include("model://sun") + include("model://ground_plane");
    const auto load = [&](const std::vector<std::string>& paths) {
        grbda::Diagnostics findings;
        const auto robot = grbda::read_description({folder.at("world.sdf")}, findings, paths);
        CHECK_FALSE(has_errors(findings));
        CHECK(robot.links.size() == (paths.empty() ? 3u : 4u));
        return in_words(findings, folder);
    };
    folder.write("world.sdf", sdf("<world name=\"w\">" + scenery + arm("arm") + "</world>"));
    const std::string words = load({});
    CHECK(contains(words, "'model://sun' (it is left out"));
    CHECK(contains(words, "'model://ground_plane' (it is left out"));
    folder.write("models/ground_plane/model.config", config("ground.sdf"));
    folder.write("models/ground_plane/ground.sdf",
                 sdf("<model name=\"ground\"><static>true</static><link name=\"ground\"/></model>"));
    CHECK_FALSE(contains(load({folder.at("models")}), "model://ground_plane"));
    folder.write("other.sdf", sdf("<world name=\"w\">" + include("model://table") + arm("arm") + "</world>"));
    CHECK(contains(refusal(folder, "other.sdf"), "'model://table', which is not there"));
}

TEST_CASE("a model that a world takes from a server is omitted, and the others stay") {
    const Folder folder;
    const std::string server = include("https://fuel.example/table");
    folder.write("with.sdf", sdf("<world name=\"w\">" + server + arm("arm") + "</world>"));
    folder.write("without.sdf", sdf("<world name=\"w\">" + arm("arm") + "</world>"));
    CHECK(whole(folder.at("with.sdf")) == whole(folder.at("without.sdf")));
    const auto findings_of = [&](const std::string& name) {
        grbda::Diagnostics findings;
        (void)grbda::read_description({folder.at(name)}, findings);
        CHECK_FALSE(has_errors(findings));
        return in_words(findings, folder);
    };
    CHECK(contains(findings_of("with.sdf"), "'https://fuel.example/table' (it is left out"));
    folder.write("alone.sdf", sdf("<world name=\"w\">" + server + "</world>"));
    CHECK(contains(findings_of("alone.sdf"), "at least one <link>"));
}

TEST_CASE("model:// is a folder below --path, whose model.config names the newest file") {
    const Folder folder;
    folder.write("models/arm/model.config", config("arm.sdf"));
    folder.write("models/arm/arm.sdf", sdf(arm("arm")));
    folder.write("models/arm/old.sdf", sdf(arm("wrong")));
    folder.write("robot/one.sdf", sdf("<world name=\"w\">" + arm("arm") + "</world>"));
    for (const char* uri : {"model://arm", "model://arm/arm.sdf", "model://arm/"}) {
        INFO(uri);
        folder.write("robot/robot.sdf", sdf("<world name=\"w\">" + include(uri) + "</world>"));
        CHECK(whole(folder.at("robot/robot.sdf"), {folder.at("models")}) ==
              whole(folder.at("robot/one.sdf")));
        CHECK(contains(refusal(folder, "robot/robot.sdf"), "expected a model in a folder given by --path"));
    }
    folder.write("robot/arm/model.config", config("arm.sdf"));
    folder.write("robot/arm/arm.sdf", sdf(arm("arm")));
    folder.write("robot/robot.sdf", sdf("<world name=\"w\">" + include("arm") + "</world>"));
    CHECK(whole(folder.at("robot/robot.sdf")) == whole(folder.at("robot/one.sdf")));
}

TEST_CASE("findings in an included model name its file and line") {
    const Folder folder;
    folder.write("arm.sdf", "<sdf version=\"1.9\">\n<model name=\"m\">\n  " + hinge("j", "a", "b") +
                                link("a") + "</model></sdf>");
    folder.write("robot.sdf", sdf("<world name=\"w\">" + include("arm.sdf") + "</world>"));
    CHECK(contains(refusal(folder, "robot.sdf"), "arm.sdf:3:"));
    folder.write("arm.sdf", "<sdf version=\"1.9\">\n<model name=\"m\"></sdf>");
    CHECK(contains(refusal(folder, "robot.sdf"), "arm.sdf:2:17: error: file: expected </model>"));
    folder.write("arm.sdf", "<sdf version=\"1.0\"><model name=\"m\"/></sdf>");
    CHECK(contains(refusal(folder, "robot.sdf"), "arm.sdf:1:1: error"));
}

TEST_CASE("errors of impossible includes say why") {
    const Folder folder;
    folder.write("arm.sdf", sdf(arm("arm")));
    const auto with = [&](const std::string& element) {
        folder.write("robot.sdf", sdf("<model name=\"r\">" + link("base") + "\n" + element + "</model>"));
        return refusal(folder, "robot.sdf");
    };
    CHECK(contains(with(include("../arm.sdf")), "robot.sdf:3:1: error"));
    CHECK(contains(with(include("/etc/passwd")), "which lies elsewhere"));
    CHECK(contains(with(include("model://../arm.sdf")), "expected a model in a folder"));
    CHECK(contains(with(include("https://fuel.example/arm")), "expected a relative path or model://"));
    CHECK(contains(with(include("")), "expected the name of a file"));
    const auto merging = [](const std::string& inside) {
        return "<include merge=\"true\"><uri>arm.sdf</uri>" + inside + "</include>";
    };
    CHECK(contains(with(merging("<static>true</static>")), "a static one"));
    CHECK(contains(with(merging("<pose>0 0 0 0 0 0</pose><placement_frame>mount</placement_frame>")),
                   "a merged model without placement_frame"));
    CHECK(
        contains(with(include("arm.sdf", "<placement_frame>mount</placement_frame>")), "expected a <pose>"));
    CHECK(contains(with(include("robot.sdf")), "in itself"));
    CHECK(contains(with(include("arm.sdf") + include("arm.sdf")), "'arm' again"));
    std::filesystem::create_directory(folder.at("empty"));
    CHECK(contains(with(include("empty")), "without one"));
    folder.write("robot.urdf", "<robot name=\"r\"/>");
    CHECK(contains(with(include("robot.urdf")), "expected the outermost element <sdf>"));
    folder.write("two.sdf", sdf(arm("a") + arm("b")));
    CHECK(contains(with(include("two.sdf")), "several"));
    folder.write("sun.sdf", sdf("<light name=\"sun\" type=\"directional\"/>"));
    CHECK(with(include("sun.sdf")) == "");
}

TEST_CASE("includes of a plugin are ignored") {
    const Folder folder;
    folder.write("robot.sdf", sdf("<world name=\"w\">" + arm("arm") + "<plugin name=\"p\"><sdf><model>" +
                                  include("https://x/y") + "</model></sdf></plugin></world>"));
    CHECK_FALSE(whole(folder.at("robot.sdf")).empty());
}

TEST_CASE("files that include each other end, and so do those that double") {
    const Folder folder;
    folder.write("robot.sdf", sdf("<model name=\"r\">" + link("base") + include("a.sdf") + "</model>"));
    folder.write("a.sdf", sdf("<model name=\"a\">" + link("base") + include("b.sdf") + "</model>"));
    std::filesystem::create_symlink(folder.at("a.sdf"), folder.at("alias.sdf"));
    folder.write("b.sdf", sdf("<model name=\"b\">" + link("base") + include("alias.sdf") + "</model>"));
    CHECK(contains(refusal(folder, "robot.sdf"), "b.sdf:2:"));
    for (int i = 0; i < 30; ++i) {
        const std::string next = std::to_string(i + 1) + ".sdf";
        folder.write(std::to_string(i) + ".sdf",
                     sdf("<model name=\"m\">" + link("base") + include(next, "<name>x</name>") +
                         include(next, "<name>y</name>") + "</model>"));
    }
    folder.write("30.sdf", sdf(arm("arm")));
    CHECK(contains(refusal(folder, "0.sdf"), "1000 included files"));
}

TEST_CASE("models include each other 32 deep and no deeper") {
    const Folder folder;
    const auto chain = [&](int depth) {
        for (int i = 0; i < depth; ++i) {
            folder.write(std::to_string(i) + ".sdf",
                         sdf("<model name=\"m\">" + link("base") +
                             include(std::to_string(i + 1) + ".sdf", "<name>x</name>") + "</model>"));
        }
        folder.write(std::to_string(depth) + ".sdf", sdf(arm("arm")));
    };
    chain(32);
    CHECK_FALSE(whole(folder.at("0.sdf")).empty());
    chain(33);
    const std::string words = refusal(folder, "0.sdf");
    CHECK(contains(words, "32.sdf:2:"));
    CHECK(contains(words, "expected at most 32 files in each other, found more"));
}

TEST_CASE("a text without a file includes no model") {
    grbda::Diagnostics findings;
    grbda::read_sdf(sdf("<model name=\"r\">" + include("arm.sdf") + "</model>"), "robot.sdf", findings);
    REQUIRE(findings.size() == 1);
    CHECK(contains(to_string(findings.front()), "was not read from a file"));
}
