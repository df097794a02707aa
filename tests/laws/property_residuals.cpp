#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "constraints/closure.hpp"
#include "support/described.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Gaps of loops by name, at open configurations, agree with those of the description.

namespace {

using namespace test_robots;

constexpr double kRounding = 1e-9;  // a distance loop's gap is the root of a difference of squares

/// Every joint by itself.
Eigen::VectorXd opened(const grbda::Model& model, Eigen::VectorXd q, Random& random) {
    for (const grbda::Body& body : model.bodies) {
        const int plain = grbda::position_size(body.joint) - (grbda::has_quaternion(body.joint) ? 4 : 0);
        q.segment(body.q, plain) += random_vector(random, plain, 0.2);
        if (!grbda::has_quaternion(body.joint)) continue;
        q.segment<4>(body.q + plain) += random_vector(random, 4, 0.1);
        q.segment<4>(body.q + plain).normalize();
    }
    return q;
}

/// Way of the origins across what the loop leaves free; NaN of a loop that measures none so.
double way(const grbda::LoopDescription& loop, const std::map<std::string, grbda::Pose>& poses) {
    const grbda::Pose P = poses.at(loop.predecessor) * loop.predecessor_origin;
    const grbda::Pose Q = poses.at(loop.successor) * loop.successor_origin;
    const Eigen::Vector3d d = (grbda::inverse(P) * Q).translation, a = loop.axis.normalized();
    switch (loop.type) {
        case grbda::LoopType::fixed:
        case grbda::LoopType::revolute:
        case grbda::LoopType::continuous:
        case grbda::LoopType::universal:
        case grbda::LoopType::spherical: return d.norm();
        case grbda::LoopType::cylindrical:
        case grbda::LoopType::prismatic:
        case grbda::LoopType::point_on_line: return a.cross(d).norm();
        case grbda::LoopType::planar: return std::abs(a.dot(d));
        case grbda::LoopType::distance:
            if (loop.length) return std::abs(d.norm() - *loop.length);
            break;
        case grbda::LoopType::helical:
        case grbda::LoopType::floating: break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

/// Angle between the axes of P and Q; NaN of a loop that measures another one.
double tilt(const grbda::LoopDescription& loop, const std::map<std::string, grbda::Pose>& poses) {
    const Eigen::Matrix3d P = (poses.at(loop.predecessor) * loop.predecessor_origin).rotation;
    const Eigen::Matrix3d Q = (poses.at(loop.successor) * loop.successor_origin).rotation;
    const Eigen::Vector3d a = P * loop.axis.normalized(), b = Q * loop.axis.normalized();
    switch (loop.type) {
        case grbda::LoopType::revolute:
        case grbda::LoopType::continuous:
        case grbda::LoopType::cylindrical:
        case grbda::LoopType::planar: return std::atan2(a.cross(b).norm(), a.dot(b));
        case grbda::LoopType::fixed:
        case grbda::LoopType::prismatic: return Eigen::AngleAxisd(P.transpose() * Q).angle();
        case grbda::LoopType::point_on_line:
        case grbda::LoopType::spherical:
        case grbda::LoopType::distance: return 0;
        case grbda::LoopType::universal:
        case grbda::LoopType::helical:
        case grbda::LoopType::floating: break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

TEST_CASE("gaps of loops are those of the description, joint by joint open") {
    long lengths = 0, angles = 0;
    for (const Robot* robot : all()) {
        const grbda::Model& model = robot->model;
        if (!model.rods.empty()) continue;  // their loops are not those of the description
        Random random(701);
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd neutral = Eigen::Map<const Eigen::VectorXd>(model.neutral.data(), model.nq);
        const Eigen::VectorXd q = opened(model, neutral, random);
        std::vector<grbda::LoopGap> gaps(model.loops.size()), couplings(model.couplings.size());
        must(grbda::loop_residuals<double>(model, data, q, gaps, couplings));
        const auto poses = described::poses(robot->description, model, q);
        for (const grbda::LoopDescription& described : described::loops(robot->description, model))
            for (std::size_t i = 0; i < gaps.size(); ++i) {
                const grbda::Loop& loop = model.loops[i];
                if (model.names.loops[loop.source] != described.name) continue;
                INFO(robot->name << ", loop " << described.name);
                const bool whole = loop.rows == grbda::constraint_size(loop.type);
                const double length = way(described, poses), angle = tilt(described, poses);
                if (whole && !std::isnan(length)) {
                    CHECK(gaps[i].length == Approx(length).margin(kRounding));
                    ++lengths;
                }
                if (whole && !std::isnan(angle) && !gaps[i].opposed && angle < 1.5) {
                    CHECK(gaps[i].angle == Approx(angle).margin(1e-6));
                    ++angles;
                }
            }
        for (std::size_t i = 0; i < couplings.size(); ++i) {
            const grbda::Coupling& coupling = model.couplings[i];
            if (!coupling.linear()) continue;
            double off = coupling.offset;
            for (const int t : coupling.terms)
                off += model.coupling_terms[t].coefficient * q[model.coupling_terms[t].q];
            off = std::abs(off / model.coupling_terms[coupling.terms.first].coefficient);
            CHECK(couplings[i].length + couplings[i].angle == Approx(off).margin(kRounding));
        }
    }
    CHECK(lengths > 20);
    CHECK(angles > 20);
}
