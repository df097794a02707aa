#include "io/sdf/sdf_fixture.hpp"
#include "mechanism/relation.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Geometry>

// The SDF reader: joints, their axes and limits, mimics, gearboxes and screws.

using namespace sdf_test;
using grbda::JointType;
using grbda::Severity;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string axis(const std::string& inside, const std::string& xyz = "0 0 1") {
    return "<axis><xyz>" + xyz + "</xyz>" + inside + "</axis>";
}

/// Links a to c on one axis: 'p' from a to b, 'q' from a to c; a is fixed. `inside` stands in line 7.
std::string gears(const std::string& inside, const std::string& p = joint("p", "revolute", "a", "b"),
                  const std::string& q = joint("q", "continuous", "a", "c")) {
    return model(solid("a") + solid("b") + solid("c") + p + q + inside +
                 joint("mount", "fixed", "world", "a", ""));
}

std::string gearbox(const std::string& inside) { return joint("g", "gearbox", "b", "c", inside); }

std::string screw(const std::string& inside) { return pair("screw", inside + axis("")); }

double coefficient(const grbda::LinearRelation& coupling, const std::string& joint) {
    for (const grbda::LinearTerm& term : coupling.terms)
        if (term.joint == joint) return term.coefficient;
    return 0;
}

}  // namespace

TEST_CASE("sdf knows its joint types") {
    const std::pair<const char*, JointType> types[] = {
        {"revolute", JointType::revolute},   {"continuous", JointType::continuous},
        {"prismatic", JointType::prismatic}, {"ball", JointType::spherical},
        {"universal", JointType::universal}, {"revolute2", JointType::universal},
        {"fixed", JointType::fixed}};
    for (const auto& [name, type] : types) {
        const Reading reading = accept(pair(name, axis("") + "<axis2><xyz>1 0 0</xyz></axis2>"));
        CHECK(reading.diagnostics.empty());
        CHECK(reading.joint("j").type == type);
        CHECK(reading.joint("j").parent == "a");
        CHECK(reading.joint("j").child == "b");
    }
    check_error(pair("revolut", axis("")), 4, "joint 'j'", "did you mean 'revolute'");
    check_error(model(solid("a") + "<joint name=\"j\"><parent>world</parent><child>a</child></joint>"), 3,
                "joint 'j'", "'type', found none");
}

TEST_CASE("sdf joints need two different ends") {
    check_error(model(solid("a") + "<joint name=\"j\" type=\"fixed\"><child>a</child></joint>"), 3,
                "joint 'j'", "<parent>, found none");
    check_error(model(solid("a") + joint("j", "fixed", "world", "", "")), 3, "<child> of joint 'j'", "empty");
    check_later_error(grbda::Code::same_ends, model(solid("a") + joint("j", "fixed", "a", "a", "")), 3,
                      "joint 'j'", "'a' as both");
    check_error(model(solid("a") + joint("j", "fixed", "&who;", "a", "")), 3, "<parent> of joint 'j'",
                "&who;");
    check_error(model(solid("arm") + joint("j", "fixed", "world", "arms", "")), 3, "<child> of joint 'j'",
                "did you mean 'arm'");
    check_error(model(solid("a") + "<model name=\"n\"/>" + joint("j", "fixed", "a", "n", "")), 3,
                "<child> of joint 'j'", "without a link");
}

TEST_CASE("sdf loops are second joints with the same child") {
    const Reading reading =
        accept(model(solid("a") + solid("b") + solid("c") + joint("ab", "revolute", "a", "b") +
                     joint("bc", "revolute", "b", "c") +
                     joint("ac", "revolute", "a", "c", "<pose>1 2 0 0 0 0</pose>" + axis("")) +
                     joint("mount", "fixed", "world", "a", "")));
    CHECK(reading.robot.loops.empty());
    CHECK(reading.robot.joints.size() == 4);
    CHECK(reading.joint("ac").child_origin.translation == Eigen::Vector3d(1, 2, 0));
}

