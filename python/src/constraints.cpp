#include "constraints/closure.hpp"
#include "constraints/constraint_forces.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "grbda/search/sweep.hpp"

#include "arguments.hpp"
#include "components.hpp"
#include "objects.hpp"

namespace grbda::python {
namespace {

using namespace arguments;  // NOLINT

const InOut guess{"q", nq, "independents are kept, dependents are the guess; rad, m, quaternions x y z w"};

void bind_closing(py::module_& m) {
    algorithm<Workspace>(m, "close_loops",
                         "Closes loops and couplings from the guess in q, in its assembly mode. "
                         "`Data.result` has residual and "
                         "iterations; with check=False q is returned as far as it came.",
                         GRBDA_CALL(close_loops), guess);
    algorithm<Workspace>(
        m, "closure_residual",
        "Raises StatusError if q leaves loops open; `Data.result.residual` says by how much, relative to "
        "the size of the worst cluster.",
        GRBDA_CALL(closure_residual), vector("q", nq, "all positions"));
    algorithm<Nothing>(m, "neutral_configuration", "The assembled configuration q [nq] that loading found.",
                       GRBDA_CALL_DOUBLE(neutral_configuration));
    algorithm<Nothing>(
        m, "random_configuration",
        "A random q [nq] that closes the loops, joints within their limits; equal for equal seeds.",
        [](const Model& model, std::uint64_t seed) {
            std::mt19937_64 generator(seed);
            return random_configuration(model, generator);
        },
        Value<std::uint64_t>{"seed", "int", "of the draw, 0 … 2⁶⁴ − 1"});
    algorithm<Workspace>(m, "integrate", "q moved by delta along the loops, in the same assembly mode.",
                         GRBDA_CALL(integrate), q, delta, vector_out("q", nq));
    algorithm<Workspace>(m, "pass_change_points",
                         "`integrate`, and straight on through configurations where assembly modes cross.",
                         GRBDA_CALL(pass_change_points), q, delta, vector_out("q", nq));
    algorithm<Workspace>(m, "difference", "delta with q1 = integrate(q0, delta).", GRBDA_CALL(difference),
                         vector("q0", nq, "closes the loops"), vector("q1", nq, "in the same assembly mode"),
                         vector_out("delta", nv));
    algorithm<Nothing>(m, "spanning_difference",
                       "Displacement of every joint from q0 to q1, which may leave loops open. Rotations are "
                       "vectors in the axes at q0.",
                       GRBDA_CALL_DOUBLE(spanning_difference), vector("q0", nq, "start"),
                       vector("q1", nq, "end"), vector_out("displacement", nv_tree));
    algorithm<Nothing>(m, "spanning_integrate",
                       "Moves every joint by a displacement of spanning_difference; loops open.",
                       GRBDA_CALL_DOUBLE(spanning_integrate), vector("q", nq, "all positions"),
                       vector("displacement", nv_tree, "rad or m"), vector_out("q", nq));
}

void bind_embedding(py::module_& m) {
    algorithm<Workspace>(
        m, "constraint_embedding",
        "Constraint matrices at (q, yd), for the four functions below: qd = G yd, qdd = G ydd + g, K qd = 0, "
        "K qdd = k.",
        GRBDA_CALL(constraint_embedding), q, yd);
    algorithm<Workspace>(m, "explicit_jacobian", "G [nv_tree, nv]; after `constraint_embedding`.",
                         GRBDA_CALL(explicit_jacobian));
    algorithm<Workspace>(m, "explicit_bias", "g [nv_tree]; after `constraint_embedding`.",
                         GRBDA_CALL(explicit_bias));
    algorithm<Workspace>(m, "implicit_jacobian", "K [rows, nv_tree]; after `constraint_embedding`.",
                         GRBDA_CALL(implicit_jacobian));
    algorithm<Workspace>(m, "implicit_bias", "k [rows]; after `constraint_embedding`.",
                         GRBDA_CALL(implicit_bias));
    algorithm<Workspace>(m, "spanning_velocity", "Velocities of all joints, G yd.",
                         GRBDA_CALL(spanning_velocity), q, yd, Kept{"qd", nv_tree, &qd_of});
    algorithm<Workspace>(m, "spanning_acceleration",
                         "Velocities and accelerations of all joints, G yd and G ydd + g.",
                         GRBDA_CALL(spanning_acceleration), q, yd, ydd, Kept{"qd", nv_tree, &qd_of},
                         Kept{"qdd", nv_tree, &qdd_of});
}

void bind_constraint_forces(py::module_& m) {
    algorithm<Workspace>(
        m, "constraint_forces", "Constraint forces of loops, couplings and bearings in a given motion.",
        [](const Model& model, Workspaces& data, const VectorView& q, const VectorView& yd,
           const VectorView& ydd, const WrenchView& wrenches, const VectorView& joint_forces,
           ConstraintForces& forces) {
            if (joint_forces.data() == nullptr)
                return constraint_forces<double>(model, data.general, q, yd, ydd, wrenches, forces);
            return constraint_forces<double>(model, data.general, q, yd, ydd, wrenches, joint_forces, forces);
        },
        q, yd, ydd, wrenches,
        vector("joint_forces", nv_tree, "that joints bring themselves; else tau on the independent ones",
               true),
        Filled<ConstraintForces>{"forces", "ConstraintForces"});
    algorithm<Workspace>(
        m, "static_determinacy", "Tells which components of `constraint_forces` are uniquely determined.",
        GRBDA_CALL(static_determinacy), q, Filled<Determinacy>{"determinacy", "Determinacy"});
    algorithm<Workspace>(
        m, "loop_residuals", "Gap of each loop and coupling, in m and rad.",
        [](const Model& model, Workspaces& data, const VectorView& q, Residuals& residuals) {
            residuals.loops.resize(model.loops.size());
            residuals.couplings.resize(model.couplings.size());
            return loop_residuals<double>(model, data.general, q, residuals.loops, residuals.couplings);
        },
        vector("q", nq, "all positions"), Filled<Residuals>{"residuals", "Residuals"});
}

}  // namespace

void bind_constraints(py::module_& m) {
    bind_closing(m);
    bind_embedding(m);
    bind_constraint_forces(m);
    algorithm<Nothing>(
        m, "sweep",
        "Configurations of a cluster over a range of one joint, in all assembly modes that are found.",
        [](const Model& model, const VectorView& at, int swept, double from, double to, int steps,
           int guesses, std::uint64_t seed, const std::vector<int>& watched) {
            return sweep(model, at, swept,
                         {.from = from,
                          .to = to,
                          .steps = steps,
                          .guesses = guesses,
                          .seed = seed,
                          .watched = watched});
        },
        q, Named{"body", "whose joint is swept: index, or the name of the joint", &arguments::joint_called},
        Value<double>{"start", "float", "of the joint, rad or m"},
        Value<double>{"stop", "float", "rad or m; it may be the smaller one"},
        Value<int>{"steps", "int", "of one size", 100, "100"},
        Value<int>{"guesses", "int", "random ones at each value, to find assembly modes by", 32, "32"},
        Value<std::uint64_t>{"seed", "int", "of them", 1, "1"},
        Value<std::vector<int>>{"watched", "list[int]",
                                "bodies whose joints distinguish the modes; none: all", std::vector<int>{},
                                "[]"});
}

}  // namespace grbda::python
