#include "random_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "baselines_fixture.hpp"
#include "described.hpp"

namespace random_mechanism {
namespace {

using namespace baselines_fixture;
using grbda::JointDescription;
using grbda::JointType;
using grbda::LoopType;
using grbda::Pose;

constexpr int kGround = -1;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// A link with the moving body it belongs to, and its pose at the reference configuration.
struct Place {
    std::string name;
    int body = kGround;
    Pose pose;
};

/// A moving body and where its joint stands at the reference configuration.
struct Moved {
    int parent = kGround;
    std::size_t joint = 0;
    std::vector<double> q;
};

class Generator {
public:
    explicit Generator(std::uint64_t seed)
        : random_(seed), cams_(seed + 1), armatures_(seed + 2), pitches_(seed + 3), planar_(chance(0.3)) {
        robot_ = empty_robot("random mechanism " + std::to_string(seed));
        places_.push_back({"ground", kGround, {}});
    }

    grbda::RobotDescription run() {
        add_tree();
        const int rotors = integer(0, 2), loops = integer(0, 3);
        for (int i = 0; i < loops; ++i) add_loop();
        std::swap(random_, cams_);
        if (chance(0.3)) add_cam();
        std::swap(random_, cams_);
        for (int i = 0; i < rotors; ++i) add_rotor();
        if (chance(0.25)) add_belt();
        if (chance(0.2)) add_linear();
        if (chance(0.15) && !robot_.loops.empty()) repeat_loop();
        if (chance(0.5)) give_start();
        add_frames();
        return robot_;
    }

private:
    bool chance(double probability) { return uniform(random_, 0, 1) < probability; }
    int integer(int lower, int upper) { return std::uniform_int_distribution<int>(lower, upper)(random_); }
    std::size_t index(std::size_t size) { return at(integer(0, static_cast<int>(size) - 1)); }
    Eigen::Vector3d direction() { return exponential(random_vector(random_, 3, 2)).col(0); }

    Pose pose(double reach) {
        if (!planar_) return random_pose(random_, reach);
        Pose result;
        result.rotation = exponential(Eigen::Vector3d::UnitZ() * uniform(random_, -2, 2));
        result.translation << uniform(random_, -reach, reach), uniform(random_, -reach, reach), 0;
        return result;
    }

    JointType joint_type() {
        const double x = uniform(random_, 0, 1);
        if (planar_)
            return x < 0.75 ? JointType::revolute : x < 0.9 ? JointType::prismatic : JointType::planar;
        if (x < 0.5) return JointType::revolute;
        if (x < 0.56) return JointType::continuous;
        if (x < 0.64) return JointType::prismatic;
        if (x < 0.68) return JointType::helical;
        if (x < 0.76) return JointType::cylindrical;
        if (x < 0.84) return JointType::universal;
        if (x < 0.89) return JointType::planar;
        return x < 0.98 ? JointType::spherical : JointType::floating;
    }

    std::vector<double> reference(JointType type) {
        std::vector<double> q;
        for (int i = 0; i < grbda::position_size(type); ++i) q.push_back(uniform(random_, -1, 1));
        if (type == JointType::prismatic) q[0] *= 0.3;
        if (type == JointType::spherical || type == JointType::floating) {
            q.back() += 2;
            double square = 0;
            for (std::size_t i = q.size() - 4; i < q.size(); ++i) square += q[i] * q[i];
            for (std::size_t i = q.size() - 4; i < q.size(); ++i) q[i] /= std::sqrt(square);
        }
        return q;
    }

    static Pose motion(const JointDescription& joint, const std::vector<double>& q) {
        const Eigen::Map<const Eigen::VectorXd> position(q.data(), static_cast<Eigen::Index>(q.size()));
        return described::motion(joint.type, joint.axis, joint.axis2, position, joint.pitch);
    }

