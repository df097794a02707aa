#include "io/sdf/sdf_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

#include <Eigen/Geometry>

// The SDF reader: poses, their reference frames, and the links that carry frames.

using namespace sdf_test;
using grbda::Pose;
using grbda::Severity;

namespace {

constexpr double kRounding = 1e-14;  // of products of a few poses with entries of order one

double distance(const Pose& a, const Pose& b) {
    return (a.rotation - b.rotation).norm() + (a.translation - b.translation).norm();
}

/// Written out: Rz(yaw) Ry(pitch) Rx(roll).
Pose pose_of(double x, double y, double z, double roll, double pitch, double yaw) {
    using Eigen::AngleAxisd;
    Pose pose;
    pose.translation << x, y, z;
    pose.rotation = (AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) * AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
                     AngleAxisd(roll, Eigen::Vector3d::UnitX()))
                        .toRotationMatrix();
    return pose;
}

/// Six numbers as text and the pose that they are.
struct Written {
    std::string text;
    Pose pose;
};

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    double number() { return std::uniform_real_distribution<double>(-1, 1)(engine_); }
    std::size_t below(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine_);
    }
    Written pose() {
        const double v[] = {number(), number(), number(), 3 * number(), 1.5 * number(), 3 * number()};
        std::ostringstream text;
        text.precision(17);
        for (const double value : v) text << value << " ";
        return {text.str(), pose_of(v[0], v[1], v[2], v[3], v[4], v[5])};
    }

private:
    std::mt19937_64 engine_;
};

/// Frame 'f' as it was read, in the world: its link floats or is fixed there.
Pose in_world(const Reading& reading, const std::string& name) {
    for (const grbda::FrameDescription& frame : reading.robot.frames) {
        if (frame.name != name) continue;
        if (frame.link == "world") return frame.origin;
        for (const grbda::JointDescription& joint : reading.robot.joints)
            if (joint.child == frame.link && joint.parent == "world")
                return joint.origin * inverse(joint.child_origin) * frame.origin;
    }
    throw std::out_of_range("no frame " + name);
}

std::string posed(const std::string& kind, const std::string& name, const std::string& attributes,
                  const std::string& pose_attributes, const std::string& numbers) {
    return "<" + kind + " name=\"" + name + "\"" + attributes + "><pose" + pose_attributes + ">" + numbers +
           "</pose></" + kind + ">\n";
}

std::string relative_to(const std::string& name) { return " relative_to=\"" + name + "\""; }
std::string attached_to(const std::string& name) { return " attached_to=\"" + name + "\""; }

}  // namespace

TEST_CASE("sdf poses are extrinsic x-y-z in radians, or in degrees, or quaternions") {
    const Pose expected = pose_of(1, 2, 3, 0.5235987755982988, -0.7853981633974483, 2.0943951023931953);
    const Eigen::Quaterniond q(expected.rotation);
    std::ostringstream quaternion;
    quaternion.precision(17);
    quaternion << "1 2 3 " << q.x() << " " << q.y() << " " << q.z() << " " << q.w();
    const std::pair<std::string, std::string> spellings[] = {
        {"", "1 2 3 0.5235987755982988 -0.7853981633974483 2.0943951023931953"},
        {" rotation_format=\"euler_rpy\"",
         "\n\t+1 2.0 3e0\n0.5235987755982988 -.7853981633974483 2.0943951023931953 "},
        {" degrees=\"true\"", "1 2 3 30 -45 <!-- yaw --> 120"},
        {" degrees=\"1\" rotation_format=\"euler_rpy\"", "1 2 3 30 -45 120"},
        {" rotation_format=\"quat_xyzw\"", quaternion.str()}};
    for (const auto& [attributes, numbers] : spellings) {
        INFO(attributes);
        const Reading reading = accept(model(solid("a") + posed("frame", "f", "", attributes, numbers)));
        CHECK(distance(in_world(reading, "f"), expected) < kRounding);
    }
    for (const char* nothing : {"<pose/>", "<pose></pose>", "<pose> </pose>", ""}) {
        const Reading reading = accept(model(solid("a") + "<frame name=\"f\">" + nothing + "</frame>"));
        CHECK(distance(in_world(reading, "f"), Pose()) == 0);
    }
}