TEST_CASE("sdf joints that must close a loop come after the others") {
    const std::string cut =
        "<physics><simbody><must_be_loop_joint>1</must_be_loop_joint></simbody></physics>";
    const Reading reading = accept(
        model(solid("a") + solid("b") + solid("c") + joint("ac", "revolute", "a", "c", axis("") + cut) +
              joint("ab", "revolute", "a", "b") + joint("bc", "revolute", "b", "c")));
    CHECK(reading.robot.joints.back().name == "ac");
}

TEST_CASE("sdf joints of couplings keep their coordinates: the joints beside them close loops") {
    const std::string mimic = axis("<mimic joint=\"ab\"><multiplier>2</multiplier></mimic>");
    const Reading reading =
        accept(model(solid("a") + solid("b") + solid("c") + joint("ac", "revolute", "a", "c") +
                     joint("ab", "revolute", "a", "b") + joint("bc", "revolute", "b", "c", mimic)));
    grbda::Diagnostics findings;
    const grbda::Mechanism mechanism = grbda::make_mechanism(reading.robot, {}, findings);
    REQUIRE(mechanism.loops.size() == 1);
    CHECK(mechanism.loops.front().name == "ac");
}

TEST_CASE("sdf axes are unit vectors in the axes of the joint") {
    const std::string turned = "<pose degrees=\"true\">0 0 0 0 0 90</pose>";
    const auto found = [](const std::string& inside, const std::string& version = "1.11") {
        return accept(pair("revolute", inside, version)).joint("j").axis;
    };
    CHECK(found(axis("", "0 3 4")) == Eigen::Vector3d(0, 0.6, 0.8));
    CHECK(found(turned + axis("", "1 0 0")) == Eigen::Vector3d(1, 0, 0));
    const auto in_model = [&](const std::string& element) {
        return "<pose>0 0 0 0 0 1.5707963267948966</pose><axis>" + element + "</axis>";
    };
    const Eigen::Vector3d expected(0, -1, 0);  // the model's x in a joint turned by 90° about z
    const std::string x = "<xyz>1 0 0</xyz>";
    CHECK((found(in_model("<xyz expressed_in=\"__model__\">1 0 0</xyz>")) - expected).norm() < 1e-15);
    CHECK((found(in_model("<xyz expressed_in=\"a\">1 0 0</xyz>")) - expected).norm() < 1e-15);
    const std::string flag = "<use_parent_model_frame>true</use_parent_model_frame>";
    for (const char* version : {"1.5", "1.6"}) {
        CHECK((found(in_model(x + flag), version) - expected).norm() < 1e-15);
        CHECK(found(in_model(x), version) == Eigen::Vector3d(1, 0, 0));
    }
    for (const char* version : {"1.2", "1.3", "1.4"}) {
        CHECK((found(in_model(x), version) - expected).norm() < 1e-15);
    }
}

TEST_CASE("sdf axes default to z, with a note") {
    for (const char* inside : {"", "<axis/>", "<axis><limit/></axis>"}) {
        const Reading reading = accept(pair("revolute", inside));
        CHECK(reading.joint("j").axis == Eigen::Vector3d(0, 0, 1));
        CHECK(has(reading, Severity::note, 4, "joint 'j'", "axis 0 0 1"));
    }
    check_later_error(grbda::Code::out_of_range, pair("universal", axis("")), 4, "joint 'j'", "parallel");
    check_later_error(grbda::Code::out_of_range,
                      pair("revolute2", axis("") + "<axis2><xyz>0 0 -2</xyz></axis2>"), 4, "joint 'j'",
                      "parallel");
}

