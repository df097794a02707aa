#pragma once

#include <memory>

#include "aligator/core/manifold-base.hpp"
#include "aligator/third-party/polymorphic_cxx14.h"

namespace aligator {

template <typename Scalar_>
struct ExplicitDynamicsDataTpl;

template <typename Scalar_>
struct ExplicitDynamicsModelTpl {
    using Scalar = Scalar_;
    using Manifold = ManifoldAbstractTpl<Scalar>;
    using ConstVectorRef = typename Manifold::ConstVectorRef;
    using Data = ExplicitDynamicsDataTpl<Scalar>;

    ExplicitDynamicsModelTpl(const xyz::polymorphic<Manifold>& space, const int inputs)
        : space_(space), space_next_(space), nu(inputs) {}
    virtual ~ExplicitDynamicsModelTpl() = default;

    const Manifold& space() const { return *space_; }
    const Manifold& space_next() const { return *space_next_; }
    int nx1() const { return space_->nx(); }
    int ndx1() const { return space_->ndx(); }
    int nx2() const { return space_next_->nx(); }
    int ndx2() const { return space_next_->ndx(); }

    virtual void forward(const ConstVectorRef& x, const ConstVectorRef& u, Data& data) const = 0;
    virtual void dForward(const ConstVectorRef& x, const ConstVectorRef& u, Data& data) const = 0;
    virtual std::shared_ptr<Data> createData() const { return std::make_shared<Data>(*this); }

    xyz::polymorphic<Manifold> space_;
    xyz::polymorphic<Manifold> space_next_;
    int nu;
};

template <typename Scalar_>
struct ExplicitDynamicsDataTpl {
    using Scalar = Scalar_;
    using Model = ExplicitDynamicsModelTpl<Scalar>;
    using VectorXs = typename Model::Manifold::VectorXs;
    using MatrixXs = typename Model::Manifold::MatrixXs;

    explicit ExplicitDynamicsDataTpl(const Model& model)
        : ndx1(model.ndx1()),
          nu(model.nu),
          xnext_(model.space().neutral()),
          jac_buffer_(MatrixXs::Zero(model.ndx2(), model.ndx1() + model.nu)) {}
    virtual ~ExplicitDynamicsDataTpl() = default;

    auto Jx() { return jac_buffer_.leftCols(ndx1); }
    auto Ju() { return jac_buffer_.rightCols(nu); }

protected:
    int ndx1, nu;

public:
    VectorXs xnext_;
    MatrixXs jac_buffer_;
};

}  // namespace aligator
