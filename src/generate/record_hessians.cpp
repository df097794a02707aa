#include "algorithms.hpp"
#include "derivatives/solver_forces.hpp"

// Records second derivatives λᵀ ∂²f: the gradient of λᵀ f by one backward pass, then its change along each
// coordinate by forward passes.

namespace grbda::generated {
namespace {

/// An input besides q on which a function depends.
struct Variable {
    const Traced* numbers = nullptr;
    int size = 0;
};

Table<Traced> list(const Traced* numbers, int size) { return Table<Traced>(numbers, numbers + size); }

/// Returns [∂(λᵀ f)/∂y; ∂(λᵀ f)/∂(variables)].
Table<Traced> gradient_along(Recorder& r, const Traced* q, const std::vector<Rates>& motions,
                             const Table<Traced>& f, const Traced* lambda,
                             const std::vector<Variable>& variables) {
    Table<Traced> all = list(q, r.model.nq);
    for (const Variable& v : variables) all.insert(all.end(), v.numbers, v.numbers + v.size);
    const Table<Traced> g = gradient(f, list(lambda, static_cast<int>(f.size())), all);
    Table<Traced> result;
    for (const Rates& motion : motions) {
        Traced sum;
        for (const auto& [number, rate] : motion)
            for (int i = 0; i < r.model.nq; ++i)
                if (q[i].step() == number.step() && !is_zero(g[i])) sum += g[i] * rate;
        result.push_back(sum);
    }
    result.insert(result.end(), g.begin() + r.model.nq, g.end());
    return result;
}

/// Outputs the changes of the gradient along each y, column by column.
void output_along(Recorder& r, const std::vector<Rates>& motions, const Table<Traced>& gradient,
                  const std::string& meaning) {
    Table<Traced> columns;
    for (const Rates& motion : motions) {
        const Table<Traced> column = derivatives_along(gradient, motion);
        columns.insert(columns.end(), column.begin(), column.end());
    }
    r.output("H", meaning + ", column by column", columns);
}

}  // namespace

void record_inverse_hessian(Recorder& r) {
    const int n = r.model.nv;
    const Traced* q = place_robot(r);
    const Traced* yd = r.input("yd", n, "velocity");
    const Traced* ydd = r.input("ydd", n, "acceleration");
    const Traced* lambda = r.input("lambda", n, "multipliers");
    const std::vector<Rates> motions = motions_along(r, q);
    const Table<Traced> tau = record_inverse(r, q, yd, ydd, nullptr),
                        g = gradient_along(r, q, motions, tau, lambda, {{yd, n}, {ydd, n}});
    output_along(r, motions, g, "change of lambda' dtau/d(y, yd, ydd) along y");
    Table<Traced> of_yd, columns;
    for (int i = 0; i < n; ++i) of_yd.push_back(g[n + i]);
    for (int j = 0; j < n; ++j) {
        const Table<Traced> column = derivatives_along(of_yd, {{yd[j], Traced(1.)}});
        columns.insert(columns.end(), column.begin(), column.end());
    }
    r.output("V", "change of lambda' dtau/dyd with velocity, column by column", columns);
}

void record_hessian_of_inputs(Recorder& r) {
    const AppliedForces applied = applied_forces_of(r.model, r.request().motors, r.request().joint_forces);
    const int n = r.model.nv, inputs = applied.inputs(r.model);
    const Traced* q = place_robot(r);
    const Traced* yd = r.input("yd", n, "velocity");
    const Traced* u = r.input("u", inputs, "inputs");
    const Traced* lambda = r.input("lambda", n, "multipliers");
    const std::vector<Rates> motions = motions_along(r, q);
    const Table<Traced> tau = record_applied_forces(r, applied, q, yd, u);
    output_along(r, motions, gradient_along(r, q, motions, tau, lambda, {{yd, n}, {u, inputs}}),
                 "change of lambda' dtau/d(y, yd, u) along y");
}

void record_tangent_hessian(Recorder& r) {
    const Traced* q = place_robot(r);
    const Traced* lambda = r.input("lambda", r.model.nq, "multipliers");
    const std::vector<Rates> motions = motions_along(r, q);
    output_along(r, motions, gradient_along(r, q, motions, list(q, r.model.nq), lambda, {}),
                 "change of lambda' dq/dy along y");
}

namespace {

/// Poses and twists of the frames.
struct Frames {
    const Traced *q, *yd;
    std::vector<Rates> motions;
    Table<Traced> numbers;
};

Frames record_frames(Recorder& r) {
    Frames frames{place_bodies(r), nullptr, {}, {}};
    frames.yd = r.input("yd", r.model.nv, "velocity");
    frames.motions = motions_along(r, frames.q);
    frames.numbers = poses_of_frames(r);
    const Table<Traced> twists = twists_of_frames(r, frames.q, frames.yd);
    frames.numbers.insert(frames.numbers.end(), twists.begin(), twists.end());
    return frames;
}

}  // namespace

void record_frame_derivatives(Recorder& r) {
    const Frames frames = record_frames(r);
    Table<Traced> columns;
    const auto add = [&](const Rates& motion) {
        const Table<Traced> column = derivatives_along(frames.numbers, motion);
        columns.insert(columns.end(), column.begin(), column.end());
    };
    for (const Rates& motion : frames.motions) add(motion);
    for (int j = 0; j < r.model.nv; ++j) add({{frames.yd[j], Traced(1.)}});
    r.output("numbers", "poses, then twists of the frames", frames.numbers);
    r.output("J", "their change with motion along y and with velocity, column by column", columns);
}

void record_frame_hessian(Recorder& r) {
    const Frames frames = record_frames(r);
    const Traced* lambda = r.input("lambda", static_cast<int>(frames.numbers.size()), "multipliers");
    output_along(
        r, frames.motions,
        gradient_along(r, frames.q, frames.motions, frames.numbers, lambda, {{frames.yd, r.model.nv}}),
        "change of lambda' d(poses, twists)/d(y, yd) along y");
}

}  // namespace grbda::generated
