#include <algorithm>
#include <cmath>
#include <string>

#include "support/random_generator.hpp"

// Random gears, belts, cams and differentials that hold at the reference configuration.

namespace random_mechanism {

std::vector<int> Generator::single_joints() const {
    std::vector<int> result;
    for (std::size_t i = 0; i < moved_.size(); ++i)
        if (freedoms(static_cast<int>(i)) == 1) result.push_back(static_cast<int>(i));
    return result;
}

void Generator::relate(const std::string& name, const std::vector<std::pair<int, double>>& terms) {
    grbda::LinearRelation linear;
    for (const auto& [body, coefficient] : terms) {
        const Moved& moved = moved_[at(body)];
        linear.terms.push_back({robot_.joints[moved.joint].name, coefficient, {}});
        linear.offset -= coefficient * moved.q[0];
    }
    robot_.couplings.push_back({name + std::to_string(robot_.couplings.size()), linear, {}});
}

void Generator::follow(const std::string& name, int follower, int leader, double slope) {
    const Moved &from = moved_[at(leader)], &to = moved_[at(follower)];
    grbda::PolynomialRelation cam;
    cam.follower = robot_.joints[to.joint].name;
    cam.leader = robot_.joints[from.joint].name;
    cam.coefficients = {uniform(cams_, -1, 1), slope};
    cam.follower_reference = to.q[0];
    cam.leader_reference = from.q[0];
    cam.leader_reference -= uniform(cams_, -0.5, 0.5);
    for (int i = 2, degree = std::uniform_int_distribution<int>(2, 4)(cams_); i <= degree; ++i)
        cam.coefficients.push_back(slope * uniform(cams_, -0.4, 0.4) / std::tgamma(i + 1));
    for (std::size_t i = 0; i < cam.coefficients.size(); ++i)
        cam.follower_reference -=
            cam.coefficients[i] * std::pow(from.q[0] - cam.leader_reference, static_cast<int>(i));
    robot_.couplings.push_back({name + std::to_string(robot_.couplings.size()), cam, {}});
}

std::set<int> Generator::tied(const std::vector<std::pair<int, double>>& terms) const {
    std::set<int> result;
    for (const auto& a : terms)
        for (const auto& b : terms) {
            const std::set<int> between = path(moved_[at(a.first)].parent, moved_[at(b.first)].parent);
            result.insert(between.begin(), between.end());
            result.insert(a.first);
        }
    return result;
}

int Generator::add_disc(std::size_t carrier) {
    const Eigen::Vector3d axis = planar_ ? Eigen::Vector3d(Eigen::Vector3d::UnitZ()) : direction();
    add("rotor", chance(0.5) ? JointType::continuous : JointType::revolute, carrier, axis);
    grbda::Inertial& rotor = *robot_.links.back().inertial;
    const Eigen::Matrix3d along = axis * axis.transpose(), all = Eigen::Matrix3d::Identity();
    rotor.com = axis * uniform(random_, -0.1, 0.1);
    rotor.inertia = 2e-3 * (all - along) + uniform(random_, 1e-3, 3e-3) * along;
    return static_cast<int>(moved_.size()) - 1;
}

void Generator::add_train() {
    const bool together = chance(0.7), chain = chance(0.5);
    const std::size_t carrier = index(places_.size());
    int leader = add_disc(carrier);
    for (int others = integer(1, 3); others > 0; --others) {
        const int disc = add_disc(together ? carrier : index(places_.size()));
        const std::vector<std::pair<int, double>> terms{{disc, 1}, {leader, -uniform(random_, 0.5, 2)}};
        spend(tied(terms), 1);
        if (chance(0.7))
            relate("train", terms);
        else
            follow("camtrain", disc, leader, uniform(random_, 0.5, 1.5));
        if (chain) leader = disc;
    }
}

void Generator::add_rotor() {
    const std::vector<int> joints = single_joints();
    if (joints.empty()) return;
    std::vector<std::pair<int, double>> terms{{joints[index(joints.size())], -uniform(random_, 3, 9)}};
    const int other = joints[index(joints.size())];
    if (chance(0.3) && other != terms[0].first) terms.push_back({other, uniform(random_, 2, 6)});
    terms.push_back({add_disc(index(places_.size())), 1});
    spend(tied(terms), 1);
    const int driven = terms[0].first, spun = terms.back().first;
    if (terms.size() > 2 || uniform(cams_, 0, 1) < 0.7)
        relate("gear", terms);
    else if (uniform(cams_, 0, 1) < 0.5)
        follow("fusee", spun, driven, uniform(cams_, 1, 3));
    else
        follow("snail", driven, spun, uniform(cams_, 0.3, 1));
}

void Generator::add_linear() {
    std::vector<int> joints = single_joints();
    std::shuffle(joints.begin(), joints.end(), random_);
    if (joints.size() > 3) joints.resize(at(integer(2, 3)));
    std::vector<std::pair<int, double>> terms;
    for (int joint : joints) terms.push_back({joint, uniform(random_, 0.5, 2)});
    if (terms.size() > 1 && spend(tied(terms), 1)) relate("differential", terms);
}

void Generator::add_cam() {
    std::vector<int> joints = single_joints();
    std::shuffle(joints.begin(), joints.end(), random_);
    if (joints.size() > 1 && spend(tied({{joints[0], 1}, {joints[1], 1}}), 1))
        follow("cam", joints[0], joints[1], uniform(random_, -1.5, 1.5));
}

void Generator::add_belt() {
    constexpr int trials = 20;
    for (int trial = 0; trial < trials; ++trial) {
        const Place& p = places_[index(places_.size())];
        const std::vector<int> joints = single_joints();
        if (joints.empty() || p.body == kGround) return;
        // a fresh leaf on one of the bodies above the predecessor: its position is free to choose
        std::size_t above = 0;
        for (std::size_t i = 0; i < places_.size(); ++i)
            if (places_[i].body == moved_[at(p.body)].parent) above = i;
        if (freedoms(p.body) != 1) continue;
        const bool slide = robot_.joints[moved_[at(p.body)].joint].type == JointType::prismatic;
        grbda::GearRelation belt;
        belt.predecessor = p.name;
        belt.ratio = uniform(random_, 1.5, 4);
        const int body = p.body;
        const Eigen::Vector3d in_plane = slide ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitZ();
        const std::size_t leaf = add("leaf", slide ? JointType::prismatic : JointType::revolute, above,
                                     planar_ ? in_plane : direction());
        belt.successor = places_[leaf].name;
        moved_.back().q[0] = belt.ratio * moved_[at(body)].q[0];
        robot_.coupling_ratio = grbda::CouplingRatio::successor_over_predecessor;
        spend({body, static_cast<int>(moved_.size()) - 1}, 1);
        robot_.couplings.push_back({"belt", belt, {}});
        return;
    }
}

}  // namespace random_mechanism
