#pragma once

#include <cmath>

#include "grbda/dynamics/aba.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "subject.hpp"

namespace grbda::benchmarks {

/// Derivatives of forward dynamics by central differences: aba() on both sides of a state in every direction,
/// at the configurations given by integrate().
class CentralDifferences {
public:
    explicit CentralDifferences(const Model& model)
        : dydd_dy(model.nv, model.nv),
          dydd_dyd(model.nv, model.nv),
          model_(model),
          data_(model),
          q_(model.nq),
          direction_(VectorX<double>::Zero(model.nv)),
          yd_(model.nv),
          ahead_(model.nv) {}

    /// Stops at the first outcome that is not ok.
    Result compute(const State& s, double step) {
        for (int k = 0; k < model_.nv; ++k) {
            Result result = at(s, k, step);
            if (!result) return result;
            ahead_ = data_.ydd;
            if (result = at(s, k, -step); !result) return result;
            dydd_dy.col(k) = (ahead_ - data_.ydd) / (2 * step);
        }
        yd_ = s.yd;
        for (int k = 0; k < model_.nv; ++k) {
            yd_[k] = s.yd[k] + step;
            Result result = aba(model_, data_, s.q, yd_, s.tau);
            if (!result) return result;
            ahead_ = data_.ydd;
            yd_[k] = s.yd[k] - step;
            if (result = aba(model_, data_, s.q, yd_, s.tau); !result) return result;
            dydd_dyd.col(k) = (ahead_ - data_.ydd) / (2 * step);
            yd_[k] = s.yd[k];
        }
        return {};
    }

    MatrixX<double> dydd_dy, dydd_dyd;

private:
    Result at(const State& s, int k, double step) {
        direction_[k] = step;
        const Result moved = integrate(model_, data_, s.q, direction_, q_);
        direction_[k] = 0;
        return moved ? aba(model_, data_, q_, s.yd, s.tau) : moved;
    }

    const Model& model_;
    Data data_;
    VectorX<double> q_, direction_, yd_, ahead_;
};

/// Step for which truncation and rounding errors of a function of size one are about equal.
inline const double usual_step = std::cbrt(2.2e-16);

}  // namespace grbda::benchmarks
