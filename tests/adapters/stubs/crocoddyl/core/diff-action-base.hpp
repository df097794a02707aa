#pragma once

#include "crocoddyl/core/fwd.hpp"
#include "crocoddyl/core/state-base.hpp"

namespace crocoddyl {

class DifferentialActionModelBase {
public:
    virtual ~DifferentialActionModelBase() = default;
#ifdef CROCODDYL_BASE_CAST
    CROCODDYL_BASE_CAST(DifferentialActionModelBase, DifferentialActionModelAbstractTpl)
#endif
};

template <typename Scalar_>
class DifferentialActionModelAbstractTpl : public DifferentialActionModelBase {
public:
    using Scalar = Scalar_;
    using DifferentialActionDataAbstract = DifferentialActionDataAbstractTpl<Scalar>;
    using StateAbstract = StateAbstractTpl<Scalar>;
    using VectorXs = typename MathBaseTpl<Scalar>::VectorXs;
    using MatrixXs = typename MathBaseTpl<Scalar>::MatrixXs;

    DifferentialActionModelAbstractTpl(std::shared_ptr<StateAbstract> state, const std::size_t nu,
                                       const std::size_t nr = 0, const std::size_t ng = 0,
                                       const std::size_t nh = 0, const std::size_t ng_T = 0,
                                       const std::size_t nh_T = 0)
        : nu_(nu),
          nr_(nr),
          ng_(ng),
          nh_(nh),
          ng_T_(ng_T),
          nh_T_(nh_T),
          state_(std::move(state)),
          unone_(VectorXs::Zero(static_cast<Eigen::Index>(nu))),
          u_lb_(unone_),
          u_ub_(unone_) {}

    virtual void calc(const std::shared_ptr<DifferentialActionDataAbstract>& data,
                      const Eigen::Ref<const VectorXs>& x, const Eigen::Ref<const VectorXs>& u) = 0;
    virtual void calc(const std::shared_ptr<DifferentialActionDataAbstract>& data,
                      const Eigen::Ref<const VectorXs>& x) {
        calc(data, x, unone_);
    }
    virtual void calcDiff(const std::shared_ptr<DifferentialActionDataAbstract>& data,
                          const Eigen::Ref<const VectorXs>& x, const Eigen::Ref<const VectorXs>& u) = 0;
    virtual void calcDiff(const std::shared_ptr<DifferentialActionDataAbstract>& data,
                          const Eigen::Ref<const VectorXs>& x) {
        calcDiff(data, x, unone_);
    }
    virtual std::shared_ptr<DifferentialActionDataAbstract> createData() = 0;
    virtual bool checkData(const std::shared_ptr<DifferentialActionDataAbstract>&) { return false; }

    std::size_t get_nu() const { return nu_; }
    std::size_t get_nr() const { return nr_; }
    const std::shared_ptr<StateAbstract>& get_state() const { return state_; }
    const VectorXs& get_u_lb() const { return u_lb_; }
    const VectorXs& get_u_ub() const { return u_ub_; }
    bool get_has_control_limits() const { return has_control_limits_; }
    void set_u_lb(const VectorXs& u_lb) {
        u_lb_ = u_lb;
        update_has_control_limits();
    }
    void set_u_ub(const VectorXs& u_ub) {
        u_ub_ = u_ub;
        update_has_control_limits();
    }

protected:
    void update_has_control_limits() {
        has_control_limits_ = u_lb_.array().isFinite().any() && u_ub_.array().isFinite().any();
    }

    std::size_t nu_, nr_, ng_, nh_, ng_T_, nh_T_;
    std::shared_ptr<StateAbstract> state_;
    VectorXs unone_, u_lb_, u_ub_;
    bool has_control_limits_ = false;
};

template <typename Scalar_>
struct DifferentialActionDataAbstractTpl {
    using Scalar = Scalar_;
    using VectorXs = typename MathBaseTpl<Scalar>::VectorXs;
    using MatrixXs = typename MathBaseTpl<Scalar>::MatrixXs;

    template <template <typename> class Model>
    explicit DifferentialActionDataAbstractTpl(Model<Scalar>* const model)
        : DifferentialActionDataAbstractTpl(static_cast<Eigen::Index>(model->get_state()->get_nv()),
                                            static_cast<Eigen::Index>(model->get_state()->get_ndx()),
                                            static_cast<Eigen::Index>(model->get_nu()),
                                            static_cast<Eigen::Index>(model->get_nr())) {}
    virtual ~DifferentialActionDataAbstractTpl() = default;

    Scalar cost = 0;
    VectorXs xout;
    MatrixXs Fx, Fu;
    VectorXs r, Lx, Lu;
    MatrixXs Lxx, Lxu, Luu;

private:
    DifferentialActionDataAbstractTpl(Eigen::Index nv, Eigen::Index ndx, Eigen::Index nu, Eigen::Index nr)
        : xout(VectorXs::Zero(nv)),
          Fx(MatrixXs::Zero(nv, ndx)),
          Fu(MatrixXs::Zero(nv, nu)),
          r(VectorXs::Zero(nr)),
          Lx(VectorXs::Zero(ndx)),
          Lu(VectorXs::Zero(nu)),
          Lxx(MatrixXs::Zero(ndx, ndx)),
          Lxu(MatrixXs::Zero(ndx, nu)),
          Luu(MatrixXs::Zero(nu, nu)) {}
};

}  // namespace crocoddyl
