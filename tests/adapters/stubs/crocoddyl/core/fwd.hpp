#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include <Eigen/Core>

// The part of Crocoddyl's interface that the adapter uses, with names and signatures as in Crocoddyl 3.
// CROCODDYL_STUB_3_0: as in 3.0.1, whose models are not converted to other scalars.

namespace crocoddyl {

enum AssignmentOp { setto, addto, rmfrom };
inline bool is_a_AssignmentOp(AssignmentOp op) { return op == setto || op == addto || op == rmfrom; }

template <typename Scalar>
struct MathBaseTpl {
    using VectorXs = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
    using MatrixXs = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
};

template <typename Scalar>
class StateAbstractTpl;
template <typename Scalar>
class DifferentialActionModelAbstractTpl;
template <typename Scalar>
struct DifferentialActionDataAbstractTpl;

}  // namespace crocoddyl

#ifndef CROCODDYL_STUB_3_0
#define CROCODDYL_BASE_CAST(base, model)                     \
    virtual std::shared_ptr<base> cloneAsDouble() const = 0; \
    virtual std::shared_ptr<base> cloneAsFloat() const = 0;
#endif
