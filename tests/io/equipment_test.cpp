#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "grbda/io/mjcf.hpp"
#include "grbda/io/sdf.hpp"
#include "grbda/io/urdf.hpp"

// Reductions, groups and sensors: from the file into the model, and back into a file.

namespace {

using grbda::Diagnostics;
using grbda::Mechanism;
using grbda::Model;
using grbda::RobotDescription;

const std::string robot =
    "<robot name=\"r\"><link name=\"base\"/>"
    "<link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
    "izz=\"1\"/></inertial></link>"
    "<link name=\"tip\"/>"
    "<joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 0 "
    "1\"/></joint>"
    "<joint name=\"k\" type=\"fixed\"><parent link=\"arm\"/><child link=\"tip\"/><origin xyz=\"0.5 0 "
    "0\"/></joint>"
    "<transmission name=\"t\"><joint name=\"j\"/><actuator "
    "name=\"m\"><mechanicalReduction>50</mechanicalReduction>"
    "</actuator></transmission>"
    "<group name=\"hand\"><link name=\"tip\"/><joint name=\"j\"/><joint name=\"k\"/></group>"
    "<gazebo reference=\"tip\"><sensor name=\"eye\" type=\"camera\"><pose>0.1 0.2 0.3 0 0 "
    "1</pose></sensor></gazebo>"
    "</robot>";

template <class Read>
Mechanism mechanism_of(const std::string& text, Read read) {
    Diagnostics findings;
    const grbda::RobotDescription description = read(text, "robot", findings);
    Mechanism mechanism = make_mechanism(description, {}, findings);
    for (const grbda::Diagnostic& finding : findings) UNSCOPED_INFO(to_string(finding));
    REQUIRE_FALSE(has_errors(findings));
    return mechanism;
}

Model model_of(const Mechanism& mechanism) {
    Diagnostics findings;
    return build_model(mechanism, {}, findings);
}

Mechanism from_urdf(const std::string& text) {
    return mechanism_of(text, [](const std::string& t, const std::string& file, Diagnostics& findings) {
        return grbda::read_urdf(t, file, findings);
    });
}

Mechanism from_sdf(const std::string& text) {
    return mechanism_of(text, [](const std::string& t, const std::string& file, Diagnostics& findings) {
        return grbda::read_sdf(t, file, findings);
    });
}

Mechanism from_mjcf(const std::string& text) {
    return mechanism_of(text, [](const std::string& t, const std::string& file, Diagnostics& findings) {
        return grbda::read_mjcf(t, file, findings);
    });
}

template <class Write>
std::string written(const Mechanism& mechanism, Write write) {
    Diagnostics findings;
    std::string text = write(mechanism, findings);
    REQUIRE_FALSE(has_errors(findings));
    return text;
}

void check_sensor(const Model& model) {
    REQUIRE(model.sensors.size() == 1);
    const grbda::Sensor& eye = model.sensors[0];
    CHECK(eye.name == "eye");
    CHECK(eye.type == "camera");
    CHECK(eye.body == 0);
    CHECK(eye.position.x == Approx(0.6));
    CHECK(eye.position.z == Approx(0.3));
    CHECK(eye.rotation.x.y == Approx(std::sin(1.)));
}

}  // namespace

TEST_CASE("a model has the reductions, groups and sensors of its file, and URDF+ keeps them") {
    const Mechanism mechanism = from_urdf(robot);
    for (const Mechanism& each : {mechanism, from_urdf(write_urdf(mechanism))}) {
        const Model model = model_of(each);
        REQUIRE(model.body_count() == 1);
        CHECK(model.reduction[0] == 50);
        check_sensor(model);
        CHECK(model.sensors[0].link == "tip");
        REQUIRE(model.groups.size() == 1);
        CHECK(model.groups[0].name == "hand");
        CHECK(model.groups[0].links == std::vector<std::string>{"tip"});
        CHECK(model.groups[0].joints == std::vector<std::string>{"j"});  // the fixed one does not move
    }
    CHECK(write_urdf(from_urdf(write_urdf(mechanism))) == write_urdf(mechanism));
}

TEST_CASE("SDF keeps sensors, and names those that it does not have as custom") {
    Mechanism mechanism = from_urdf(robot);
    check_sensor(model_of(from_sdf(written(mechanism, grbda::write_sdf))));
    mechanism.sensors[0].sensor.type = "gyro";
    const std::string text = written(mechanism, grbda::write_sdf);
    CHECK(text.find("type=\"custom\" gz:type=\"gyro\"") != std::string::npos);
    CHECK(model_of(from_sdf(text)).sensors[0].type == "gyro");
}