    /// A link on a joint of its own; the index of its place.
    std::size_t add(const std::string& prefix, JointType type, std::size_t above,
                    const Eigen::Vector3d& axis) {
        const std::string number = std::to_string(robot_.links.size());
        robot_.links.push_back(make_link(prefix + number, random_inertial(random_)));
        JointDescription joint = make_joint("joint_" + prefix + number, type, places_[above].name,
                                            prefix + number, pose(0.5), axis);
        joint.axis2 = axis.unitOrthogonal() + 0.3 * axis;
        if (type == JointType::helical)
            joint.pitch = uniform(pitches_, 0.05, 0.3) * (uniform(pitches_, 0, 1) < 0.5 ? -1 : 1);
        const bool single = grbda::velocity_size(type) == 1;
        if (single && chance(0.2)) joint.armature = uniform(random_, 0, 0.1);
        if (grbda::velocity_size(type) > 1 && uniform(armatures_, 0, 1) < 0.3)
            joint.armature = uniform(armatures_, 0, 1);
        const std::vector<double> q = reference(type);
        Place place{prefix + number, places_[above].body,
                    places_[above].pose * joint.origin * motion(joint, q)};
        if (type != JointType::fixed) {
            place.body = static_cast<int>(moved_.size());
            moved_.push_back({places_[above].body, robot_.joints.size(), q});
            group_.push_back(place.body);
            spent_.push_back(0);
        }
        robot_.joints.push_back(joint);
        places_.push_back(place);
        return places_.size() - 1;
    }

    void add_tree() {
        const bool floating = chance(0.4);
        const int bodies = integer(2, 8);
        if (floating) add("base", JointType::floating, 0, Eigen::Vector3d::UnitX());
        for (int i = 0; i < bodies; ++i) {
            const std::size_t first = floating ? 1 : 0, last = places_.size() - 1;
            std::size_t above = chance(0.6) ? last : first + at(integer(0, static_cast<int>(last - first)));
            if (chance(0.2)) above = add("fixed", JointType::fixed, above, Eigen::Vector3d::UnitX());
            const JointType type = joint_type();
            Eigen::Vector3d axis = planar_ ? Eigen::Vector3d(Eigen::Vector3d::UnitZ()) : direction();
            if (planar_ && type == JointType::prismatic) axis << std::cos(i), std::sin(i), 0;
            const std::size_t body = add("link", type, above, axis);
            if (chance(0.2)) add("fixed", JointType::fixed, body, Eigen::Vector3d::UnitX());
        }
    }

    /// Bodies below the nearest common ancestor of two bodies.
    std::set<int> path(int a, int b) const {
        std::set<int> above_a, result;
        for (int i = a; i != kGround; i = moved_[at(i)].parent) above_a.insert(i);
        for (; b != kGround && !above_a.count(b); b = moved_[at(b)].parent) result.insert(b);
        for (; a != b; a = moved_[at(a)].parent) result.insert(a);
        return result;
    }

    int freedoms(int body) const { return grbda::velocity_size(robot_.joints[moved_[at(body)].joint].type); }

    /// Takes `rows` constraints from the freedoms of a path and of the groups that it joins; false: too many.
    bool spend(const std::set<int>& bodies, int rows) {
        std::set<int> groups;
        int on_path = 0, left = -rows;
        for (int body : bodies) {
            on_path += freedoms(body);
            groups.insert(group_[at(body)]);
        }
        for (std::size_t i = 0; i < group_.size(); ++i)
            if (groups.count(group_[i])) left += freedoms(static_cast<int>(i));
        for (int group : groups) left -= spent_[at(group)];
        const int least = chance(0.1) ? 0 : 1;  // now and then a structure that nothing moves
        if (bodies.empty() || on_path < rows || left < least) return false;
        const int joined = *groups.begin();
        for (int& group : group_) group = groups.count(group) ? joined : group;
        for (int group : groups)
            if (group != joined) spent_[at(joined)] += spent_[at(group)];
        spent_[at(joined)] += rows;
        return true;
    }

    /// Independent rows of a loop: all of them in space, fewer among bodies that move in one plane.
    int rank(LoopType type) const {
        if (!planar_ || type == LoopType::distance) return grbda::constraint_size(type);
        if (type == LoopType::point_on_line) return 1;
        return type == LoopType::fixed ? 3 : type == LoopType::planar ? 0 : 2;
    }