TEST_CASE("sdf refuses poses that it cannot read") {
    const auto frame = [](const std::string& attributes, const std::string& numbers) {
        return model(solid("a") + posed("frame", "f", "", attributes, numbers));
    };
    const std::string place = "<pose> of frame 'f'";
    check_error(frame("", "1 2 3"), 3, place, "6 finite numbers, found 3: '1 2 3'");
    check_error(frame("", "1 2 3 0 0 nan"), 3, place, "6 finite numbers");
    check_error(frame("", "1 2 3 0 0 ${yaw}"), 3, place, "6 finite numbers");
    check_error(frame(" rotation_format=\"quat_xyzw\"", "1 2 3 0 0 0"), 3, place, "7 finite numbers");
    check_error(frame(" rotation_format=\"quat_xyzw\"", "1 2 3 0 0 0 0"), 3, place, "zero");
    check_error(frame(" rotation_format=\"quat_wxyz\"", "1 2 3 0 0 0"), 3, place, "did you mean 'quat_xyzw'");
    check_error(frame(" rotation_format=\"quat_xyzw\" degrees=\"true\"", "1 2 3 0 0 0 1"), 3, place,
                "degrees");
    check_error(frame(" degrees=\"yes\"", "1 2 3 0 0 0"), 3, place, "true, false, 1 or 0");
    CHECK(has(read(frame(" rotation_format=\"quat_xyzw\"", "1 2 3 0 0 0 2")), Severity::warning, 3, place,
              "normalised"));
}

TEST_CASE("sdf poses default to the model for links and frames, to the child for joints") {
    Random random(1);
    const Written m = random.pose(), a = random.pose(), b = random.pose(), f = random.pose(),
                  g = random.pose(), j = random.pose();
    const std::string text =
        "<pose>" + m.text + "</pose>" + solid("a", a.text) + solid("b", b.text) +
        posed("frame", "f", "", "", f.text) + posed("frame", "g", attached_to("b"), "", g.text) +
        joint("j", "revolute", "a", "b", "<pose>" + j.text + "</pose><axis><xyz>0 0 1</xyz></axis>") +
        "<frame name=\"at_j\" attached_to=\"j\"/>" + joint("mount", "fixed", "world", "a", "");
    for (const char* version : {"1.4", "1.6", "1.7", "1.11"}) {
        const Reading reading = accept(model(text, version));
        CHECK(distance(in_world(reading, "f"), m.pose * f.pose) < kRounding);
        const grbda::JointDescription& joint = reading.joint("j");
        CHECK(distance(joint.child_origin, j.pose) < kRounding);
        CHECK(distance(joint.origin, inverse(a.pose) * b.pose * j.pose) < kRounding);
        CHECK(distance(reading.joint("mount").origin, m.pose * a.pose) < kRounding);
        CHECK(reading.robot.frames.at(0).link == "a");  // the model moves with its first link
        CHECK(reading.robot.frames.at(1).link == "b");
        CHECK(distance(reading.robot.frames.at(1).origin, g.pose) < kRounding);
        CHECK(reading.robot.frames.at(2).link == "b");
        CHECK(distance(reading.robot.frames.at(2).origin, j.pose) < kRounding);
    }
}

TEST_CASE("sdf poses through any chain of frames are the product of its poses") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Written of_model = random.pose();
        std::string text;
        std::vector<std::string> lines;
        std::map<std::string, Pose> expected{{"__model__", of_model.pose}};
        std::vector<std::string> names{"__model__"};
        for (int i = 0; i < 30; ++i) {
            const std::string base = names[random.below(names.size())];
            const std::string name = "n" + std::to_string(i);
            const Written pose = random.pose();
            const std::string carrier = i % 3 == 1 ? attached_to(names[random.below(names.size())]) : "";
            lines.push_back(
                posed(i % 3 == 0 ? "link" : "frame", name, carrier, relative_to(base), pose.text));
            expected[name] = expected.at(base) * pose.pose;
            names.push_back(name);
        }
        // Order in the file must not matter, but for the first link.
        for (std::size_t i = lines.size() - 1; i > 1; --i) std::swap(lines[i], lines[1 + random.below(i)]);
        for (const std::string& line : lines) text += line;
        const Reading reading = accept(model("<pose>" + of_model.text + "</pose>" + text));
        for (const grbda::FrameDescription& frame : reading.robot.frames)
            CHECK(distance(in_world(reading, frame.name), expected.at(frame.name)) < 10 * kRounding);
        for (const grbda::JointDescription& joint : reading.robot.joints)
            CHECK(distance(joint.origin, expected.at(joint.child)) < 10 * kRounding);
        CHECK(reading.robot.frames.size() == 20);
        CHECK(reading.robot.joints.size() == 10);
    }
}