TEST_CASE("the rotor of a joint of SDF in the words of Drake is armature, and each format keeps it") {
    const std::string body =
        "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";
    const Mechanism mechanism =
        from_sdf("<sdf version=\"1.7\"><model name=\"m\"><link name=\"a\">" + body +
                 "</link><joint name=\"j\" type=\"revolute\"><parent>world</parent><child>a</child>"
                 "<axis><xyz>0 0 1</xyz></axis><drake:rotor_inertia>0.3</drake:rotor_inertia>"
                 "<drake:gear_ratio>-7.7</drake:gear_ratio></joint></model></sdf>");
    for (const Mechanism& each :
         {mechanism, from_sdf(written(mechanism, grbda::write_sdf)),
          from_mjcf(written(mechanism, grbda::write_mjcf)), from_urdf(write_urdf(mechanism))}) {
        const Model model = model_of(each);
        CHECK(model.reduction[0] == -7.7);
        CHECK(model.armature[0] == 0.3 * -7.7 * -7.7);
        CHECK(each.bodies[0].actuated);
    }
}

TEST_CASE("SDF keeps which joints with one axis have motors") {
    const auto joint = [](const std::string& name, const std::string& parent, const std::string& motor) {
        return "<link name=\"l" + name +
               "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>" +
               "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"" + parent +
               "\"/><child link=\"l" + name +
               "\"/><axis xyz=\"0 0 1\"/><dynamics armature=\"0.3\"/></joint>" + motor;
    };
    const auto motor = [](const std::string& name, const std::string& reduction) {
        return "<transmission name=\"t" + name + "\"><joint name=\"" + name + "\"/><actuator name=\"m" +
               name + "\"><mechanicalReduction>" + reduction +
               "</mechanicalReduction></actuator></transmission>";
    };
    const Mechanism mechanism =
        from_urdf("<robot name=\"r\"><link name=\"base\"/>" + joint("a", "base", motor("a", "50")) +
                  joint("b", "la", motor("b", "1")) + joint("c", "lb", "") + "</robot>");
    const Mechanism again = from_sdf(written(mechanism, grbda::write_sdf));
    REQUIRE(again.bodies.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(again.bodies[i].actuated == (i < 2));
        CHECK(again.bodies[i].reduction == mechanism.bodies[i].reduction);
        CHECK(again.bodies[i].armature == 0.3);
    }
}

TEST_CASE("a joint of SDF with a motor does not close a loop") {
    const auto link = [](const std::string& name, const std::string& pose) {
        return "<link name=\"" + name + "\"><pose>" + pose +
               " 0 0 0</pose><inertial><mass>1</mass></inertial></link>";
    };
    const auto joint = [](const std::string& name, const std::string& parent, const std::string& child,
                          const std::string& more) {
        return "<joint name=\"" + name + "\" type=\"revolute\"><parent>" + parent + "</parent><child>" +
               child + "</child><axis><xyz>0 0 1</xyz></axis>" + more + "</joint>";
    };
    const std::string text = "<sdf version=\"1.7\"><model name=\"m\">" + link("a", "0 0 0") +
                             link("b", "0 1 0") + link("c", "1 0 0") + joint("ja", "world", "a", "") +
                             joint("jb", "a", "b", "") + joint("jc", "world", "c", "") +
                             joint("jd", "c", "b", "<drake:gear_ratio>5</drake:gear_ratio>") +
                             "</model></sdf>";
    const Mechanism mechanism = from_sdf(text);
    REQUIRE(mechanism.bodies.size() == 3);
    REQUIRE(mechanism.loops.size() == 1);
    CHECK(mechanism.loops[0].name == "jb");
    for (const grbda::MechanismBody& body : mechanism.bodies) {
        CHECK(body.actuated == (body.joint == "jd"));
        CHECK(body.reduction == (body.joint == "jd" ? 5 : 1));
    }
}

