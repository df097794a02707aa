#pragma once

#include "dense_output.hpp"
#include "limit_constraints.hpp"
#include "state.hpp"

// Smooth motion by a Runge–Kutta pair of order 8 on the displacements of all joints, with error control: the
// reference that other rules are compared with. Each stage closes the loops before its rates are evaluated;
// these are smooth functions of the displacements, so that the order stays.

namespace grbda::simulation {

class Adaptive {
public:
    explicit Adaptive(const Setting& setting);

    /// Begins a step from the state, in the coordinates of data. Joints at limits stop or are held.
    /// out     the state's yd; the work of impulses
    Result begin(const Setting& setting, Data<double>& data, State& state, const Controls& controls,
                 double& work);
    /// Attempts h seconds from the state.
    /// out     q_next, yd_next; error() relative to the tolerance
    /// errors  undefined where a joint with a quaternion turns too far; those of dynamics and closing
    Result attempt(const Setting& setting, Data<double>& data, const State& state, const Controls& controls,
                   double h, VectorX<double>& q_next, VectorX<double>& yd_next);
    /// Accepted at 1 or below.
    double error() const { return error_; }
    /// Proposes the next step from one of h seconds with this error.
    double proposal(double h) const;
    /// Finds the dense output of an attempt, and ends it where a joint meets or leaves a limit.
    /// out     h, q_next, yd_next
    /// errors  undefined where such an event cannot be located
    Result complete(const Setting& setting, Data<double>& data, const State& state, const Controls& controls,
                    double& h, VectorX<double>& q_next, VectorX<double>& yd_next);
    /// Goes on from the end of that attempt, which the state has become.
    /// out     the state's yd, after impulses of limits; their work is added
    Result proceed(const Setting& setting, Data<double>& data, State& state, const Controls& controls,
                   double& work);

    /// The state within the last step.
    /// in      time since its beginning, s
    /// out     q, yd; data.chart
    /// errors  not_finite where that is not within the step
    Result at(const Setting& setting, Data<double>& data, double time, VectorX<double>& q,
              VectorX<double>& yd);
    bool has_step() const { return count_ > 0; }
    /// No step was taken from which the state follows.
    void forget() { count_ = 0; }

private:
    struct Event {
        int bound = -1;  ///< none: −1
        double theta = 1;
    };
    Result evaluate(const Setting& setting, Data<double>& data, const Controls& controls, int stage);
    Result find_error(const Setting& setting, Data<double>& data, const State& state, double h,
                      const VectorX<double>& q_next, const VectorX<double>& yd_next);
    Result fit(const Setting& setting, Data<double>& data, const State& state, const Controls& controls,
               double h, const VectorX<double>& q_next, const VectorX<double>& yd_next);
    Result find_event(const Setting& setting, Data<double>& data, const Controls& controls, Event& event);
    bool may_meet(const LimitConstraints::Bound& bound, const DensePart& part) const;
    double margin(const Setting& setting, Data<double>& data, const Controls& controls, int bound,
                  double theta);
    Result locate(const Setting& setting, Data<double>& data, const Controls& controls, int bound,
                  double before, double after, Event& event);
    Result end_at(const Setting& setting, Data<double>& data, const State& state, const Controls& controls,
                  int bound, double& h, VectorX<double>& q_next, VectorX<double>& yd_next);

    LimitConstraints limits_;
    VectorX<double> q_, yd_, tau_s_, displacement_, ydd_;
    VectorX<double> end_rate_;  ///< q̇ at the end of a part
    MatrixX<double> rates_;     ///< of displacements, at the stages, the end and elsewhere [nv_tree × 14]
    MatrixX<double> accelerations_;  ///< ÿ [nv × 14]
    VectorX<double> powers_;         ///< of the forces of joints
    double error_ = 0;
    bool begun_ = false;  ///< the first stage is that of the state
    long switches_ = 0;   ///< of coordinates, at that stage
    double time_ = 0;     ///< s since the step began
    Table<DensePart> parts_;
    std::size_t count_ = 0;  ///< parts of the last step
    Table<int> leaving_;     ///< bounds whose force ends within a part
    int released_ = -1;      ///< bound that the last part ends by leaving
    bool event_ = false;     ///< it ends where a joint meets or leaves a limit
};

}  // namespace grbda::simulation