    /// Some motion that a loop joint of this type leaves free.
    Pose free_motion(const grbda::LoopDescription& loop) {
        JointDescription joint;
        joint.axis = loop.axis;
        joint.axis2 = loop.axis2;
        switch (loop.type) {
            case LoopType::fixed: return {};
            case LoopType::distance: {
                Pose result = pose(0.4);
                result.translation +=
                    0.3 * (planar_ ? Eigen::Vector3d(Eigen::Vector3d::UnitX()) : direction());
                return result;
            }
            case LoopType::point_on_line: return {pose(0).rotation, loop.axis * uniform(random_, -0.3, 0.3)};
            case LoopType::prismatic: joint.type = JointType::prismatic; break;
            case LoopType::cylindrical: joint.type = JointType::cylindrical; break;
            case LoopType::universal: joint.type = JointType::universal; break;
            case LoopType::planar: joint.type = JointType::planar; break;
            case LoopType::spherical: joint.type = JointType::spherical; break;
            case LoopType::revolute:
            case LoopType::continuous:
            case LoopType::floating: break;
        }
        if (planar_ && joint.type != JointType::prismatic && joint.type != JointType::planar)
            joint.type = JointType::revolute;
        return motion(joint, reference(joint.type));
    }

    void add_loop() {
        constexpr LoopType types[] = {LoopType::fixed,        LoopType::revolute,  LoopType::continuous,
                                      LoopType::prismatic,    LoopType::universal, LoopType::cylindrical,
                                      LoopType::planar,       LoopType::spherical, LoopType::distance,
                                      LoopType::point_on_line};
        constexpr int trials = 30;
        for (int trial = 0; trial < trials; ++trial) {
            grbda::LoopDescription loop;
            loop.type = types[integer(0, 9)];
            const Place& p = places_[index(places_.size())];
            const Place& s = places_[index(places_.size())];
            if (p.body == s.body || !spend(path(p.body, s.body), rank(loop.type))) continue;
            loop.name = "loop" + std::to_string(robot_.loops.size());
            loop.predecessor = p.name;
            loop.successor = s.name;
            const bool slides = loop.type == LoopType::prismatic || loop.type == LoopType::point_on_line;
            loop.axis = planar_ ? Eigen::Vector3d(0.6 * slides, 0.8 * slides, !slides) : direction();
            loop.axis2 = loop.axis.unitOrthogonal() + 0.3 * loop.axis;
            loop.predecessor_origin = pose(0.5);
            const Pose free = free_motion(loop);
            if (loop.type == LoopType::distance) loop.length = free.translation.norm();
            loop.successor_origin = inverse(s.pose) * p.pose * loop.predecessor_origin * free;
            robot_.loops.push_back(loop);
            return;
        }
    }

    /// The same loop again, now and then from its other end.
    void repeat_loop() {
        grbda::LoopDescription loop = robot_.loops[index(robot_.loops.size())];
        loop.name += "_again";
        if (loop.type != LoopType::universal && loop.type != LoopType::point_on_line && chance(0.5)) {
            std::swap(loop.predecessor, loop.successor);
            std::swap(loop.predecessor_origin, loop.successor_origin);
        }
        robot_.loops.push_back(loop);
    }

    std::vector<int> single_joints() const {
        std::vector<int> result;
        for (std::size_t i = 0; i < moved_.size(); ++i)
            if (freedoms(static_cast<int>(i)) == 1) result.push_back(static_cast<int>(i));
        return result;
    }

    /// One equation among joints that holds at the reference configuration.
    void relate(const std::string& name, const std::vector<std::pair<int, double>>& terms) {
        grbda::LinearRelation linear;
        for (const auto& [body, coefficient] : terms) {
            const Moved& moved = moved_[at(body)];
            linear.terms.push_back({robot_.joints[moved.joint].name, coefficient, {}});
            linear.offset -= coefficient * moved.q[0];
        }
        robot_.couplings.push_back({name + std::to_string(robot_.couplings.size()), linear, {}});
    }

