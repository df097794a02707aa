#pragma once

#include <functional>

#include "support/contact_reference.hpp"
#include "support/differences.hpp"

// Derivatives of contact dynamics by differences, and the robots and masks that laws of contacts are tested
// on.

namespace contact_differences {

using namespace test_robots;
using namespace contact_reference;

constexpr double kSame = 1e-9;         // of well-conditioned states
constexpr double kDifferences = 1e-8;  // of extrapolated differences

struct Motion {
    VectorXd motion, forces;
};

/// A call as a function of the state: accelerations or velocities after an impact, and forces.
using Call = std::function<bool(const State&, Motion&)>;

/// Derivatives by differences.
struct Derivatives {
    MatrixXd motion, forces;
    double error = 1;  ///< of the differences themselves
};

enum class Part { y, yd, tau };

inline State moved(const Model& model, Workspace<double>& data, const State& state, Part part, int k,
                   double step, bool& followed) {
    State result = state;
    const VectorXd delta = step * VectorXd::Unit(model.nv, k);
    if (part == Part::y)
        followed = differences::moved(model, data, state.q, delta, result.q) && followed;
    else
        (part == Part::yd ? result.yd : result.tau) += delta;
    return result;
}

/// Central differences, extrapolated to fourth order.
inline bool slopes(const Model& model, const State& state, int parts, double step, const Call& call,
                   MatrixXd& motion, MatrixXd& forces) {
    Workspace<double> data(model);
    bool followed = true;
    for (int column = 0; column < parts * model.nv; ++column) {
        VectorXd of_motion[2], of_forces[2];
        for (int half = 0; half < 2; ++half) {
            const double size = step / (1 + half);
            Motion ahead, behind;
            const Part part = static_cast<Part>(column / model.nv);
            const State after = moved(model, data, state, part, column % model.nv, size, followed),
                        before = moved(model, data, state, part, column % model.nv, -size, followed);
            if (!followed || !call(after, ahead) || !call(before, behind)) return false;
            of_motion[half] = (ahead.motion - behind.motion) / (2 * size);
            of_forces[half] = (ahead.forces - behind.forces) / (2 * size);
        }
        if (column == 0) {
            motion.resize(of_motion[0].size(), parts * model.nv);
            forces.resize(of_forces[0].size(), parts * model.nv);
        }
        motion.col(column) = (4 * of_motion[1] - of_motion[0]) / 3;
        forces.col(column) = (4 * of_forces[1] - of_forces[0]) / 3;
    }
    return true;
}

/// At the step where two neighbouring ones agree best.
inline bool differentiate(const Model& model, const State& state, int parts, const Call& call,
                          Derivatives& result) {
    MatrixXd motion, forces, last_motion, last_forces;
    result.error = 1;
    for (double step = 6e-3; step > 1e-5; step /= 3) {
        if (!slopes(model, state, parts, step, call, motion, forces)) return false;
        if (last_motion.size() > 0) {
            const double error = std::max(relative(motion, last_motion), relative(forces, last_forces));
            if (error < result.error) result = {motion, forces, error};
        }
        last_motion = motion;
        last_forces = forces;
    }
    return true;
}

struct Count {
    int states = 0, redundant = 0, compared = 0;
};

inline const std::initializer_list<ContactKind> kKinds{ContactKind::point, ContactKind::frame,
                                                       ContactKind::point};
inline const std::vector<grbda::Table<char>> kMasks{{1, 0, 0}, {0, 1, 0}, {1, 0, 1}, {1, 1, 1}, {0, 0, 0}};

inline bool can_touch(const Model& model, Random& random) {
    return model.nv > 0 && random_body(model, random) >= 0;
}

/// Robots with loops, and 100 random mechanisms.
inline std::vector<const Robot*> robots_with_loops() {
    std::vector<const Robot*> robots;
    for (const Robot& robot : published())
        if (robot.model.rows > 0) robots.push_back(&robot);
    for (const Robot& robot : mechanisms().robots)
        if (robots.size() < 130) robots.push_back(&robot);
    return robots;
}

}  // namespace contact_differences
