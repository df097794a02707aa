#include <cmath>

#include "parts.hpp"

// Loops and couplings as equalities. Each is 0 exactly where the loop
// is closed, with the same gradients there except for redundant rows.

namespace grbda::to_mjcf {

namespace {

using Eigen::Vector3d;

/// Distance between the two points that fix an axis, m.
constexpr double reach = 0.1;
/// Ends nearer than this at the reference pose coincide.
constexpr double same_point = 1e-12;

/// A point of each body.
struct Points {
    int predecessor, successor;
    Vector3d first, second;
};

class LoopMaker {
public:
    explicit LoopMaker(Robot& robot) : robot_(robot) {}

    void make(const MechanismLoop& loop) {
        switch (loop.type) {
            case LoopType::fixed: return hold(loop);
            case LoopType::spherical: return join(loop, at_axis(loop, Vector3d::Zero(), Vector3d::Zero()));
            case LoopType::revolute:
            case LoopType::continuous:
                join(loop, at_axis(loop, Vector3d::Zero(), Vector3d::Zero()));
                return join(loop, at_axis(loop, loop.axis, loop.axis));
            case LoopType::universal:
                join(loop, at_axis(loop, Vector3d::Zero(), Vector3d::Zero()));
                // |a − b|² = 2 − 2 a·b
                return keep_apart(loop, at_axis(loop, loop.axis, loop.axis2),
                                  reach * std::sqrt(2 - 2 * loop.axis.dot(loop.axis2)));
            case LoopType::distance:
                if (loop.inertial)
                    return robot_.findings.error(loop.where, "loop", loop.name, "a distance without mass",
                                                 "a rod with an inertial",
                                                 "write it as a link with a ball joint at each end");
                return keep_apart(loop, at_axis(loop, Vector3d::Zero(), Vector3d::Zero()), loop.length);
            case LoopType::prismatic:
            case LoopType::helical:
            case LoopType::cylindrical:
            case LoopType::planar:
            case LoopType::point_on_line:
                robot_.findings.error(loop.where, "loop", loop.name,
                                      "a loop of type fixed, spherical, revolute, universal or distance",
                                      std::string("one of type ") + to_string(loop.type),
                                      "MJCF has no equality for it: cut the loop at another joint, and let "
                                      "this one be in the tree");
                return;
            case LoopType::floating: return;
        }
    }

private:
    /// The origins, displaced along directions in the frames of the loop.
    static Points at_axis(const MechanismLoop& loop, const Vector3d& a, const Vector3d& b) {
        const Pose &P = loop.predecessor_placement, &Q = loop.successor_placement;
        return {loop.predecessor, loop.successor, P.translation + reach * (P.rotation * a),
                Q.translation + reach * (Q.rotation * b)};
    }

    Line& add(const char* kind, const std::string& name) {
        robot_.equalities.push_back({kind});
        return robot_.equalities.back().set("name", robot_.equality_names.free(name));
    }

    double gap(const Points& points) const {
        const Pose P = robot_.pose_of(points.predecessor) * Pose{Eigen::Matrix3d::Identity(), points.first};
        const Pose Q = robot_.pose_of(points.successor) * Pose{Eigen::Matrix3d::Identity(), points.second};
        return (P.translation - Q.translation).norm();
    }

    /// Makes two points coincide. <connect> takes the second one from its place at the reference pose.
    void join(const MechanismLoop& loop, const Points& points) {
        if (gap(points) <= same_point) {
            Line& line = add("connect", loop.name);
            if (points.predecessor == world) {
                line.set("body1", robot_.name_of(points.successor)).set("anchor", numbers_of(points.second));
            } else {
                line.set("body1", robot_.name_of(points.predecessor));
                if (points.successor != world) line.set("body2", robot_.name_of(points.successor));
                line.set("anchor", numbers_of(points.first));
            }
            return;
        }
        weld(loop, points, Eigen::Matrix3d::Identity()).set("torquescale", 0.0);
    }

    void hold(const MechanismLoop& loop) {
        const Pose &P = loop.predecessor_placement, &Q = loop.successor_placement;
        weld(loop, at_axis(loop, Vector3d::Zero(), Vector3d::Zero()), P.rotation * Q.rotation.transpose());
    }

    /// `rotation`: of the successor in the predecessor.
    Line& weld(const MechanismLoop& loop, const Points& points, const Eigen::Matrix3d& rotation) {
        std::vector<double> relative = numbers_of(points.first);
        for (const double x : quaternion_of(rotation)) relative.push_back(x);
        Line& line = add("weld", loop.name);
        line.set("body1", robot_.name_of(points.predecessor));
        line.set("body2", robot_.name_of(points.successor));
        return line.set("anchor", numbers_of(points.second)).set("relpose", relative);
    }

    std::string site(int body, const std::string& name, const Vector3d& point) {
        robot_.sites[body + 1].push_back(
            {robot_.site_names.free(name), Pose{Eigen::Matrix3d::Identity(), point}});
        return robot_.sites[body + 1].back().name;
    }

    /// A tendon of this length between the points: MuJoCo counts from its length at the reference pose.
    void keep_apart(const MechanismLoop& loop, const Points& points, double length) {
        Line tendon{"spatial"};
        const std::string name = robot_.tendon_names.free(loop.name);
        tendon.set("name", name);
        tendon.children.push_back({"site"});
        tendon.children.back().set("site", site(points.predecessor, loop.name + "_1", points.first));
        tendon.children.push_back({"site"});
        tendon.children.back().set("site", site(points.successor, loop.name + "_2", points.second));
        robot_.tendons.push_back(std::move(tendon));
        add("tendon", loop.name)
            .set("tendon1", name)
            .set("polycoef", std::vector<double>{length - gap(points), 0, 0, 0, 0});
    }

