#pragma once

#include "dense_output.hpp"
#include "limit_constraints.hpp"
#include "simulation/state/state.hpp"

// Integrates smooth motion by a Runge–Kutta pair of order 8 on the displacements of all joints, with error
// control. It is the reference for other rules. Each stage closes the loops before it evaluates the rates.
// These are smooth functions of the displacements, so that the order is preserved.

namespace grbda::simulation {

class Adaptive {
public:
    explicit Adaptive(const Setting& setting);

    /// Begins a step from the state, in the coordinates of data. Joints at limits stop or stay at rest.
    /// out     the state's yd; the work of impulses
    Result begin(const Setting& setting, Workspace<double>& data, State& state, const Controls& controls,
                 double& work);
    /// Attempts a step of h seconds from the state.
    /// out     q_next, yd_next; error() relative to the tolerance
    /// errors  undefined if a joint with a quaternion rotates too far; those of dynamics and closing
    Result attempt(const Setting& setting, Workspace<double>& data, const State& state,
                   const Controls& controls, double h, VectorX<double>& q_next, VectorX<double>& yd_next);
    /// Error of the attempt, accepted if at most 1.
    double error() const { return error_; }
    /// Proposes the next step from a step of h seconds with this error.
    double proposal(double h) const;
    /// Computes the dense output of an attempt and ends it at the time at which a joint meets or leaves a
    /// limit.
    /// out     h, q_next, yd_next
    /// errors  undefined if such an event cannot be located
    Result complete(const Setting& setting, Workspace<double>& data, const State& state,
                    const Controls& controls, double& h, VectorX<double>& q_next, VectorX<double>& yd_next);
    /// Continues from the end of that attempt, which is now the state.
    /// out     the state's yd, after impulses of limits; their work is added
    Result proceed(const Setting& setting, Workspace<double>& data, State& state, const Controls& controls,
                   double& work);

    /// Computes the state within the last step.
    /// in      time since the start of the step, s
    /// out     q, yd; data.chart
    /// errors  not_finite if the time is outside the step
    Result at(const Setting& setting, Workspace<double>& data, double time, VectorX<double>& q,
              VectorX<double>& yd);
    bool has_step() const { return count_ > 0; }
    /// Discards the last step; the state does not follow from it.
    void forget() { count_ = 0; }

private:
    struct Event {
        int bound = -1;  ///< −1 if there is no event
        double theta = 1;
    };
    Result evaluate(const Setting& setting, Workspace<double>& data, const Controls& controls, int stage);
    Result find_error(const Setting& setting, Workspace<double>& data, const State& state, double h,
                      const VectorX<double>& q_next, const VectorX<double>& yd_next);
    Result fit(const Setting& setting, Workspace<double>& data, const State& state, const Controls& controls,
               double h, const VectorX<double>& q_next, const VectorX<double>& yd_next);
    Result find_event(const Setting& setting, Workspace<double>& data, const Controls& controls,
                      Event& event);
    bool may_meet(const LimitConstraints::Bound& bound, const DensePart& part) const;
    double margin(const Setting& setting, Workspace<double>& data, const Controls& controls, int bound,
                  double theta);
    Result locate(const Setting& setting, Workspace<double>& data, const Controls& controls, int bound,
                  double before, double after, Event& event);
    Result end_at(const Setting& setting, Workspace<double>& data, const State& state,
                  const Controls& controls, int bound, double& h, VectorX<double>& q_next,
                  VectorX<double>& yd_next);

    LimitConstraints limits_;
    VectorX<double> q_, yd_, tau_s_, displacement_, ydd_;
    VectorX<double> end_rate_;  ///< q̇ at the end of a part
    /// Rates of displacements, at the stages, the end and additional points [nv_tree × 14].
    MatrixX<double> rates_;
    MatrixX<double> accelerations_;  ///< ÿ [nv × 14]
    VectorX<double> powers_;         ///< of the joint forces
    double error_ = 0;
    bool begun_ = false;  ///< the first stage has been evaluated at the state
    long switches_ = 0;   ///< number of coordinate changes at that stage
    double time_ = 0;     ///< s since the step began
    Table<DensePart> parts_;
    std::size_t count_ = 0;  ///< number of parts of the last step
    Table<int> leaving_;     ///< bounds whose force becomes zero within a part
    int released_ = -1;      ///< bound that the joint leaves at the end of the last part
    bool event_ = false;     ///< the part ends when a joint meets or leaves a limit
};

}  // namespace grbda::simulation
