#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "grbda/batch/batch_data.hpp"
#include "derivatives/constraint_force_derivatives.hpp"
#include "derivatives/second_derivatives.hpp"
#include "derivatives/step_derivatives.hpp"
#include "grbda/description.hpp"
#include "grbda/mechanism.hpp"
#include "model/workspaces.hpp"
#include "grbda/model/model.hpp"
#include "search/search.hpp"
#include "grbda/status.hpp"
#include "interpreter.hpp"

// The C++ objects in objects of Python. They are never moved from, and each shares ownership of its robot.

namespace grbda::python {

namespace py = pybind11;

/// A model with the description from which it was built, for functions that need it. Never changed.
struct Robot : std::enable_shared_from_this<Robot> {
    std::optional<RobotDescription> description;  ///< absent for an edited mechanism
    Mechanism mechanism;
    LoadOptions options;
    std::vector<double> armature;  ///< [nv_tree] added by with_armature(); empty: none
    Model model;
};
using RobotPointer = std::shared_ptr<const Robot>;

/// Common part of workspaces: the robot, the result of the last call, and whether a call is running, because
/// a workspace serves one thread at a time.
struct Work {
    explicit Work(RobotPointer of) : robot(std::move(of)) {}

    RobotPointer robot;
    Result result;
    bool busy = false;  ///< read and written under the interpreter's lock
};

/// Data with the other workspaces that C++ passes beside it, each made when it is first needed.
struct Workspace : Work {
    explicit Workspace(const RobotPointer& of) : Work(of), value(of->model) {}

    Workspaces value;
    std::optional<StepDerivatives<double>> step;
    std::optional<SecondDerivatives> second;
    std::optional<Search<double>> search;
};

/// Results that Data shows as attributes, in the workspace whose functions compute them.
inline Eigen::VectorXd& ydd_of(Workspaces& all) { return all.dynamics.ydd; }
inline Eigen::VectorXd& tau_of(Workspaces& all) { return all.general.tau; }
inline Eigen::VectorXd& tau_tree_of(Workspaces& all) { return all.general.tau_tree; }
inline Eigen::VectorXd& qd_of(Workspaces& all) { return all.general.qd; }
inline Eigen::VectorXd& qdd_of(Workspaces& all) { return all.general.qdd; }

struct BatchWorkspace : Work {
    BatchWorkspace(const RobotPointer& of, int threads, Simd simd)
        : Work(of), value(of->model, threads, simd) {}

    BatchData value;
    std::vector<Status> statuses;  ///< of the last call
    Unlocked* unlocked = nullptr;  ///< of the call that runs
};

/// Results of an algorithm that fill an object, or a workspace with results to be read.
template <class T>
struct Holding : Work {
    template <class... A>
    explicit Holding(const RobotPointer& of, A... sizes) : Work(of), value(made(of->model, sizes...)) {}

    T value;

private:
    template <class... A>
    static T made(const Model& model, A... sizes) {
        if constexpr (std::is_constructible_v<T, const Model&, A...>)
            return T(model, sizes...);
        else
            return T{};
    }
};

/// Reserves a workspace for one call: raises RuntimeError if another thread uses it. Made and destroyed under
/// the interpreter's lock.
class Use {
public:
    Use(Work& work, const char* function) : work_(&work) {
        if (work.busy)
            throw std::runtime_error(std::string(function) + ": this workspace is in use by another thread");
        work.busy = true;
    }
    Use(Use&& other) noexcept : work_(std::exchange(other.work_, nullptr)) {}
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Use& operator=(Use&&) = delete;
    ~Use() {
        if (work_ != nullptr) work_->busy = false;
    }

private:
    Work* work_;
};

/// An attribute that is read while no other thread uses the workspace.
template <class W, class Read>
auto guarded(const char* name, Read read) {
    return [name, read](W& work) {
        const Use use(work, name);
        return read(work);
    };
}

/// The parameter `model` of a constructor.
inline py::arg model_argument() {
    py::arg model("model");
    model.none(false);
    return model;
}
/// A parameter that must be True or False, not an object that Python converts to one of them.
inline py::arg flag(const char* name) {
    py::arg argument(name);
    argument.noconvert();
    return argument;
}

/// Converts a robot to the state that pickle stores, and back.
py::tuple state_of(const Robot& robot);
std::shared_ptr<Robot> robot_from(const py::tuple& state);

/// Raises StatusError with the outcome, in names of the robot.
[[noreturn]] void raise_status(const char* function, const Robot& robot, const Result& result,
                               const std::string& where = {});
/// Python's error for the exception that is being handled.
void set_error(const char* function) noexcept;

}  // namespace grbda::python