TEST_CASE("sdf refuses axes that are zero") {
    for (const char* zero : {"0 0 0", "1e-12 0 0"})
        check_later_error(grbda::Code::out_of_range, pair("revolute", axis("", zero)), 4, "joint 'j'",
                          "an axis that is not zero, found " + std::string(zero));
    check_later_error(grbda::Code::out_of_range,
                      pair("universal", axis("") + "<axis2>\n<xyz>0 0 0</xyz></axis2>"), 5, "joint 'j'",
                      "an axis2 that is not zero");
    check_error(pair("revolute", axis("", "0 1")), 4, "<xyz> of joint 'j'", "3 finite numbers");
    check_error(pair("prismatic", axis("", "0 inf 0")), 4, "<xyz> of joint 'j'", "3 finite numbers");
    check_error(pair("prismatic", "<axis><xyz expressed_in=\"c\">1 0 0</xyz></axis>"), 4,
                "<xyz> of joint 'j'", "as expressed_in, found 'c'");
    accept(pair("fixed", axis("", "0 0 0")));
    accept(pair("ball", axis("", "0 0 0")));
}

TEST_CASE("sdf limits are infinite from 1e16 on and if they are missing") {
    const auto limits = [](const std::string& inside) {
        return accept(pair("revolute", axis("<limit>" + inside + "</limit>"))).joint("j").limits;
    };
    const grbda::JointLimits all =
        limits("<lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity>");
    CHECK(all.lower == -1);
    CHECK(all.upper == 2);
    CHECK(all.effort == 3);
    CHECK(all.velocity == 4);
    for (const char* none :
         {"", "<lower>-1e16</lower><upper>1e+16</upper><effort>-1</effort><velocity>-1</velocity>",
          "<lower>-inf</lower><upper>inf</upper><effort>inf</effort>",
          "<lower>-1.7976931348623157e+308</lower><upper>1.7976931348623157e+308</upper>",
          "<lower>-10000000000000000.000000</lower>"}) {
        const grbda::JointLimits found = limits(none);
        CHECK(found.lower == -kInfinity);
        CHECK(found.upper == kInfinity);
        CHECK(found.effort == kInfinity);
        CHECK(found.velocity == kInfinity);
    }
    CHECK(limits("<lower>0</lower>").upper == kInfinity);
    CHECK(limits("<effort>0</effort>").effort == 0);
    check_error(pair("revolute", axis("<limit><lower>nan</lower></limit>")), 4, "<lower> of joint 'j'",
                "a number or inf");
    const Reading crossed = read(pair("revolute", axis("<limit><lower>1</lower><upper>-1</upper></limit>")));
    CHECK(has(crossed, Severity::warning, 4, "<limit> of joint 'j'", "read as unbounded"));
    CHECK(crossed.joint("j").limits.lower == -kInfinity);
}

TEST_CASE("sdf keeps damping, friction and springs") {
    const Reading reading = accept(
        pair("revolute", axis("<dynamics><damping>0.5</damping><friction>0.25</friction><spring_stiffness>3"
                              "</spring_stiffness><spring_reference>-0.75</spring_reference></dynamics>")));
    CHECK(reading.joint("j").damping == 0.5);
    CHECK(reading.joint("j").friction == 0.25);
    CHECK(reading.joint("j").stiffness == 3);
    CHECK(reading.joint("j").rest == std::vector<double>{-0.75});
    CHECK(reading.diagnostics.empty());
    const std::string none = "<dynamics><spring_stiffness>0</spring_stiffness></dynamics>";
    CHECK(accept(pair("revolute", axis(none))).joint("j").rest.empty());
}

TEST_CASE("sdf keeps damping, friction and springs of both axes") {
    const std::string axes =
        "<axis><xyz>1 0 0</xyz><dynamics><damping>1</damping><spring_stiffness>2</spring_stiffness>"
        "<spring_reference>3</spring_reference><friction>7</friction></dynamics></axis>"
        "<axis2><xyz>0 1 0</xyz><dynamics><damping>4</damping><spring_stiffness>5</spring_stiffness>"
        "<spring_reference>6</spring_reference><friction>7</friction></dynamics></axis2>";
    const Reading reading = accept(pair("universal", axes));
    const grbda::JointDescription& joint = reading.joint("j");
    CHECK(joint.damping.values() == std::vector<double>{1, 4});
    CHECK(joint.stiffness.values() == std::vector<double>{2, 5});
    CHECK(joint.rest == std::vector<double>{3, 6});
    CHECK(joint.friction.values() == std::vector<double>{7});
}