    Robot& robot_;
};

class CouplingMaker {
public:
    explicit CouplingMaker(Robot& robot) : robot_(robot) {}

    void make(const MechanismCoupling& coupling) {
        for (const MechanismTerm& term : coupling.terms)
            if (robot_.scalar_joint(term) == nullptr) return refuse(coupling, term);
        if (!coupling.polynomial.empty()) return make_polynomial(coupling);
        const std::vector<MechanismTerm>& terms = coupling.terms;
        if (terms.size() == 1) {
            add("joint", coupling)
                .set("joint1", name_of(terms[0]))
                .set("polycoef", polynomial({-coupling.offset / terms[0].coefficient}));
        } else if (terms.size() == 2 && (terms[0].coefficient == 1 || terms[1].coefficient == 1)) {
            const bool first = terms[0].coefficient == 1;
            follow(coupling, terms[first ? 0 : 1], terms[first ? 1 : 0]);
        } else {
            const Line* tendon = add_tendon(robot_, terms, "coupling", coupling.name, coupling.where);
            if (tendon == nullptr) return;
            const std::string name = tendon->attributes.front().second;
            add("tendon", coupling).set("tendon1", name).set("polycoef", polynomial({-coupling.offset}));
        }
    }

    /// Couples the slide of a screw to its hinge.
    void make_screw(const MechanismBody& body, const Joint& hinge, const Joint& slide) {
        robot_.equalities.push_back({"joint"});
        robot_.equalities.back()
            .set("name", robot_.equality_names.free("pitch of " + body.joint))
            .set("joint1", slide.part.name)
            .set("joint2", hinge.part.name)
            .set("polycoef", polynomial({0, slide.part.ratio}));
    }

private:
    void refuse(const MechanismCoupling& coupling, const MechanismTerm& term) {
        const MechanismBody& body = robot_.mechanism.bodies[term.body];
        robot_.findings.error(coupling.where, "coupling", coupling.name, "hinges and slides",
                              std::string(to_string(body.type)) + " joint " + quoted(body.joint));
    }

    const std::string& name_of(const MechanismTerm& term) const {
        return robot_.scalar_joint(term)->part.name;
    }

    Line& add(const char* kind, const MechanismCoupling& coupling) {
        robot_.equalities.push_back({kind});
        return robot_.equalities.back().set("name", robot_.equality_names.free(coupling.name));
    }

    static std::vector<double> polynomial(std::vector<double> coefficients) {
        coefficients.resize(5, 0);
        return coefficients;
    }

    void follow(const MechanismCoupling& coupling, const MechanismTerm& follower,
                const MechanismTerm& leader) {
        add("joint", coupling)
            .set("joint1", name_of(follower))
            .set("joint2", name_of(leader))
            .set("polycoef", polynomial({-coupling.offset, -leader.coefficient}));
    }

    /// Expands powers of the leader: MuJoCo counts from the reference pose, which is zero.
    void make_polynomial(const MechanismCoupling& coupling) {
        std::vector<double> powers;  // Horner's rule
        for (auto c = coupling.polynomial.rbegin(); c != coupling.polynomial.rend(); ++c) {
            powers.push_back(0);
            for (std::size_t i = powers.size(); i-- > 0;)
                powers[i] = (i > 0 ? powers[i - 1] : 0) - coupling.reference * powers[i];
            powers[0] += *c;
        }
        while (powers.size() > 1 && powers.back() == 0) powers.pop_back();
        powers[0] -= coupling.offset;
        if (powers.size() > 5) {
            robot_.findings.error(coupling.where, "coupling", coupling.name,
                                  "a polynomial of degree 4 or less",
                                  "degree " + std::to_string(powers.size() - 1));
            return;
        }
        add("joint", coupling)
            .set("joint1", name_of(coupling.terms[0]))
            .set("joint2", name_of(coupling.terms[1]))
            .set("polycoef", polynomial(powers));
    }

    Robot& robot_;
};

}  // namespace

Line* add_tendon(Robot& robot, const std::vector<MechanismTerm>& terms, const std::string& kind,
                 const std::string& name, const SourceLocation& where) {
    Line tendon{"fixed"};
    tendon.set("name", robot.tendon_names.free(name));
    for (const MechanismTerm& term : terms) {
        const Joint* const joint = robot.scalar_joint(term);
        if (joint == nullptr) {
            robot.findings.error(where, kind, name, "hinges and slides",
                                 "joint " + quoted(robot.mechanism.bodies[term.body].joint));
            return nullptr;
        }
        tendon.children.push_back({"joint"});
        tendon.children.back().set("joint", joint->part.name).set("coef", term.coefficient);
    }
    robot.tendons.push_back(std::move(tendon));
    return &robot.tendons.back();
}

void make_constraints(Robot& robot) {
    const Mechanism& mechanism = robot.mechanism;
    for (const MechanismLoop& loop : mechanism.loops) LoopMaker(robot).make(loop);
    CouplingMaker couplings(robot);
    for (const MechanismCoupling& coupling : mechanism.couplings)
        if (!mechanism.bodies[coupling.terms.front().body].combined) couplings.make(coupling);
    for (int i = 0; i < static_cast<int>(mechanism.bodies.size()); ++i)
        if (mechanism.bodies[i].type == JointType::helical)
            couplings.make_screw(mechanism.bodies[i], robot.joints[i][0], robot.joints[i][1]);
}

}  // namespace grbda::to_mjcf
