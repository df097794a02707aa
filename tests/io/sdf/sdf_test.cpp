#include "grbda/io/file.hpp"
#include "io/sdf/sdf_fixture.hpp"

#include <algorithm>

// The SDF reader: versions, worlds, models, names, links, and the tree under "world".

using namespace sdf_test;
using grbda::JointType;
using grbda::Severity;

namespace {

std::string inertial(const std::string& inside, const std::string& attributes = "") {
    return model("<link name=\"a\"><inertial" + attributes + ">\n" + inside + "</inertial></link>");
}

std::vector<std::string> link_names(const Reading& reading) {
    std::vector<std::string> names;
    for (const grbda::LinkDescription& link : reading.robot.links) names.push_back(link.name);
    return names;
}

}  // namespace

TEST_CASE("sdf knows its versions") {
    for (const char* version : {"1.2", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12"}) {
        accept(model(solid("a"), version));
    }
    for (const char* version : {"1.0", "1.1", "2.0", "1", "1.x", "", "1.4.2", "latest"}) {
        const Reading reading = read(model(solid("a"), version));
        CHECK(reading.count(Severity::error) == 1);
    }
    CHECK(has(read(model(solid("a"), "1.13")), Severity::warning, 1, "<sdf>", "read as 1.12"));
    check_error("<sdf><model name=\"m\"/></sdf>", 1, "<sdf>", "'version', found none");
    check_error("<robot name=\"r\"/>", 1, "robot 'r'", "outermost element <sdf>");
    check_error("<sdf version=\"1.7\"", 1, "file", "well-formed XML");
    check_error("<sdf version=\"1.7\"/>", 1, "<sdf>", "a <model>, found none");
}

TEST_CASE("sdf is called gazebo in old files") {
    const Reading reading =
        accept("<gazebo version=\"1.2\"><model name=\"m\">\n" + solid("a") + "</model></gazebo>");
    CHECK(link_names(reading) == std::vector<std::string>{"world", "a"});
    CHECK(reading.link("a").where.line == 2);
    grbda::Diagnostics findings;
    CHECK(grbda::detect_format("<gazebo version=\"1.2\"/>", "old.sdf", findings) == grbda::Format::sdf);
}

TEST_CASE("sdf names links of one model plainly and those of several by model") {
    CHECK(link_names(accept(model(solid("a") + solid("b")))) == std::vector<std::string>{"world", "a", "b"});
    const std::string one = "<model name=\"one\">" + solid("a") + "</model>";
    const std::string two =
        "<model name=\"two\">" + solid("a") + "<model name=\"in\">" + solid("a") + "</model></model>";
    CHECK(link_names(accept(world(one))) == std::vector<std::string>{"world", "a"});
    CHECK(link_names(accept(world(two))) == std::vector<std::string>{"world", "a", "in::a"});
    const Reading both = accept(world(one + two));
    CHECK(link_names(both) == std::vector<std::string>{"world", "one::a", "two::a", "two::in::a"});
    CHECK(both.robot.name == "w");
    CHECK(accept(world(one)).robot.name == "one");
}

TEST_CASE("sdf names of siblings are unique") {
    check_error(model(solid("a") + solid("a")), 3, "link 'a'", "again, first in line 2");
    check_error(model(solid("a") + "<frame name=\"a\"/>"), 3, "frame 'a'", "again, first in line 2");
    check_error(model(solid("a") + solid("b") + joint("a", "fixed", "a", "b", "")), 4, "joint 'a'",
                "again, first in line 2");
    check_error(model("<link/>"), 2, "<link> of model 'm'", "'name', found none");
    check_error(model(solid("__a__")), 2, "link '__a__'", "does not reserve");
    check_error(model("<frame name=\"world\"/>" + solid("a")), 2, "frame 'world'", "does not reserve");
}

TEST_CASE("sdf reads a link called world as the world, or as a body with another name") {
    // without content: the world, whatever hangs on it
    const Reading empty =
        accept(model("<link name=\"world\"/>\n" + solid("a") + joint("j", "revolute", "world", "a")));
    CHECK(link_names(empty) == std::vector<std::string>{"world", "a"});
    CHECK(empty.joint("j").parent == "world");
    CHECK(has(empty, Severity::note, 2, "link 'world'", "taken for the world itself"));
    // a body that nothing refers to: a body
    for (const char* version : {"1.6", "1.11"}) {
        const Reading body = accept(model(solid("world") + solid("world_link"), version));
        CHECK(link_names(body) == std::vector<std::string>{"world", "world_link_", "world_link"});
        CHECK(has(body, Severity::note, 2, "link 'world'",
                  "called 'world_link_', 'world' is what everything hangs on"));
    }
    // a body, and something that hangs on it or on the world
    check_error(model(solid("world") + solid("a") + joint("j", "revolute", "world", "a")), 2, "link 'world'",
                "another name, as 'world' in line 4 means the world itself");
    check_error(model(solid("world") + "<link name=\"a\"><pose relative_to=\"world\"/></link>"), 2,
                "link 'world'", "delete it if it stands for the world");
}

TEST_CASE("sdf gives the only model a name where it has none") {
    const Reading one = accept("<sdf version=\"1.7\"><model>\n" + solid("a") + "</model></sdf>");
    CHECK(one.robot.name == "robot");
    CHECK(link_names(one) == std::vector<std::string>{"world", "a"});
    CHECK(has(one, Severity::note, 1, "<model>", "called 'model', it has no name"));
    check_error(world("<model>" + solid("a") + "</model>\n<model name=\"b\">" + solid("a") + "</model>"), 2,
                "<model> of world 'w'", "'name', found none");
}

TEST_CASE("sdf before 1.7 lets a link and a joint share a name, which means the link") {
    const std::string text = solid("a", "1 0 0 0 0 0") + solid("b", "0 2 0 0 0 0") +
                             joint("a", "fixed", "world", "b", "<pose frame=\"a\">0 0 3 0 0 0</pose>");
    const Reading reading = accept(model(text, "1.6"));
    CHECK(reading.joint("a").origin.translation == Eigen::Vector3d(1, 0, 3));
}

TEST_CASE("sdf refuses files within files by name") {
    const std::string include = "<include><uri>model://hand</uri></include>";
    check_error(model(solid("a") + include), 3, "<include> of model 'm'", "model://hand");
    check_error(world(include + "\n<model name=\"m\">" + solid("a") + "</model>"), 2,
                "<include> of world 'w'", "not read from a file");
}

TEST_CASE("sdf takes gravity from the world, or before 1.6 from its physics") {
    const std::string robot = "<model name=\"m\">" + solid("a") + "</model>";
    CHECK_FALSE(accept(world(robot)).robot.gravity);
    CHECK(*accept(world("<gravity>1 2 -3</gravity>" + robot)).robot.gravity == Eigen::Vector3d(1, 2, -3));
    const std::string old = "<physics type=\"ode\"><gravity>0 0 -1.6</gravity></physics>";
    CHECK(*accept(world(old + robot, "1.4")).robot.gravity == Eigen::Vector3d(0, 0, -1.6));
    check_error(world("<gravity>0 0</gravity>" + robot), 2, "<gravity> of world 'w'", "3 finite numbers");
}

TEST_CASE("sdf links have mass and inertia about the centre of mass in link axes") {
    const Reading reading =
        accept(inertial("<pose degrees=\"true\">1 2 3 0 0 90</pose><mass>4</mass>"
                        "<inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy><ixz>0.2</"
                        "ixz><iyz>0.3</iyz></inertia>"));
    const grbda::Inertial& found = *reading.link("a").inertial;
    Eigen::Matrix3d expected;
    expected << 2, -0.1, -0.3, -0.1, 1, 0.2, -0.3, 0.2, 2.5;  // x → y, y → −x
    CHECK(found.mass == 4);
    CHECK(found.com == Eigen::Vector3d(1, 2, 3));
    CHECK((found.inertia - expected).norm() < 1e-15);
}

TEST_CASE("sdf gives links defaults for missing elements and reports them") {
    const std::string moments = "<inertia><ixx>3</ixx><iyy>3</iyy><izz>3</izz></inertia>";
    const auto check = [](const std::string& text, double mass, double moment) {
        INFO(text);
        const Reading reading = accept(text);
        CHECK(reading.link("a").inertial->mass == mass);
        CHECK(reading.link("a").inertial->inertia == moment * Eigen::Matrix3d::Identity());
        CHECK(has(reading, Severity::note, 2, "link 'a'", "SDF's defaults"));
    };
    check(model("<link name=\"a\"/>"), 1, 1);
    check(inertial(""), 1, 1);
    check(inertial("<mass>5</mass>"), 5, 1);
    check(inertial(moments), 1, 3);
    check(inertial("<mass>5</mass><inertia><iyy>1</iyy></inertia>"), 5, 1);
    CHECK_FALSE(
        contains(to_string(accept(inertial("<mass>1</mass>" + moments)).diagnostics.at(0)), "defaults"));
}

TEST_CASE("sdf reports links without inertial once") {
    std::string links;
    for (int i = 0; i < 20; ++i) links += "<link name=\"l" + std::to_string(i) + "\"/>";
    const Reading reading = accept(model(links));
    CHECK(has(reading, Severity::note, 2, "link 'l0'", "'l7' and 12 more"));
    CHECK(reading.count(Severity::note) == 21);  // and each is free
}

TEST_CASE("sdf refuses inertials that it cannot read") {
    check_error(inertial("<mass>1</mass>", " auto=\"true\""), 2, "<inertial> of link 'a'",
                "collisions that have a volume");
    check_later_error(grbda::Code::out_of_range, inertial("<mass>-1</mass>"), 3, "link 'a'",
                      "zero or more, found -1");
    check_error(inertial("<mass>nan</mass>"), 3, "<mass> of link 'a'", "a finite number, found 'nan'");
    check_error(inertial("<inertia><ixx>one</ixx></inertia>"), 3, "<ixx> of link 'a'", "found 'one'");
    check_error(inertial("<pose relative_to=\"m\">0 0 0 0 0 0</pose>"), 3, "<pose> of link 'a'",
                "relative to its link");
    CHECK(has(read(inertial("<fluid_added_mass><xx>1</xx></fluid_added_mass>")), Severity::warning, 3,
              "<fluid_added_mass> of link 'a'", "left out"));
}

TEST_CASE("sdf reports what it does not support") {
    const Reading reading =
        read(model("<link name=\"a\"><gravity>false</gravity><kinematic>true</kinematic>"
                   "<sensor name=\"r\" type=\"imu\"/><audio_source/><sensor name=\"s\" "
                   "type=\"imu\"/></link><plugin name=\"p\" "
                   "filename=\"p.so\"/>"));
    CHECK(has(reading, Severity::warning, 2, "<kinematic> of link 'a'", "moves by dynamics"));
    CHECK(has(reading, Severity::note, 2, "<sdf>", "<plugin>, <audio_source>"));
    CHECK(has(read(model("<link name=\"a\"><velocity_decay><linear>0.1</linear></velocity_decay></link>")),
              Severity::warning, 2, "<velocity_decay> of link 'a'", "left out"));
    accept(model("<link name=\"a\"><velocity_decay><linear>0</linear></velocity_decay></link>"));
    accept(model("<link name=\"a\"><gravity>1</gravity><kinematic>0</kinematic></link>"));
    check_error(model("<link name=\"a\"><gravity>yes</gravity></link>"), 2, "<gravity> of link 'a'",
                "true, false, 1 or 0");
}

TEST_CASE("sdf links without gravity have their weight carried") {
    const std::string inertial = "<inertial><pose>1 2 3 0 0 0</pose><mass>4</mass></inertial>";
    const auto link = [&](const std::string& gravity) {
        return accept(model("<link name=\"a\">" + inertial + gravity + "</link>")).link("a");
    };
    const grbda::LinkDescription carried = link("<gravity>false</gravity>");
    REQUIRE(carried.gravity_compensation.size() == 1);
    CHECK(carried.gravity_compensation[0].mass == 4);
    CHECK(carried.gravity_compensation[0].point == Eigen::Vector3d(1, 2, 3));
    CHECK(link("<gravity>true</gravity>").gravity_compensation.empty());
    CHECK(link("").gravity_compensation.empty());
}

TEST_CASE("sdf refuses constraints of other programs") {
    for (const char* name : {"drake:joint", "drake:ball_constraint", "drake:linear_bushing_rpy"}) {
        const std::string element = "<" + std::string(name);
        check_error(model(solid("a") + element + "/>"), 3, element + "> of model 'm'", "of SDF itself");
    }
    check_error(pair("revolute", "<axis><xyz>0 0 1</xyz></axis>\n<drake:mimic joint=\"k\"/>"), 5,
                "drake:mimic", "<mimic> in <axis>");
    accept(model(solid("a") + "<drake:collision_filter_group name=\"g\"/>"));
}

TEST_CASE("sdf refuses parts of the mechanism where it has no place for them") {
    for (const char* name : {"inertial", "axis", "mimic"}) {
        check_error(model(solid("a") + "<" + name + "/>"), 3, name, "it in <model>");
    }
    check_error(world("<link name=\"x\"/><model name=\"m\">" + solid("a") + "</model>"), 2, "link 'x'",
                "<link> in a <model>, found it in <world>");
    check_error(model("<link name=\"a\">\n<joint name=\"x\"/></link>"), 3, "joint 'x'", "it in <link>");
    check_error(model("<link name=\"a\">\n<model name=\"x\"/></link>"), 3, "model 'x'", "in a <world>");
    check_error(world("<population name=\"p\"/>\n<model name=\"m\">" + solid("a") + "</model>"), 2,
                "population 'p'", "one by one");
    accept(model(solid("a") + "<plugin><link>a</link><joint>j</joint><inertial/></plugin>"));
}

TEST_CASE("sdf models without links say that nothing can move, and rotors of other programs are left out") {
    const Reading reading = read(model("<static>1</static>"));
    CHECK(reading.count(Severity::error) == 0);
    CHECK(has(reading, Severity::warning, 1, "robot 'm'", "at least one <link>"));
    const auto rotor = [](const std::string& inertia) {
        return read(
            pair("universal",
                 "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>\n<drake:rotor_inertia>" +
                     inertia + "</drake:rotor_inertia>"));
    };
    const Reading left_out = rotor("0.1");
    REQUIRE(has(left_out, Severity::warning, 5, "<drake:rotor_inertia> of joint 'j'", "one axis"));
    for (const grbda::Diagnostic& entry : left_out.diagnostics)
        CHECK(entry.strict == (entry.severity == Severity::warning));
    CHECK(rotor("0").count(Severity::warning) == 0);
}

TEST_CASE("sdf inertials are placed in their own link, by its name too") {
    const auto link = [](const std::string& relative_to) {
        return model("<link name=\"a\"><inertial>\n<pose relative_to=\"" + relative_to +
                     "\">1 2 3 0 0 0</pose><mass>1</mass></inertial></link>" + solid("b"));
    };
    CHECK(accept(link("a")).link("a").inertial->com == Eigen::Vector3d(1, 2, 3));
    check_error(link("b"), 3, "<pose>", "relative_to='b'");
}

TEST_CASE("sdf refuses what xacro should have replaced") {
    check_error(model(solid("a") + "<xacro:arm name=\"b\"/>"), 3, "xacro:arm 'b'",
                "a file without xacro, found <xacro:arm> (expand it first: xacro");
    check_error(world("<model name=\"m\">" + solid("a") + "<xacro:arm/>\n<xacro:arm/></model>"), 3,
                "<xacro:arm>", "<xacro:arm> and 1 more");
}

TEST_CASE("sdf models that nothing holds float, in their pose") {
    const Reading reading = accept(model("<pose>1 2 3 0 0 0</pose>" + solid("a", "0 0 4 0 0 0") + solid("b") +
                                         joint("j", "revolute", "b", "a")));
    const grbda::JointDescription& free = reading.joint("b_free");
    CHECK(free.type == JointType::floating);
    CHECK(free.parent == "world");
    CHECK(free.child == "b");
    CHECK(free.origin.translation == Eigen::Vector3d(1, 2, 3));
    CHECK(has(reading, Severity::note, 3, "link 'b'", "floating joint 'b_free'"));
    CHECK(reading.robot.joints.size() == 2);
    const Reading held = accept(model(solid("a") + joint("j", "fixed", "world", "a", "")));
    CHECK(held.diagnostics.empty());
    CHECK(held.robot.joints.size() == 1);
}

TEST_CASE("sdf models of closed chains float by their first link") {
    const std::string links = solid("c") + solid("a") + solid("b");
    const Reading reading =
        accept(model(links + joint("ab", "revolute", "a", "b") + joint("bc", "revolute", "b", "c") +
                     joint("ca", "revolute", "c", "a")));
    CHECK(reading.joint("c_free").child == "c");
    CHECK(reading.robot.joints.size() == 4);
    CHECK(reading.robot.joints[0].name == "c_free");
}

TEST_CASE("sdf joints turn round where only their parent is left") {
    const std::string text = solid("palm") + solid("rod", "1 0 0 0 0 0") +
                             joint("mount", "fixed", "world", "palm", "") +
                             joint("pin", "prismatic", "rod", "palm", "<axis><xyz>0 2 0</xyz></axis>");
    const Reading reading = accept(model(text));
    const grbda::JointDescription& pin = reading.joint("pin");
    CHECK(pin.parent == "palm");
    CHECK(pin.child == "rod");
    CHECK(pin.axis == Eigen::Vector3d(0, -1, 0));
    CHECK(pin.origin.translation == Eigen::Vector3d(0, 0, 0));
    CHECK(pin.child_origin.translation == Eigen::Vector3d(-1, 0, 0));
    CHECK(has(reading, Severity::note, 5, "joint 'pin'", "turned round: hangs 'rod' on 'palm'"));
    CHECK(reading.robot.joints.size() == 2);
}

TEST_CASE("sdf static models are fixed in the world") {
    const std::string text = "<static>true</static><pose>0 0 5 0 0 0</pose>" + solid("a", "1 0 0 0 0 0") +
                             "<link name=\"b\"/>" + joint("j", "revolute", "a", "b") + "<model name=\"in\">" +
                             solid("c") + "</model>";
    const Reading reading = accept(model(text));
    REQUIRE(reading.robot.joints.size() == 3);
    for (const grbda::JointDescription& joint : reading.robot.joints) {
        CHECK(joint.type == JointType::fixed);
        CHECK(joint.parent == "world");
    }
    CHECK(reading.joint("a_static").origin.translation == Eigen::Vector3d(1, 0, 5));
    CHECK(has(reading, Severity::note, 3, "joint 'j'", "static"));
}

TEST_CASE("sdf models nest to a bound") {
    const auto nested = [](int depth) {
        std::string text = solid("a");
        for (int i = 0; i < depth; ++i) text = "<model name=\"m\">" + text + "</model>";
        return "<sdf version=\"1.9\">" + text + "</sdf>";
    };
    accept(nested(50));
    const Reading reading = read(nested(20000));
    CHECK(reading.count(Severity::error) == 1);
    CHECK(has(reading, Severity::error, 1, "model 'm'", "nested at most"));
}

TEST_CASE("sdf refuses names of models that every name inside would repeat") {
    const auto inside = [](std::size_t length) {
        const std::string name(length, 'n');
        return model(solid("a") + "<model name=\"" + name + "\">" + solid("b") + "</model>");
    };
    accept(inside(900));
    check_error(inside(1100), 3, "model 'nnn", "at most 1000 characters");
}
