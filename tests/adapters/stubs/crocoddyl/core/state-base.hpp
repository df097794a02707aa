#pragma once

#include "crocoddyl/core/fwd.hpp"

namespace crocoddyl {

enum Jcomponent { both = 0, first = 1, second = 2 };
inline bool is_a_Jcomponent(Jcomponent c) { return c == both || c == first || c == second; }

class StateBase {
public:
    virtual ~StateBase() = default;
#ifdef CROCODDYL_BASE_CAST
    CROCODDYL_BASE_CAST(StateBase, StateAbstractTpl)
#endif
};

template <typename Scalar_>
class StateAbstractTpl : public StateBase {
public:
    using Scalar = Scalar_;
    using VectorXs = typename MathBaseTpl<Scalar>::VectorXs;
    using MatrixXs = typename MathBaseTpl<Scalar>::MatrixXs;

    StateAbstractTpl(const std::size_t nx, const std::size_t ndx)
        : nx_(nx),
          ndx_(ndx),
          nq_(nx - ndx / 2),
          nv_(ndx / 2),
          lb_(VectorXs::Constant(static_cast<Eigen::Index>(nx), -std::numeric_limits<Scalar>::infinity())),
          ub_(-lb_) {}
    ~StateAbstractTpl() override = default;

    virtual VectorXs zero() const = 0;
    virtual VectorXs rand() const = 0;
    virtual void diff(const Eigen::Ref<const VectorXs>& x0, const Eigen::Ref<const VectorXs>& x1,
                      Eigen::Ref<VectorXs> dxout) const = 0;
    virtual void integrate(const Eigen::Ref<const VectorXs>& x, const Eigen::Ref<const VectorXs>& dx,
                           Eigen::Ref<VectorXs> xout) const = 0;
    virtual void Jdiff(const Eigen::Ref<const VectorXs>& x0, const Eigen::Ref<const VectorXs>& x1,
                       Eigen::Ref<MatrixXs> Jfirst, Eigen::Ref<MatrixXs> Jsecond,
                       const Jcomponent firstsecond = both) const = 0;
    virtual void Jintegrate(const Eigen::Ref<const VectorXs>& x, const Eigen::Ref<const VectorXs>& dx,
                            Eigen::Ref<MatrixXs> Jfirst, Eigen::Ref<MatrixXs> Jsecond,
                            const Jcomponent firstsecond = both, const AssignmentOp op = setto) const = 0;
    virtual void JintegrateTransport(const Eigen::Ref<const VectorXs>& x,
                                     const Eigen::Ref<const VectorXs>& dx, Eigen::Ref<MatrixXs> Jin,
                                     const Jcomponent firstsecond) const = 0;

    std::size_t get_nx() const { return nx_; }
    std::size_t get_ndx() const { return ndx_; }
    std::size_t get_nq() const { return nq_; }
    std::size_t get_nv() const { return nv_; }
    const VectorXs& get_lb() const { return lb_; }
    const VectorXs& get_ub() const { return ub_; }
    bool get_has_limits() const { return has_limits_; }

protected:
    void update_has_limits() { has_limits_ = lb_.array().isFinite().any() || ub_.array().isFinite().any(); }

    std::size_t nx_, ndx_, nq_, nv_;
    VectorXs lb_, ub_;
    bool has_limits_ = false;
};

}  // namespace crocoddyl
