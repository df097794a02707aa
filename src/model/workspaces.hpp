#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "model/arguments.hpp"
#include "model/workspace.hpp"

namespace grbda {

/// Memory of functions that few programs use, made by their first call.
enum class Extra { actuation, search, step, second, constraint_forces };
inline constexpr int extra_count = static_cast<int>(Extra::constraint_forces) + 1;

/// The memory behind Data. A function computes in one of the three workspaces, so that it destroys nothing
/// that functions of another group read.
class GRBDA_EXPORT Workspaces {
public:
    explicit Workspaces(const Model& model) : general(model), dynamics(model), kinematics(model) {}
    Workspaces(const Workspaces& other);
    Workspaces& operator=(const Workspaces& other);
    ~Workspaces() = default;

    Workspace<double> general;     ///< functions that leave results in Data alone
    Workspace<double> dynamics;    ///< forward dynamics and its factors, for solve() and contact_inertia()
    Workspace<double> kinematics;  ///< forward_kinematics(), for functions of frames

    bool has_motors = false;  ///< the Jacobian of motors is valid in the present coordinates

    /// Takes the chart of `general` into the others, if it has changed.
    void share_chart();
    /// As Data::set_chart().
    void set_chart(const Chart& chart);

    /// Returns the memory of type T for one group of functions; the first call makes it.
    template <class T>
    T& extra(Extra which, const Model& model) {
        require_workspace(model, std::as_const(general));
        std::unique_ptr<Memory>& place = extras_[static_cast<std::size_t>(which)];
        if (place == nullptr) place = std::make_unique<MemoryOf<T>>(model);
        return static_cast<MemoryOf<T>&>(*place).value;
    }

private:
    struct Memory {
        Memory() = default;
        Memory(const Memory&) = default;
        Memory& operator=(const Memory&) = delete;
        virtual ~Memory() = default;
        virtual std::unique_ptr<Memory> copy() const = 0;
    };
    template <class T>
    struct MemoryOf final : Memory {
        explicit MemoryOf(const Model& model) : value(model) {}
        std::unique_ptr<Memory> copy() const override {
            if constexpr (std::is_copy_constructible_v<T>)
                return std::make_unique<MemoryOf>(*this);
            else
                return nullptr;
        }
        T value;
    };

    std::array<std::unique_ptr<Memory>, extra_count> extras_;
};

/// Gives a matrix of results its size; allocates in the first call, and fills it with NaN.
template <class M>
M& sized(M& matrix, Eigen::Index rows, Eigen::Index columns) {
    if (matrix.rows() != rows || matrix.cols() != columns) [[unlikely]]
        matrix.setConstant(rows, columns, std::numeric_limits<double>::quiet_NaN());
    return matrix;
}

/// Copies a vector of results; allocates if the program has taken the vector of the last call. Eigen's
/// assignment would use registers of 512 bits, which slow the passes that follow.
inline void copy_result(const Eigen::VectorXd& from, Eigen::VectorXd& to) {
    std::copy_n(from.data(), from.size(), sized(to, from.size(), 1).data());
}

}  // namespace grbda
