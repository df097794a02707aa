#pragma once

#include <Eigen/Core>

// The part of Aligator's interface that the adapter uses, with names and signatures as in Aligator 0.19.

namespace aligator {

template <typename Scalar_>
struct ManifoldAbstractTpl {
    using Scalar = Scalar_;
    using VectorXs = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
    using MatrixXs = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    using VectorRef = Eigen::Ref<VectorXs>;
    using MatrixRef = Eigen::Ref<MatrixXs>;
    using ConstVectorRef = Eigen::Ref<const VectorXs>;

    ManifoldAbstractTpl(int nx, int ndx) : nx_(nx), ndx_(ndx) {}
    virtual ~ManifoldAbstractTpl() = default;

    int nx() const { return nx_; }
    int ndx() const { return ndx_; }

    [[nodiscard]] VectorXs neutral() const {
        VectorXs out(nx());
        neutral_impl(out);
        return out;
    }
    [[nodiscard]] VectorXs rand() const {
        VectorXs out(nx());
        rand_impl(out);
        return out;
    }
    virtual bool isNormalized(const ConstVectorRef&) const { return true; }

    void integrate(const ConstVectorRef& x, const ConstVectorRef& v, VectorRef out) const {
        integrate_impl(x, v, out);
    }
    void Jintegrate(const ConstVectorRef& x, const ConstVectorRef& v, MatrixRef Jout, int arg) const {
        Jintegrate_impl(x, v, Jout, arg);
    }
    void JintegrateTransport(const ConstVectorRef& x, const ConstVectorRef& v, MatrixRef Jout,
                             int arg) const {
        JintegrateTransport_impl(x, v, Jout, arg);
    }
    void difference(const ConstVectorRef& x0, const ConstVectorRef& x1, VectorRef out) const {
        difference_impl(x0, x1, out);
    }
    void Jdifference(const ConstVectorRef& x0, const ConstVectorRef& x1, MatrixRef Jout, int arg) const {
        Jdifference_impl(x0, x1, Jout, arg);
    }

protected:
    int nx_, ndx_;

    virtual void integrate_impl(const ConstVectorRef& x, const ConstVectorRef& v, VectorRef out) const = 0;
    virtual void Jintegrate_impl(const ConstVectorRef& x, const ConstVectorRef& v, MatrixRef Jout,
                                 int arg) const = 0;
    virtual void JintegrateTransport_impl(const ConstVectorRef& x, const ConstVectorRef& v, MatrixRef Jout,
                                          int arg) const = 0;
    virtual void difference_impl(const ConstVectorRef& x0, const ConstVectorRef& x1, VectorRef out) const = 0;
    virtual void Jdifference_impl(const ConstVectorRef& x0, const ConstVectorRef& x1, MatrixRef Jout,
                                  int arg) const = 0;
    virtual void neutral_impl(VectorRef out) const { out.setZero(); }
    virtual void rand_impl(VectorRef out) const { out.setRandom(); }
};

}  // namespace aligator