TEST_CASE("sdf finds frames in nested models, and models place themselves by any of them") {
    Random random(2);
    const Written outer = random.pose(), inner = random.pose(), a = random.pose(), grip = random.pose(),
                  f = random.pose();
    const std::string nested = "<model name=\"in\" placement_frame=\"grip\"><pose" + relative_to("a") + ">" +
                               inner.text + "</pose>" + solid("b", "1 0 0 0 0 0") +
                               posed("frame", "grip", "", relative_to("b"), grip.text) + "</model>";
    const std::string text = "<pose>" + outer.text + "</pose>" + solid("a", a.text) + nested +
                             posed("frame", "f", attached_to("in::b"), relative_to("in::grip"), f.text) +
                             "<frame name=\"g\" attached_to=\"in\"/>";
    const Reading reading = accept(model(text));
    const Pose placed = outer.pose * a.pose * inner.pose;
    CHECK(distance(in_world(reading, "in::grip"), placed) < kRounding);
    CHECK(distance(in_world(reading, "f"), placed * f.pose) < kRounding);
    CHECK(reading.robot.frames.at(0).link == "in::b");
    const Pose origin = placed * inverse(pose_of(1, 0, 0, 0, 0, 0) * grip.pose);
    CHECK(distance(in_world(reading, "g"), origin) < kRounding);
}

TEST_CASE("sdf models move with their canonical link") {
    const auto carrier = [](const std::string& attributes, const std::string& inside) {
        const Reading reading = accept("<sdf version=\"1.9\"><model name=\"m\"" + attributes + ">" + inside +
                                       "<frame name=\"f\"/></model></sdf>");
        return reading.robot.frames.back().link;
    };
    CHECK(carrier("", solid("a") + solid("b")) == "a");
    CHECK(carrier(" canonical_link=\"b\"", solid("a") + solid("b")) == "b");
    CHECK(carrier("", "<model name=\"in\">" + solid("c") + "</model>" + solid("a")) == "a");
    CHECK(carrier("", "<model name=\"in\">" + solid("c") + "</model>") == "in::c");
    CHECK(carrier("", "<static>1</static>" + solid("a")) == "world");
    check_error(
        "<sdf version=\"1.9\"><model name=\"m\" canonical_link=\"arms\">" + solid("arm") + "</model></sdf>",
        1, "model 'm'", "did you mean 'arm'");
}

TEST_CASE("sdf joints connect the links that carry the frames they name") {
    const std::string text = solid("a") + solid("b") + "<frame name=\"fa\" attached_to=\"a\"/>" +
                             posed("frame", "fb", attached_to("b"), "", "0 0 2 0 0 0") +
                             joint("j", "ball", "fa", "fb", "<pose>0 1 0 0 0 0</pose>");
    const Reading reading = accept(model(text));
    CHECK(reading.joint("j").parent == "a");
    CHECK(reading.joint("j").child == "b");
    CHECK(reading.joint("j").child_origin.translation == Eigen::Vector3d(0, 1, 2));
}

TEST_CASE("sdf worlds join models by joints of their own") {
    const std::string models = "<model name=\"one\"><pose>1 0 0 0 0 0</pose>" + solid("a") +
                               "</model><model name=\"two\">" + solid("b") + "</model>";
    const Reading reading =
        accept(world(models + "<frame name=\"dock\"><pose>0 3 0 0 0 0</pose></frame>" +
                     joint("j", "prismatic", "dock", "one::a") + joint("k", "fixed", "one::a", "two", "")));
    CHECK(reading.joint("j").parent == "world");
    CHECK(reading.joint("j").child == "one::a");
    CHECK(reading.joint("j").origin.translation == Eigen::Vector3d(1, 0, 0));
    CHECK(reading.joint("k").child == "two::b");
    CHECK(reading.robot.joints.size() == 2);
}

