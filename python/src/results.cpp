#include <pybind11/stl.h>

#include "components.hpp"
#include "objects.hpp"
#include "values.hpp"

namespace grbda::python {
namespace {

/// An object that algorithms fill, made for a model.
template <class T>
auto holding(py::module_& m, const char* name, const char* text) {
    using Held = Holding<T>;
    return py::class_<Held, std::shared_ptr<Held>>(m, name, text)
        .def(py::init([](const std::shared_ptr<Robot>& model) { return std::make_shared<Held>(model); }),
             model_argument(),
             "__init__(self, model: Model) -> None\n\nMakes an object that can be passed as `out`.")
        .def_property_readonly(
            "result", [](const Held& h) { return h.result; }, "Result: of the last call that used it");
}

/// A view of an array of the object, without a copy.
template <class T, class Matrix>
auto looked_at(Matrix T::*member) {
    return [member](const py::object& self) {
        const Matrix& values = self.cast<const Holding<T>&>().value.*member;
        Shape shape{.rows = values.rows()};
        if constexpr (Matrix::ColsAtCompileTime != 1) shape.columns = values.cols();
        return view(values.data(), shape, self);
    };
}

template <class T, class X>
auto number(X T::*member) {
    return guarded<Holding<T>>("this object",
                               [member](const Holding<T>& held) { return held.value.*member; });
}

/// A copy of the object's data, made by `read`.
template <class T, class Read>
auto copied(Read read) {
    return guarded<Holding<T>>("this object", [read](const Holding<T>& held) { return read(held.value); });
}

void bind_forces(py::module_& m) {
    using F = ConstraintForces;
    holding<F>(
        m, "ConstraintForces",
        "Forces of loops, couplings and bearings: [force; moment], N and N·m, on successors and children.")
        .def_property_readonly("loops", looked_at(&F::loops),
                               "Array: [6, loops] at the origin of Q, in the axes of P")
        .def_property_readonly("loops_world", looked_at(&F::loops_world),
                               "Array: [6, loops] the same in the axes of the world")
        .def_property_readonly("joints", looked_at(&F::joints),
                               "Array: [6, bodies] through each bearing, in the body's axes")
        .def_property_readonly("joints_world", looked_at(&F::joints_world),
                               "Array: [6, bodies] the same in the axes of the world")
        .def_property_readonly("multipliers", looked_at(&F::multipliers), "Array: [rows] of K")
        .def_property_readonly("tree", looked_at(&F::tree),
                               "Array: [nv_tree] forces that joints need, loops and couplings cut")
        .def_property_readonly("tau", looked_at(&F::tau), "Array: [nv] result of `rnea`");
    using D = DualConstraintForces;
    const auto matrix = [](Eigen::MatrixXd ConstraintForceDerivatives::*member) {
        return looked_at(static_cast<Eigen::MatrixXd D::*>(member));
    };
    holding<D>(m, "ConstraintForceDerivatives", "Derivatives of `ConstraintForces` along [y yd ydd].")
        .def_property_readonly("loops", matrix(&D::loops),
                               "Array: [6 loops, 3 nv] in the axes of P, which turn along")
        .def_property_readonly("loops_world", matrix(&D::loops_world),
                               "Array: [6 loops, 3 nv] in the axes of the world")
        .def_property_readonly("joints", matrix(&D::joints), "Array: [6 bodies, 3 nv] in the body's axes")
        .def_property_readonly("joints_world", matrix(&D::joints_world),
                               "Array: [6 bodies, 3 nv] in the axes of the world")
        .def_property_readonly("multipliers", matrix(&D::multipliers), "Array: [rows, 3 nv]")
        .def_property_readonly("tree", matrix(&D::tree), "Array: [nv_tree, 3 nv]");
    using A = Actuation<double>;
    holding<A>(m, "Actuation", "Motors of a robot at a configuration.")
        .def_property_readonly("J", looked_at(&A::J), "Array: [motors, nv] velocities of motors are J yd")
        .def_property_readonly("undriven", number(&A::undriven), "int: freedoms that no motor moves")
        .def_property_readonly("redundant", number(&A::redundant),
                               "int: number of independent internal motor forces");
}

void bind_states(py::module_& m) {
    using S = MechanicalState;
    holding<S>(m, "MechanicalState", "Energy, centre of mass and momentum of all moving bodies.")
        .def_property_readonly("kinetic", number(&S::kinetic), "float: J")
        .def_property_readonly("potential", number(&S::potential), "float: J, zero at the world's origin")
        .def_property_readonly("mass", number(&S::mass), "float: kg")
        .def_property_readonly("com", looked_at(&S::com), "Array: [3] m, in the world")
        .def_property_readonly("linear_momentum", looked_at(&S::linear_momentum),
                               "Array: [3] kg m/s, world axes")
        .def_property_readonly("angular_momentum", looked_at(&S::angular_momentum),
                               "Array: [3] kg m²/s about the centre of mass");
}

py::array_t<bool> flags(const Eigen::Array<bool, 6, Eigen::Dynamic>& values) {
    py::array_t<bool> array({py::ssize_t{6}, values.cols()});
    for (Eigen::Index j = 0; j < values.cols(); ++j)
        for (Eigen::Index i = 0; i < 6; ++i) array.mutable_at(i, j) = values(i, j);
    return array;
}

void bind_determinacy(py::module_& m) {
    using D = Determinacy;
    holding<Determinacy>(m, "Determinacy",
                         "Tells which components of `ConstraintForces` are uniquely determined.")
        .def_property_readonly("loops", copied<D>([](const D& d) { return flags(d.loops); }),
                               "NDArray[np.bool_]: [6, loops] is unique")
        .def_property_readonly("joints", copied<D>([](const D& d) { return flags(d.joints); }),
                               "NDArray[np.bool_]: [6, bodies] is unique")
        .def_property_readonly("multipliers", copied<D>([](const D& d) {
                                   return std::vector<bool>(d.multipliers.begin(), d.multipliers.end());
                               }),
                               "list[bool]: of each row of K: is unique")
        .def_property_readonly(
            "redundancy", copied<D>([](const D& d) { return std::vector<int>(d.redundancy); }),
            "list[int]: of each cluster: rows of its loops and couplings as written, less their rank");
    py::class_<LoopGap> gap(m, "LoopGap", "Gap of one loop or coupling.");
    bind_numbers(gap);
    gap.def_readonly("length", &LoopGap::length, "float: m")
        .def_readonly("angle", &LoopGap::angle, "float: rad")
        .def_readonly("opposed", &LoopGap::opposed, "bool: axes point against each other");
    using R = Residuals;
    holding<Residuals>(m, "Residuals", "Gaps of loops and couplings.")
        .def_property_readonly("loops", copied<R>([](const R& r) { return r.loops; }),
                               "list[LoopGap]: as `Model.loops`")
        .def_property_readonly("couplings", copied<R>([](const R& r) { return r.couplings; }),
                               "list[LoopGap]: as `Model.couplings`");
}

void bind_sweep(py::module_& m) {
    py::enum_<BranchEnd>(m, "BranchEnd", "Reason why a branch of a sweep ends.")
        .value("bound", BranchEnd::bound)
        .value("fold", BranchEnd::fold)
        .value("lost", BranchEnd::lost);
    py::class_<SweepPoint> point(m, "SweepPoint", "A configuration of a branch.");
    bind_members(point, &SweepPoint::value, &SweepPoint::step, &SweepPoint::q, &SweepPoint::rcond,
                 &SweepPoint::within_limits);
    point.def_readonly("value", &SweepPoint::value, "float: of the swept joint, rad or m")
        .def_readonly("step", &SweepPoint::step, "int: 0 … steps; -1: between two, where the branch ends")
        .def_property_readonly(
            "q", [](const SweepPoint& p) { return to_python(Eigen::Ref<const Eigen::VectorXd>(p.q)); },
            "Array: [nq] closed")
        .def_readonly("rcond", &SweepPoint::rcond, "float: of the cluster's K_d")
        .def_readonly("within_limits", &SweepPoint::within_limits, "bool: all joints of the cluster");
    py::class_<SweepBranch> branch(m, "SweepBranch", "Configurations of one assembly mode.");
    bind_members(branch, &SweepBranch::points, &SweepBranch::begins, &SweepBranch::ends,
                 &SweepBranch::begins_with, &SweepBranch::ends_with);
    branch.def_readonly("points", &SweepBranch::points, "list[SweepPoint]: in the order of the sweep")
        .def_readonly("begins", &SweepBranch::begins, "BranchEnd: how it begins")
        .def_readonly("ends", &SweepBranch::ends, "BranchEnd: how it ends")
        .def_readonly("begins_with", &SweepBranch::begins_with,
                      "int: another branch from the same fold; -1: none")
        .def_readonly("ends_with", &SweepBranch::ends_with, "int: another branch to the same fold; -1: none");
    py::class_<Sweep> sweep(m, "Sweep", "Workspace of one joint.");
    bind_members(sweep, &Sweep::body, &Sweep::values, &Sweep::branches, &Sweep::guesses, &Sweep::closed);
    sweep.def_readonly("body", &Sweep::body, "int: whose joint was swept")
        .def_readonly("values", &Sweep::values, "list[float]: rad or m")
        .def_readonly("branches", &Sweep::branches,
                      "list[SweepBranch]: one for each assembly mode and stretch")
        .def_readonly("guesses", &Sweep::guesses, "int: that were tried")
        .def_readonly("closed", &Sweep::closed, "int: of them, that led to a closed configuration");
}

}  // namespace

void bind_results(py::module_& m) {
    bind_forces(m);
    bind_states(m);
    bind_determinacy(m);
    bind_sweep(m);
}

}  // namespace grbda::python
