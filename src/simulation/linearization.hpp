#pragma once

#include <functional>

#include "simulation/integrator/contact_step.hpp"

// Derivatives of a step through its contacts. For constant impulses s, a step is a smooth function F(x, s) of
// its initial values x = (y, ẏ, τ_s), and so are the quantities in its laws. Their derivatives are central
// differences of the step itself, in which each law stays on the piece of v̂(gap) that it has at the base.
// The change of s is implicit in s = γ(u* + Λ⁻¹ s) and uses the factors of the solver:
//   dF/dx = ∂F/∂x + ∂F/∂s ds/dx      ds/dx = (1 + Γ Λ⁻¹)⁻¹ Γ ∂(v̂ − u − R y)/∂x at constant s and y

namespace grbda::simulation {

class Linearization {
public:
    /// A step by a rule without contacts.
    using SmoothStep = std::function<Result(const State& from, const Controls&, VectorX<double>& q_next,
                                            VectorX<double>& yd_next)>;

    explicit Linearization(const Setting& setting);

    /// in      smooth  null if the rule has contacts
    /// out     J [2 nv × 2 nv + nv_tree]: derivatives of q⁺ and ẏ⁺ by q, ẏ and τ_s
    /// errors  undefined if one step is too long for the motion; those of a step
    Result find(const Setting& setting, const State& state, const Controls& controls,
                const SmoothStep* smooth, MatrixX<double>& J);

private:
    /// Result of a step: its end minus that of the base, and by rows the misfits of the laws relative to the
    /// base.
    struct Ends {
        VectorX<double> end, misfit;
    };
    struct Row {
        std::uint64_t key = 0;  ///< of its law, constant over steps
        Eigen::Index row = 0, size = 0;
        std::size_t law = 0;  ///< index among the laws
    };

    Result begin(const Setting& setting, const State& state, const Controls& controls);
    void start_beside(const Setting& setting, Eigen::Index column, double by);
    Result go(const Setting& setting, Ends& ends);
    Result difference(const Setting& setting, Eigen::Index column, double by, Ends& slope);
    Result difference_by_impulse(const Setting& setting, Eigen::Index row, VectorX<double>& slope);
    Result find_size(const Setting& setting, Eigen::Index column, double& by);
    void list_rows(const State& state, const ContactStep& step, std::vector<Row>& rows) const;
    const Row* counterpart(const Row& row) const;
    Result hand_over();
    void compare(const Setting& setting, VectorX<double>& misfit);
    double gap(const Setting& setting, const State& state, const ContactStep& step, std::size_t law) const;
    double target_at_fixed_impulse(const Setting& setting, const Row& row, std::size_t trial_law,
                                   Eigen::Index trial_row) const;

    const SmoothStep* smooth_ = nullptr;  ///< of the present call
    ContactStep base_step_, trial_step_;
    State base_, trial_;
    Workspace<double> data_;
    Controls controls_;
    std::vector<double> tau_s_, given_;  ///< of the trial; of the base
    std::vector<Row> rows_, trial_rows_;
    VectorX<double> impulses_, short_, softness_;             ///< of the base by rows: s, v̂ − u, R
    VectorX<double> q_end_, yd_end_, q_, yd_, displacement_;  ///< end of the base; of the trial
    Ends ahead_, behind_;
};

}  // namespace grbda::simulation