    /// A polynomial that holds at the reference configuration.
    void follow(const std::string& name, int follower, int leader, double slope) {
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

    std::set<int> tied(const std::vector<std::pair<int, double>>& terms) const {
        std::set<int> result;
        for (const auto& a : terms)
            for (const auto& b : terms) {
                const std::set<int> between = path(moved_[at(a.first)].parent, moved_[at(b.first)].parent);
                result.insert(between.begin(), between.end());
                result.insert(a.first);
            }
        return result;
    }

    /// A rotor anywhere, geared to one joint or two wherever they are.
    void add_rotor() {
        const std::vector<int> joints = single_joints();
        if (joints.empty()) return;
        std::vector<std::pair<int, double>> terms{{joints[index(joints.size())], -uniform(random_, 3, 9)}};
        const int other = joints[index(joints.size())];
        if (chance(0.3) && other != terms[0].first) terms.push_back({other, uniform(random_, 2, 6)});
        const std::size_t carrier = index(places_.size());
        const Eigen::Vector3d axis = planar_ ? Eigen::Vector3d(Eigen::Vector3d::UnitZ()) : direction();
        add("rotor", chance(0.5) ? JointType::continuous : JointType::revolute, carrier, axis);
        grbda::Inertial& rotor = *robot_.links.back().inertial;
        const Eigen::Matrix3d along = axis * axis.transpose(), all = Eigen::Matrix3d::Identity();
        rotor.com = axis * uniform(random_, -0.1, 0.1);
        rotor.inertia = 2e-3 * (all - along) + uniform(random_, 1e-3, 3e-3) * along;
        terms.push_back({static_cast<int>(moved_.size()) - 1, 1});
        spend(tied(terms), 1);
        const int driven = terms[0].first, spun = terms.back().first;
        if (terms.size() > 2 || uniform(cams_, 0, 1) < 0.7)
            relate("gear", terms);
        else if (uniform(cams_, 0, 1) < 0.5)
            follow("fusee", spun, driven, uniform(cams_, 1, 3));
        else
            follow("snail", driven, spun, uniform(cams_, 0.3, 1));
    }

    void add_linear() {
        std::vector<int> joints = single_joints();
        std::shuffle(joints.begin(), joints.end(), random_);
        if (joints.size() > 3) joints.resize(at(integer(2, 3)));
        std::vector<std::pair<int, double>> terms;
        for (int joint : joints) terms.push_back({joint, uniform(random_, 0.5, 2)});
        if (terms.size() > 1 && spend(tied(terms), 1)) relate("differential", terms);
    }

    void add_cam() {
        std::vector<int> joints = single_joints();
        std::shuffle(joints.begin(), joints.end(), random_);
        if (joints.size() > 1 && spend(tied({{joints[0], 1}, {joints[1], 1}}), 1))
            follow("cam", joints[0], joints[1], uniform(random_, -1.5, 1.5));
    }

    /// A coupling by predecessor and successor, where the paths sum up angles only, or slides only. Its
    /// equation has no offset: the joint of the successor takes up what is missing.
    void add_belt() {
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

    /// Where assembly starts: near the reference configuration instead of zero.
    void give_start() {
        for (const Moved& moved : moved_) {
            std::vector<double> q = moved.q;
            for (double& x : q) x += uniform(random_, -0.05, 0.05);
            robot_.start[robot_.joints[moved.joint].name] = q;
        }
    }

    void add_frames() { robot_.frames.push_back({"tool", places_.back().name, pose(0.3), {}}); }

    Random random_, cams_, armatures_, pitches_;  ///< apart, so that what is drawn of one changes no other
    bool planar_;
    grbda::RobotDescription robot_;
    std::vector<Place> places_;
    std::vector<Moved> moved_;
    std::vector<int> group_, spent_;  ///< bodies that constraints tie together; rows spent in each group
};

}  // namespace

grbda::RobotDescription random_mechanism(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace random_mechanism