TEST_CASE("sdf mimics follow: multiplier (leader - reference) + offset") {
    const auto mimic = [](const std::string& inside, const std::string& attributes = " joint=\"p\"") {
        return gears(
            "", joint("p", "revolute", "a", "b"),
            joint("q", "revolute", "a", "c",
                  axis("<mimic" + attributes + "><multiplier>3</multiplier>" + inside + "</mimic>")));
    };
    const Reading reading = accept(mimic("<offset>0.5</offset><reference>0.25</reference>"));
    const auto& coupling = relation_of<grbda::LinearRelation>(reading.robot);
    CHECK(coupling.mimic);
    CHECK(coupling.terms.at(0).joint == "q");
    CHECK(coupling.terms.at(1).joint == "p");
    const double leader = 0.7, follower = 3 * (leader - 0.25) + 0.5;
    CHECK(std::abs(coefficient(coupling, "q") * follower + coefficient(coupling, "p") * leader +
                   coupling.offset) < 1e-15);
    check_error(mimic("", ""), 6, "<mimic> of joint 'q'", "'joint', found none");
    check_error(mimic("", " joint=\"pp\""), 6, "<mimic> of joint 'q'", "did you mean 'p'");
    check_error(mimic("", " joint=\"b\""), 6, "<mimic> of joint 'q'", "the name of a joint");
    check_error(mimic("", " joint=\"p\" axis=\"axis2\""), 6, "<mimic> of joint 'q'", "one axis");
    check_error(mimic("<offset>x</offset>"), 6, "<offset> of joint 'q'", "a finite number");
}

TEST_CASE("sdf gearboxes relate the two angles seen from the reference body") {
    const std::string inside =
        "<gearbox_ratio>4</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body>";
    const auto ratio = [](const std::string& text) {  // q / p
        const Reading reading = accept(text);
        CHECK(reading.robot.joints.size() == 3);
        const auto& coupling = relation_of<grbda::LinearRelation>(reading.robot);
        CHECK(reading.robot.couplings[0].name == "g");
        CHECK_FALSE(coupling.mimic);
        return -coefficient(coupling, "p") / coefficient(coupling, "q");
    };
    CHECK(ratio(gears(gearbox(inside))) == -4);
    CHECK(ratio(gears(gearbox(inside + axis("")))) == -4);
    CHECK(ratio(gears(gearbox(inside + axis("", "0 0 -1")))) == 4);
    CHECK(ratio(gears(gearbox(inside + axis("", "0 0 -1") + "<axis2><xyz>0 0 -1</xyz></axis2>"))) == -4);
    // The same joint written from b to a turns a against b: the angle from a to b is its negative.
    CHECK(ratio(gears(gearbox(inside), joint("p", "revolute", "b", "a"))) == 4);
    CHECK(ratio(gears(gearbox(inside + axis("")), joint("p", "revolute", "b", "a", axis("", "0 0 -1")))) ==
          -4);
}