TEST_CASE("a joint with a motor that closes a loop is written as MJCF") {
    const auto link = [](const std::string& name) {
        return "<link name=\"" + name +
               "\"><inertial><origin xyz=\"0.1 0 0\"/><mass value=\"1\"/><inertia ixx=\"0.01\" "
               "iyy=\"0.01\" izz=\"0.01\"/></inertial></link>";
    };
    const auto joint = [](const std::string& name, const std::string& parent, const std::string& child,
                          const std::string& x) {
        return "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"" + parent +
               "\"/><child link=\"" + child + "\"/><origin xyz=\"" + x +
               " 0 0\"/><axis xyz=\"0 1 0\"/></joint>";
    };
    const auto motor = [](const std::string& name) {
        return "<transmission name=\"of " + name + "\"><joint name=\"" + name + "\"/><actuator name=\"m" +
               name + "\"/></transmission>";
    };
    const Mechanism mechanism =
        from_urdf("<robot name=\"r\"><link name=\"base\"/>" + link("crank") + link("coupler") +
                  link("rocker") + joint("a", "base", "crank", "0") + joint("b", "crank", "coupler", "0.2") +
                  joint("c", "base", "rocker", "0.4") + joint("d", "coupler", "rocker", "0.4") + motor("c") +
                  motor("d") + "</robot>");
    Diagnostics findings;
    const std::string text = grbda::write_mjcf(mechanism, findings);
    REQUIRE_FALSE(has_errors(findings));
    const auto gives_mass = [](const grbda::Diagnostic& finding) {
        return to_string(finding).find("without mass 1e-3") != std::string::npos;
    };
    CHECK(std::count_if(findings.begin(), findings.end(), gives_mass) == 1);
    const Mechanism again =
        mechanism_of(text, [](const std::string& t, const std::string& file, Diagnostics& found) {
            return grbda::read_mjcf(t, file, found);
        });
    const Model model = model_of(again);
    CHECK(model.nv == model_of(mechanism).nv);
    double mass = 0;
    for (const grbda::MechanismBody& body : again.bodies) mass += body.inertia.mass;
    CHECK(mass == Approx(3.001));
}

TEST_CASE("the rotor of a gearbox joint is left out with a warning") {
    const std::string link =
        "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>";
    const auto joint = [](const std::string& name, const std::string& child) {
        return "<joint name=\"" + name + "\" type=\"revolute\"><parent>world</parent><child>" + child +
               "</child><axis><xyz>0 0 1</xyz></axis></joint>";
    };
    Diagnostics diagnostics;
    grbda::read_sdf("<sdf version=\"1.7\"><model name=\"m\"><link name=\"a\">" + link + "<link name=\"b\">" +
                        link + joint("ja", "a") + joint("jb", "b") +
                        "<joint name=\"g\" type=\"gearbox\"><parent>a</parent><child>b</child>"
                        "<axis><xyz>0 0 1</xyz></axis><gearbox_ratio>2</gearbox_ratio>"
                        "<gearbox_reference_body>world</gearbox_reference_body>"
                        "<drake:rotor_inertia>0.3</drake:rotor_inertia></joint></model></sdf>",
                    "robot.sdf", diagnostics);
    CHECK(std::count_if(diagnostics.begin(), diagnostics.end(), [](const grbda::Diagnostic& each) {
              return each.severity == grbda::Severity::warning && each.found == "'g'";
          }) == 1);
}

TEST_CASE("an impossible group or sensor is omitted with a warning") {
    Diagnostics diagnostics;
    RobotDescription description = grbda::read_urdf(robot, "robot.urdf", diagnostics);
    description.groups.push_back(description.groups.front());
    grbda::SensorDescription sensor = description.links.back().sensors.front();
    sensor.origin.translation.x() = std::nan("");
    description.links.back().sensors.push_back(sensor);
    sensor = description.links.back().sensors.front();
    sensor.name = "${prefix}imu";
    description.links.back().sensors.push_back(sensor);
    const Mechanism mechanism = make_mechanism(description, {}, diagnostics);
    REQUIRE_FALSE(has_errors(diagnostics));
    CHECK(mechanism.groups.size() == 1);
    CHECK(mechanism.sensors.size() == 1);
    CHECK(std::count_if(diagnostics.begin(), diagnostics.end(), [](const grbda::Diagnostic& each) {
              return each.severity == grbda::Severity::warning;
          }) == 3);
}

