#include "examples.hpp"

#include <cmath>

#include "constraints/actuation.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "derivatives/solver_step.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"

namespace grbda::generated {
namespace {

using Vector = VectorX<double>;
using Matrix = MatrixX<double>;

/// Returns numbers without a pattern, equal on every platform.
Vector waves(int size, double amplitude, double frequency) {
    Vector x(size);
    for (int i = 0; i < size; ++i) x[i] = amplitude * std::sin(frequency * (i + 1));
    return x;
}

std::vector<double> list(const Vector& x) { return {x.data(), x.data() + x.size()}; }
std::vector<double> rows(const Matrix& A) {
    std::vector<double> numbers;
    for (Eigen::Index i = 0; i < A.rows(); ++i)
        for (Eigen::Index j = 0; j < A.cols(); ++j) numbers.push_back(A(i, j));
    return numbers;
}

class Library {
public:
    explicit Library(const Model& model)
        : model_(model),
          data_(model),
          q_(Eigen::Map<const Vector>(model.neutral.data(), model.nq)),
          yd_(waves(model.nv, 0.5, 1.7)),
          force_(waves(model.nv, 1, 2.3)),
          wrenches_(6, model.body_count()) {
        wrenches_ = Eigen::Map<const Matrix6X<double>>(waves(6 * model.body_count(), 1, 0.9).data(), 6,
                                                       model.body_count());
        const Vector neutral = q_;
        for (double size = 0.3; size > 0.01; size /= 2) {
            if (integrate<double>(model, data_, neutral, waves(model.nv, size, 1.1), q_).ok()) return;
            q_ = neutral;
        }
    }

    /// Evaluates a function; empty outputs mean that there is no result.
    Example run(const Request& request) {
        Example example;
        const int n = model_.nv;
        Matrix A(n, n), B(n, n), C(n, n);
        const Matrix6X<double> none(6, 0);
        const Matrix6X<double>& w = request.wrenches ? wrenches_ : none;
        Result result;
        const auto given = [&](std::initializer_list<const Vector*> inputs) {
            for (const Vector* x : inputs) example.inputs.push_back(list(*x));
            if (request.wrenches)
                example.inputs.push_back(list(Eigen::Map<const Vector>(w.data(), w.size())));
        };
        switch (request.algorithm) {
            case GeneratedAlgorithm::aba:
                given({&q_, &yd_, &force_});
                result = aba<double>(model_, data_, q_, yd_, force_, w);
                example.outputs = {list(data_.ydd)};
                break;
            case GeneratedAlgorithm::rnea:
                given({&q_, &yd_, &force_});
                result = rnea<double>(model_, data_, q_, yd_, force_, w);
                example.outputs = {list(data_.tau)};
                break;
            case GeneratedAlgorithm::bias:
                given({&q_, &yd_});
                result = rnea<double>(model_, data_, q_, yd_, Vector::Zero(n), w);
                example.outputs = {list(data_.tau)};
                break;
            case GeneratedAlgorithm::crba:
                given({&q_});
                result = crba<double>(model_, data_, q_, A);
                example.outputs = {rows(A)};
                break;
            case GeneratedAlgorithm::rnea_derivatives:
                given({&q_, &yd_, &force_});
                result = rnea_derivatives<double>(model_, data_, q_, yd_, force_, w, A, B, C);
                example.outputs = {rows(A), rows(B), rows(C)};
                break;
            case GeneratedAlgorithm::aba_derivatives:
                given({&q_, &yd_, &force_});
                result = aba_derivatives<double>(model_, data_, q_, yd_, force_, w, A, B, C);
                example.outputs = {rows(A), rows(B), rows(C), list(data_.ydd)};
                break;
            case GeneratedAlgorithm::poses:
            case GeneratedAlgorithm::twists:
            case GeneratedAlgorithm::jacobians: return of_frames(request);
            case GeneratedAlgorithm::forces:
            case GeneratedAlgorithm::forces_derivatives: return of_forces(request);
            case GeneratedAlgorithm::motors: return of_motors();
            case GeneratedAlgorithm::rnea_hessian:
            case GeneratedAlgorithm::forces_hessian:
            case GeneratedAlgorithm::tangent:
            case GeneratedAlgorithm::tangent_hessian:
            case GeneratedAlgorithm::frames_derivatives:
            case GeneratedAlgorithm::frames_hessian:
            case GeneratedAlgorithm::close: return {};
        }
        if (!result.ok()) example.outputs.clear();
        return example;
    }

private:
    Example of_forces(const Request& request) {
        SolverWorkspace work(model_, {{}, request.motors, request.joint_forces, false});
        const Vector u = waves(work.nu, 1, 2.3);
        if (!solver_forces(model_, data_, work, q_, yd_, u).ok()) return {};
        Example example{0, {list(q_), list(yd_), list(u)}, {list(work.tau)}};
        if (request.algorithm == GeneratedAlgorithm::forces_derivatives)
            for (const Matrix* by : {&work.tau_y, &work.tau_yd, &work.tau_u})
                example.outputs.push_back(rows(*by));
        return example;
    }

    Example of_motors() {
        Actuation<double> actuation(model_);
        if (!actuation_jacobian<double>(model_, data_, q_, actuation).ok()) return {};
        std::vector<double> positions;
        for (const Coordinate& c : motor_coordinates(model_))
            positions.push_back(q_[model_.bodies[c.body].q + c.component] * model_.reduction[c.body]);
        return {0, {list(q_)}, {positions, rows(actuation.J.transpose())}};
    }

    Example of_frames(const Request& request) {
        Example example;
        example.inputs.push_back(list(q_));
        if (request.algorithm == GeneratedAlgorithm::twists) example.inputs.push_back(list(yd_));
        if (!forward_kinematics<double>(model_, data_, q_, yd_).ok()) return example;
        std::vector<double> numbers;
        const auto append = [&](const std::vector<double>& x) {
            numbers.insert(numbers.end(), x.begin(), x.end());
        };
        for (const int frame : request.frames) {
            if (request.algorithm == GeneratedAlgorithm::poses) {
                append(rows(frame_orientation<double>(model_, data_, frame)));
                append(list(frame_position<double>(model_, data_, frame)));
            } else if (request.algorithm == GeneratedAlgorithm::twists) {
                append(list(frame_velocity<double>(model_, data_, frame, ReferenceFrame::world_aligned)));
            } else {
                Matrix6X<double> J = Matrix6X<double>::Zero(6, model_.nv);
                frame_jacobian<double>(model_, data_, frame, ReferenceFrame::world_aligned, J);
                append(rows(J));
            }
        }
        example.outputs = {numbers};
        return example;
    }

    const Model& model_;
    Workspace<double> data_;
    Vector q_, yd_, force_;
    Matrix6X<double> wrenches_;
};

}  // namespace

std::vector<Example> make_examples(const Model& model, const std::vector<double>& parameters,
                                   const std::vector<Function>& functions) {
    Library library(model);
    std::vector<Example> examples;
    for (std::size_t f = 0; f < functions.size(); ++f) {
        Example example = library.run(functions[f].request);
        example.function = static_cast<int>(f);
        if (functions[f].recording.inputs.back().shared) example.inputs.push_back(parameters);
        if (!example.outputs.empty()) examples.push_back(std::move(example));
    }
    return examples;
}

}  // namespace grbda::generated
