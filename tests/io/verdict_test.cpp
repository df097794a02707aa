#include <regex>
#include <set>

#include "compile/model_diagnostics_fixture.hpp"
#include "io/urdf/written_urdf.hpp"
#include "support/baselines_fixture.hpp"
#include "support/random_mechanism.hpp"
#include "support/robots.hpp"
#include "support/sample_size.hpp"

// Findings about a robot do not depend on rounding: a written robot gets the verdict of its original, also
// if links have almost no mass, or moments of inertia that rounding made negative.

namespace {

using baselines_fixture::Random;
using baselines_fixture::uniform;
using grbda::Diagnostics;
using grbda::Inertial;
using grbda::Mechanism;
using grbda::RobotDescription;

constexpr int kRobots = 600;
constexpr double kSame = 1e-9;  // of neutral configurations
constexpr int kAlike = 92;      // per cent that assemble in the same place again: the text rounds figures
constexpr int kLeastLight = 5;  // per cent, of which the verdict is worth comparing

/// Errors and warnings of building, and the assembled configuration. If loops stay open, that alone is the
/// verdict, because the configuration with the smallest gaps need not be unique.
struct Verdict {
    std::set<std::string> findings;
    std::vector<double> neutral;
    bool judged_light = false;  ///< refused, or warned of joints that move no mass
};

Verdict verdict_on(const Mechanism& mechanism) {
    static const std::regex rounding("[0-9.]+e-(0[7-9]|[1-9][0-9])");  // figures of which no digit counts
    Diagnostics diagnostics;
    Verdict verdict;
    verdict.neutral = grbda::build_model(mechanism, {}, diagnostics).neutral;
    verdict.judged_light = has_errors(diagnostics);
    for (const grbda::Diagnostic& d : diagnostics)
        if (d.code == grbda::Code::inertia && d.severity == grbda::Severity::warning)
            verdict.judged_light = true;
    for (const grbda::Diagnostic& d : diagnostics)
        if (d.severity != grbda::Severity::note)
            verdict.findings.insert(d.found.find("best configuration found") != std::string::npos
                                        ? "left open"
                                        : d.subject.text + ": " +
                                              std::regex_replace(d.found, rounding, "next to nothing"));
    return verdict;
}

/// Mass and moments at 0, or at some fraction of what they were; moments off zero by rounding, either way.
void thin_out(Inertial& inertial, Random& random) {
    const double fractions[] = {0, 1e-18, 1e-12, 1e-9, 1, 1};
    const auto fraction = [&] { return fractions[std::uniform_int_distribution<int>(0, 5)(random)]; };
    inertial.mass *= fraction();
    if (uniform(random, 0, 1) < 0.5) inertial.com.setZero();
    const Eigen::Vector3d axis =
        baselines_fixture::exponential(baselines_fixture::random_vector(random, 3, 2)).col(0);
    const double moment = inertial.inertia.trace();
    switch (std::uniform_int_distribution<int>(0, 3)(random)) {
        case 0: inertial.inertia *= fraction(); break;
        case 1: inertial.inertia.setZero(); break;
        case 2:  // a rod
            inertial.inertia = fraction() * (Eigen::Matrix3d::Identity() - axis * axis.transpose());
            break;
        default: break;
    }
    if (uniform(random, 0, 1) < 0.5)
        inertial.inertia += moment * uniform(random, -1e-15, 1e-15) * axis * axis.transpose();
}

/// The links that `robot` is thinned out at: each with some probability.
RobotDescription thinned(RobotDescription robot, Random& random) {
    const double share = uniform(random, 0, 1);
    for (grbda::LinkDescription& link : robot.links)
        if (link.inertial && uniform(random, 0, 1) < share) thin_out(*link.inertial, random);
    // joints through centres of mass that lie on their axes
    for (grbda::JointDescription& joint : robot.joints)
        if (uniform(random, 0, 1) < 0.2) joint.axis = Eigen::Vector3d::UnitZ();
    return robot;
}

struct Tally {
    int judged = 0, light = 0, alike = 0;
};

void check_verdict(const RobotDescription& robot, Tally& tally) {
    Diagnostics diagnostics;
    const Mechanism mechanism = grbda::make_mechanism(robot, {}, diagnostics);
    if (has_errors(diagnostics)) return;
    const Verdict first = verdict_on(mechanism);
    const Verdict second = verdict_on(written_urdf::read(write_urdf(mechanism)));
    ++tally.judged;
    if (first.judged_light) ++tally.light;
    REQUIRE(first.neutral.size() == second.neutral.size());
    for (std::size_t i = 0; i < first.neutral.size(); ++i)
        if (!(std::abs(first.neutral[i] - second.neutral[i]) <= kSame)) return;
    ++tally.alike;
    CHECK(first.judged_light == second.judged_light);
    CHECK(first.findings == second.findings);
}

}  // namespace

TEST_CASE("written robots get the verdict of those that they came from, with next to no mass, too") {
    Random random(31);
    Tally tally;
    const int robots = sample_size::of(kRobots);
    for (int i = 0; i < robots; ++i) {
        const auto seed = static_cast<std::uint64_t>(20000 + i);
        INFO("seed " << seed);
        check_verdict(thinned(random_mechanism::random_mechanism(seed), random), tally);
    }
    for (const test_robots::Robot& robot : test_robots::published())
        for (int i = 0; i < 4; ++i) {
            INFO(robot.name << ", " << i);
            check_verdict(i == 0 ? robot.description : thinned(robot.description, random), tally);
        }
    CHECK(100 * tally.alike >= kAlike * tally.judged);
    CHECK(100 * tally.light >= kLeastLight * tally.judged);
    CHECK(2 * tally.light <= tally.judged);
}

TEST_CASE("point masses on the axes that they turn about move nothing, whatever rounding leaves of that") {
    using namespace model_diagnostics;
    // an arm of point masses at the joints: the last joint turns none of them
    const auto point = [](const std::string& name) {
        return "<link name=\"" + name +
               "\"><inertial><mass value=\"0.2\"/><inertia ixx=\"0\" ixy=\"0\" ixz=\"0\" iyy=\"0\" iyz=\"0\" "
               "izz=\"0\"/></inertial></link>\n";
    };
    for (const std::string rpy :
         {"0 0 0", "0 1.570796325 -1.570796325", "3.141592653 0 1.570796325", "0.3 -0.2 0.9"}) {
        INFO(rpy);
        const auto turned = [&](const char* name, const char* parent, const char* child, const char* xyz) {
            return std::string("<joint name=\"") + name + "\" type=\"continuous\"><parent link=\"" + parent +
                   "\"/><child link=\"" + child + "\"/><origin xyz=\"" + xyz + "\" rpy=\"" + rpy +
                   "\"/><axis xyz=\"0 0 1\"/></joint>\n";
        };
        const Loaded loaded = load_text(model_diagnostics::robot(
            empty_link("base") + point("l1") + point("l2") + point("l3") +
            turned("a", "base", "l1", "0 0 0.07") + turned("b", "l1", "l2", "0.1 0.002 0") +
            turned("c", "l2", "l3", "0.15 0.01 0.02")));
        check_accepted(loaded, 1);
        check_finding(loaded, Severity::warning, "joint", "c",
                      {"cluster of joints 'c'", "joint 'c' moves none"});
    }
}