TEST_CASE("a sensor of Gazebo is in the link of its reference, or at the end of a joint of this name") {
    const auto with = [](const std::string& reference) {
        return std::string(
                   "<robot name=\"r\"><link name=\"same\"/><link name=\"tip\"><inertial><mass value=\"1\"/>"
                   "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
                   "<joint name=\"same\" type=\"continuous\"><parent link=\"same\"/><child link=\"tip\"/>"
                   "<axis xyz=\"0 0 1\"/></joint><gazebo reference=\"") +
               reference + "\"><sensor name=\"s\" type=\"imu\"/></gazebo></robot>";
    };
    Diagnostics diagnostics;
    const RobotDescription description = grbda::read_urdf(with("same"), "robot.urdf", diagnostics);
    CHECK(description.links[0].sensors.size() == 1);
    CHECK(description.links[1].sensors.empty());
    diagnostics.clear();
    grbda::read_urdf(with("else"), "robot.urdf", diagnostics);
    CHECK(std::any_of(diagnostics.begin(), diagnostics.end(), [](const grbda::Diagnostic& each) {
        return each.code == grbda::Code::unknown_name && each.found == "'else'";
    }));
}

TEST_CASE("MJCF keeps the gears of motors, and sensors at sites and bodies") {
    const Mechanism mechanism = from_mjcf(
        "<mujoco><worldbody><body name=\"arm\"><joint name=\"j\" type=\"hinge\"/>"
        "<geom size=\"0.1\"/><site name=\"s\" pos=\"0.1 0.2 0.3\"/></body></worldbody>"
        "<actuator><motor joint=\"j\" gear=\"-8\" forcelimited=\"true\" forcerange=\"-2 2\"/>"
        "<position joint=\"j\" gear=\"3\"/></actuator>"
        "<sensor><gyro name=\"spin\" site=\"s\"/><framepos objtype=\"xbody\" objname=\"arm\"/>"
        "<jointpos joint=\"j\"/></sensor></mujoco>");
    const std::string text = written(mechanism, grbda::write_mjcf);
    INFO(text);
    for (const Mechanism& each : {mechanism, from_mjcf(text)}) {
        const Model model = model_of(each);
        CHECK(model.reduction[0] == -8);
        REQUIRE(model.sensors.size() == 2);
        CHECK(model.sensors[0].name == "spin");
        CHECK(model.sensors[0].type == "gyro");
        CHECK(model.sensors[0].position.y == 0.2);
        CHECK(model.sensors[1].type == "framepos");
        CHECK(model.sensors[1].body == 0);
    }
    CHECK(written(from_mjcf(text), grbda::write_mjcf) == text);
}

TEST_CASE("a sensor that cannot be read does not refuse the robot") {
    std::string text = robot;
    const std::string pose = "0.1 0.2 0.3 0 0 1";
    text.replace(text.find(pose), pose.size(), "here");
    CHECK(model_of(from_urdf(text)).sensors.empty());
    CHECK(model_of(from_mjcf("<mujoco><worldbody><body><joint/><geom size=\"0.1\"/></body></worldbody>"
                             "<sensor><gyro site=\"missing\"/></sensor></mujoco>"))
              .sensors.empty());
}

TEST_CASE("a joint with several coordinates takes neither a reduction nor the inertia of a rotor") {
    std::string text = robot;
    text.replace(text.find("continuous"), 10, "floating");
    text.replace(text.find("<mechanicalReduction>"), 0, "<rotorInertia>1e-4</rotorInertia>");
    const Model model = model_of(from_urdf(text));
    REQUIRE(model.nv == 6);
    for (const double armature : model.armature) CHECK(armature == 0);
    for (const double reduction : model.reduction) CHECK(reduction == 1);
}

TEST_CASE("a group leaves out the name of a frame, and a second transmission of a joint is reported") {
    std::string text = robot;
    text.replace(text.find("<group"), 0,
                 "<frame name=\"tcp\" link=\"tip\"/>"
                 "<transmission name=\"u\"><joint name=\"j\"/><actuator name=\"n\">"
                 "<mechanicalReduction>7</mechanicalReduction></actuator></transmission>");
    text.replace(text.find("<joint name=\"j\"/><joint name=\"k\"/></group>"), 0, "<link name=\"tcp\"/>");
    Diagnostics findings;
    const grbda::RobotDescription read = grbda::read_urdf(text, "robot", findings);
    REQUIRE_FALSE(has_errors(findings));
    REQUIRE(read.groups.size() == 1);
    CHECK(read.groups[0].links == std::vector<std::string>{"tip"});
    CHECK(read.joints[0].reduction == 50);
    int told = 0;
    for (const grbda::Diagnostic& finding : findings)
        told += to_string(finding).find("another of 'j'") != std::string::npos ? 1 : 0;
    CHECK(told == 1);
}
