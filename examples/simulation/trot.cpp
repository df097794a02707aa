#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "grbda/io/load.hpp"
#include "motion.hpp"

namespace scenes {
namespace {

constexpr double period = 0.3;  // s
constexpr double bend = 0.8;    // rad, of the hips of the standing robot; knees twice that
constexpr double lift = 0.35;   // rad, in addition, in the middle of a swing
constexpr double wait = 0.4;    // s, standing
constexpr std::array names{"FR", "FL", "HR", "HL"};

std::string hip_of(std::size_t leg) { return std::string(names[leg]) + "_abad_to_hip_j"; }
std::string knee_of(std::size_t leg) { return std::string(names[leg]) + "_hip_to_knee_j"; }

/// 0 while the leg stands, 1 in the middle of its swing; FL and HR swing half a period after FR and HL.
double swing_at(std::size_t leg, double time) {
    const bool second = leg == 1 || leg == 2;
    const double phase = (time - wait) / period - (second ? 0.5 : 0);
    const double part = phase - std::floor(phase);
    return phase >= 0 && part < 0.5 ? std::pow(std::sin(2 * std::numbers::pi * part), 2) : 0;
}

/// Hip, knee and foot of a leg, and the contacts of its foot.
struct Leg {
    int hip = 0, knee = 0;  ///< in q̇
    int body = 0;           ///< with the foot
    bool touches = true;
    int landings = 0;
};

std::array<Leg, 4> legs_of(const grbda::Model& model) {
    std::array<Leg, 4> legs;
    for (std::size_t leg = 0; leg < legs.size(); ++leg) {
        const grbda::NamedJoint knee = model.joint(knee_of(leg));
        legs[leg].hip = model.joint(hip_of(leg)).v.first;
        legs[leg].knee = knee.v.first;
        legs[leg].body = knee.index;
    }
    return legs;
}

void watch_foot(const grbda::Simulator& simulator, Leg& leg) {
    bool touches = false;
    for (const grbda::ContactState& x : simulator.contacts())
        touches = touches || (x.contact.body == leg.body && x.impulse[2] > 0);
    leg.landings += touches && !leg.touches ? 1 : 0;
    leg.touches = touches;
}

/// Joint angles of a leg retracted by `more`: the foot stays under the hip.
void draw_in(const Leg& leg, double more, grbda::Table<double>& target) {
    target[leg.hip] = bend + more;
    target[leg.knee] = -2 * (bend + more);
}

}  // namespace

bool trot(const Setting& setting) {
    const grbda::Model model = grbda::load(setting.robots + "/mini_cheetah/mini_cheetah.urdf");
    std::map<std::string, double> bent;
    for (std::size_t leg = 0; leg < names.size(); ++leg) {
        bent[hip_of(leg)] = bend;
        bent[knee_of(leg)] = -2 * bend;
    }
    Vector start = posed(model, bent);
    start[base_height] -= clearance(model, start);
    const double standing = start[base_height];
    grbda::SimulatorOptions options;
    add_servos(model, Driven::joints, 150, 3, options);
    grbda::Simulator simulator(model, options, grbda::Plane{});
    require(simulator.set_state(start, Vector::Zero(model.nv_tree)));

    std::array<Leg, 4> legs = legs_of(model);
    grbda::Table<double> target(targets_at(model, start));
    const auto drive = [&](double time) {
        for (std::size_t leg = 0; leg < legs.size(); ++leg)
            draw_in(legs[leg], lift * swing_at(leg, time), target);
        return grbda::Controls{{}, target, {}};
    };
    double low = standing, high = standing, tilt = 0;
    const auto see = [&] {
        low = std::min(low, simulator.q()[base_height]);
        high = std::max(high, simulator.q()[base_height]);
        tilt = std::max(tilt, tilt_of(simulator.q()));
        for (Leg& leg : legs) watch_foot(simulator, leg);
    };
    const double periods = setting.seconds > 0 ? std::max(1., std::floor(setting.seconds / period)) : 10;
    Motion motion(simulator, setting.record);
    motion.follow(base_height);
    motion.run(wait + (periods + 0.5) * period, drive,
               see);  // half a period for the second pair

    Laws laws;
    for (std::size_t leg = 0; leg < legs.size(); ++leg)
        laws.check(std::string("landings of ") + names[leg], legs[leg].landings, periods, periods);
    laws.check("base below its place, m", standing - low, 0, 0.02);
    laws.check("base above its place, m", high - standing, 0, 0.02);
    laws.check("tilt of the base, rad", tilt, 0, 0.1);
    laws.check("way from its place, m", std::hypot(simulator.q()[0], simulator.q()[1]), 0, 0.03 * periods);
    return laws.kept();
}

}  // namespace scenes
