#pragma once

#include "grbda/algorithms/configuration.hpp"
#include "grbda/kernels/integration.hpp"

// The classical rule of fourth order on the robot's coordinates: each stage starts from q of the step, so
// that loops stay closed and no quaternion needs to be mended.

namespace grbda::simulation {

class RungeKutta {
public:
    explicit RungeKutta(const Model& model) {
        q_ = Eigen::Map<const VectorX<double>>(model.neutral.data(), model.nq);
        for (VectorX<double>* x : {&yd_, &way_, &rate_, &total_way_, &total_gain_}) x->setZero(model.nv);
    }

    /// From (q, ẏ) over h seconds; accelerate(q, ẏ) → Result leaves ÿ in data.ydd.
    /// out     q_next, yd_next, which may not be q and ẏ
    template <class Accelerate>
    Result step(const Model& model, Data<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
                double h, const Accelerate& accelerate, VectorX<double>& q_next, VectorX<double>& yd_next) {
        constexpr double fraction[] = {0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
        total_way_.setZero();
        total_gain_.setZero();
        way_.setZero();
        q_ = q;
        yd_ = yd;
        for (int stage = 0; stage < 4; ++stage) {
            if (const Result result = accelerate(q_, yd_); !result.ok()) return result;
            kernels::rate_of_way<double>(model, data, way_.data(), yd_.data(), rate_.data());
            total_way_ += weight[stage] * h * rate_;
            total_gain_ += weight[stage] * h * data.ydd;
            if (stage == 3) break;
            way_ = fraction[stage] * h * rate_;
            yd_ = yd + fraction[stage] * h * data.ydd;
            if (const Result result = integrate<double>(model, data, q, way_, q_); !result.ok())
                return result;
        }
        yd_next = yd + total_gain_;
        return integrate<double>(model, data, q, total_way_, q_next);
    }

private:
    VectorX<double> q_, yd_, way_, rate_, total_way_, total_gain_;
};

}  // namespace grbda::simulation