TEST_CASE("sdf names may repeat in other scopes: that of the model then has the model's name before it") {
    const Reading reading =
        accept(world("<frame name=\"F\"/><frame name=\"a\"/>" + std::string("<model name=\"m\">\n") +
                     solid("a") + "<frame name=\"F\" attached_to=\"a\"><pose>1 0 0 0 0 0</pose></frame>" +
                     joint("j", "fixed", "world", "a", "") + "</model>"));
    CHECK(has(reading, Severity::note, 3, "link 'a'", "called 'm::a'"));
    CHECK(has(reading, Severity::note, 4, "frame 'F'", "called 'm::F'"));
    REQUIRE(reading.robot.frames.size() == 3);
    CHECK(reading.robot.frames[0].name == "F");
    CHECK(reading.robot.frames[0].link == "world");
    CHECK(reading.robot.frames[2].name == "m::F");
    CHECK(reading.robot.frames[2].link == "m::a");
    CHECK(reading.robot.frames[2].origin.translation == Eigen::Vector3d(1, 0, 0));
    CHECK(reading.joint("j").child == "m::a");
}

TEST_CASE("sdf refuses unknown frames with the nearest name") {
    check_error(model(solid("left") + posed("frame", "f", "", relative_to("lift"), "0 0 0 0 0 0")), 3,
                "<pose> of frame 'f'", "did you mean 'left'");
    check_error(model(solid("left") + "<frame name=\"f\" attached_to=\"lefty\"/>"), 3, "frame 'f'",
                "did you mean 'left'");
    check_error(model(solid("a") + joint("j", "fixed", "b::c", "a", "")), 3, "<parent> of joint 'j'",
                "found 'b::c'");
    check_error(model(solid("a") + "<model name=\"in\" placement_frame=\"x\">" + solid("b") + "</model>"), 3,
                "model 'in'", "as placement_frame, found 'x'");
    check_error(model(solid("a") + posed("frame", "f", "", " frame=\"a\"", "0 0 0 0 0 0")), 3,
                "<pose> of frame 'f'", "relative_to");
    check_error(model(solid("a") + "<frame name=\"f\" attached_to=\"in\"/><model name=\"in\"/>"), 3,
                "frame 'f'", "a model without links");
}

TEST_CASE("sdf refuses cycles of frames") {
    check_error(model(solid("a") + posed("frame", "f", attached_to("a"), relative_to("g"), "0 0 0 0 0 0") +
                      posed("frame", "g", attached_to("a"), relative_to("f"), "0 0 0 0 0 0")),
                3, "frame 'f'", "the cycle 'f' → 'g' → 'f' (relative to)");
    const Reading attached = read(model(solid("a") + "<frame name=\"f\" attached_to=\"g\"/>\n"
                                                     "<frame name=\"g\" attached_to=\"f\"/>"));
    CHECK(has(attached, Severity::error, 3, "frame 'f'", "(attached to)"));
    const Reading itself = read(model(solid("a") + "<frame name=\"f\" attached_to=\"f\"/>"));
    CHECK(has(itself, Severity::error, 3, "frame 'f'", "the cycle 'f' → 'f' (attached to)"));
    const Reading joints =
        read(model(solid("a") + "<frame name=\"f\" attached_to=\"j\"/>" + joint("j", "fixed", "a", "f", "")));
    CHECK(joints.count(Severity::error) > 0);
}

TEST_CASE("sdf reads long chains and long cycles of frames in little time") {
    constexpr int count = 20000;
    std::string chain = solid("a"), cycle = solid("a");
    for (int i = 0; i < count; ++i) {
        const std::string name = "f" + std::to_string(i), next = "f" + std::to_string((i + 1) % count);
        chain += "<frame name=\"" + name + "\"" + attached_to(i + 1 < count ? next : "a") + "/>\n";
        cycle += "<frame name=\"" + name + "\"" + attached_to(next) + "/>\n";
    }
    CHECK(accept(model(chain)).robot.frames.size() == count);
    CHECK(read(model(cycle)).count(Severity::error) == 2);  // of poses and of what they are attached to
}