TEST_CASE("sdf refuses gearboxes without two joints that they can mean") {
    const std::string reference = "<gearbox_reference_body>a</gearbox_reference_body>";
    const std::string ratio = "<gearbox_ratio>4</gearbox_ratio>";
    check_error(gears(gearbox(ratio)), 7, "joint 'g'", "<gearbox_reference_body>, found none");
    check_error(gears(gearbox(ratio + "<gearbox_reference_body>d</gearbox_reference_body>")), 7,
                "<gearbox_reference_body> of joint 'g'", "as reference body, found 'd'");
    check_later_error(grbda::Code::out_of_range,
                      gears(gearbox("\n<gearbox_ratio>0</gearbox_ratio>" + reference)), 8, "coupling 'g'",
                      "a finite ratio other than zero, found 0");
    check_later_error(grbda::Code::same_ends, gears(joint("g", "gearbox", "b", "b", ratio + reference)), 7,
                      "coupling 'g'", "'b' as both");
    check_error(gears(gearbox(ratio + reference + axis("", "0 1 0"))), 7, "<axis> of joint 'g'",
                "parallel to that of joint 'p'");
    check_error(gears(gearbox(ratio + reference), joint("p", "prismatic", "a", "b")), 7, "joint 'g'",
                "a revolute joint between the reference body and 'b'");
    CHECK(has(accept(gears(gearbox(reference))), Severity::note, 7, "joint 'g'", "ratio 1"));
    // The axis of the joint that it means is wrong by itself.
    Reading zero = accept(
        gears(gearbox(ratio + reference + axis("")), joint("p", "revolute", "a", "b", axis("", "0 0 0"))));
    make_mechanism(zero.robot, {}, zero.diagnostics);
    CHECK(zero.count(Severity::error) == 1);
    CHECK(has(zero, Severity::error, 5, "joint 'p'", "an axis that is not zero"));
}

TEST_CASE("sdf screws are helical joints") {
    const Reading reading =
        accept(pair("screw",
                    "<screw_thread_pitch>0.5</screw_thread_pitch>"
                    "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis>"));
    CHECK(reading.diagnostics.empty());
    CHECK(reading.joint("j").type == JointType::helical);
    CHECK(reading.joint("j").child == "b");
    CHECK(reading.joint("j").limits.upper == 2);
    // A right-handed thread of 0.5 m per revolution.
    CHECK(std::abs(reading.joint("j").pitch - 0.5 / (2 * M_PI)) < 1e-16);
    CHECK(reading.robot.loops.empty());
    CHECK(reading.robot.couplings.empty());
    // The old element counts radians per metre, left-handed: -4 π radians make one metre, right-handed.
    const Reading old = accept(screw("<thread_pitch>-12.566370614359172</thread_pitch>"));
    CHECK(std::abs(old.joint("j").pitch - reading.joint("j").pitch) < 1e-16);
    check_error(screw(""), 4, "joint 'j'", "<screw_thread_pitch> in metres per revolution, found none");
    for (const std::string name : {"thread_pitch", "screw_thread_pitch"})
        check_later_error(grbda::Code::out_of_range, screw("\n<" + name + ">0</" + name + ">"), 5,
                          "joint 'j'", "a pitch other than zero, in metres per radian, found 0");
    check_error(screw("<thread_pitch>fine</thread_pitch>"), 4, "<thread_pitch> of joint 'j'",
                "a finite number");
}

TEST_CASE("reversed sdf universal joints exchange their positions") {
    const std::string text =
        model(solid("a") + solid("b") + joint("mount", "fixed", "world", "b", "") +
              joint("j", "revolute2", "a", "b", axis("", "1 0 0.5") + "<axis2><xyz>0 1 0.2</xyz></axis2>"));
    const Reading turned = accept(text);
    const grbda::JointDescription& joint = turned.joint("j");
    CHECK(joint.parent == "b");
    CHECK(has(turned, Severity::note, 5, "joint 'j'", "change places"));
    const Eigen::Vector3d a = Eigen::Vector3d(1, 0, 0.5).normalized(),
                          b = Eigen::Vector3d(0, 1, 0.2).normalized();
    const double q1 = 0.4, q2 = -1.1;
    using Eigen::AngleAxisd;
    const Eigen::Matrix3d written = (AngleAxisd(q1, a) * AngleAxisd(q2, b)).toRotationMatrix();
    const Eigen::Matrix3d read =
        (AngleAxisd(q2, joint.axis) * AngleAxisd(q1, joint.axis2)).toRotationMatrix();
    CHECK((read - written.transpose()).norm() < 1e-15);
}
