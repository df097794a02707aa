#include "dynamics/energy.hpp"

#include <initializer_list>

#include "dynamics_outcome.hpp"
#include "kernels/derivatives/momentum.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
struct Named {
    const char* name;
    MatrixOut<S>& matrix;
};

template <class S>
void require_shape(const Model& model, int rows, std::initializer_list<Named<S>> outputs) {
    for (const Named<S>& x : outputs) {
        require_size(x.name, x.matrix.rows(), rows);
        require_size(x.name, x.matrix.cols(), model.nv);
    }
}

template <class S>
void put(const Force<S>& f, MatrixOut<S>& matrix, int column) {
    matrix.col(column) << f.linear.x, f.linear.y, f.linear.z, f.angular.x, f.angular.y, f.angular.z;
}

/// The linear part for each unit of mass: a motion of the centre of mass.
template <class S>
void put_com(const Force<S>& f, const S& share, MatrixOut<S>& matrix, int column) {
    matrix.col(column) << f.linear.x * share, f.linear.y * share, f.linear.z * share;
}

template <class S>
S share_of(const S& mass) {
    return mass > S(0) ? S(1) / mass : S(0);
}

/// Passes at rest; use(pass) reads its columns.
template <class S, class Use>
Result at_rest(const Model& model, Workspace<S>& data, ConstVector<S> q, const Use& use) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    if (!kernels::usable<S>(model, q.data())) return {Status::not_finite};
    kernels::positions<S>(model, data, q.data());
    kernels::MomentumPass<false, S> pass(model, data);
    use(pass);
    return dynamics_outcome(model, data);
}

/// In motion; ydd null: ÿ = 0.
template <class S, class Use>
Result in_motion(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd, const S* ydd,
                 const Use& use) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    if (!kernels::usable_in_dynamics<S>(model, q.data(), yd.data(), ydd, nullptr))
        return {Status::not_finite};
    kernels::derivatives::vary_motions<S>(model, data, q.data(), yd.data(), ydd);
    kernels::MomentumPass<true, S> pass(model, data);
    use(pass);
    return dynamics_outcome(model, data);
}

}  // namespace

template <class S>
Result momentum_matrix(const Model& model, Workspace<S>& data, ConstVector<S> q, MatrixOut<S> A) {
    require_shape<S>(model, 6, {{"A", A}});
    const Result result = at_rest<S>(model, data, q, [&A](auto& pass) {
        pass.columns([&A](int column, const auto& x) { put(x.momentum_yd, A, column); });
    });
    return kernels::delivered_matrices<S, MatrixOut<S>>(result, {&A});
}

template <class S>
Result momentum_matrix(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                       MatrixOut<S> A, MatrixOut<S> A_rate) {
    require_shape<S>(model, 6, {{"A", A}, {"A_rate", A_rate}});
    const Result result = in_motion<S>(model, data, q, yd, nullptr, [&](auto& pass) {
        pass.columns([&](int column, const auto& x) {
            put(x.momentum_yd, A, column);
            put(x.rate_yd - x.momentum_y, A_rate, column);  // ∂(A ÿ + Ȧ ẏ)/∂ẏ_k = Ȧ_k + (∂A/∂y_k) ẏ
        });
    });
    return kernels::delivered_matrices<S, MatrixOut<S>>(result, {&A, &A_rate});
}

template <class S>
Result momentum_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                            ConstVector<S> ydd, MatrixOut<S> dh_dy, MatrixOut<S> dhd_dy, MatrixOut<S> dhd_dyd,
                            MatrixOut<S> A) {
    require_size("ydd", ydd.size(), model.nv);
    require_shape<S>(model, 6, {{"dh_dy", dh_dy}, {"dhd_dy", dhd_dy}, {"dhd_dyd", dhd_dyd}, {"A", A}});
    const Result result = in_motion<S>(model, data, q, yd, ydd.data(), [&](auto& pass) {
        pass.columns([&](int column, const auto& x) {
            put(x.momentum_y, dh_dy, column);
            put(x.rate_y, dhd_dy, column);
            put(x.rate_yd, dhd_dyd, column);
            put(x.momentum_yd, A, column);
        });
    });
    return kernels::delivered_matrices<S, MatrixOut<S>>(result, {&dh_dy, &dhd_dy, &dhd_dyd, &A});
}

template <class S>
Result com_jacobian(const Model& model, Workspace<S>& data, ConstVector<S> q, MatrixOut<S> J) {
    require_shape<S>(model, 3, {{"J", J}});
    const Result result = at_rest<S>(model, data, q, [&J](auto& pass) {
        const S share = share_of(pass.totals().mass);
        pass.columns([&](int column, const auto& x) { put_com(x.momentum_yd, share, J, column); });
    });
    return kernels::delivered_matrices<S, MatrixOut<S>>(result, {&J});
}

template <class S>
Result com_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                       ConstVector<S> ydd, MatrixOut<S> dv_dy, MatrixOut<S> da_dy, MatrixOut<S> da_dyd,
                       MatrixOut<S> J) {
    require_size("ydd", ydd.size(), model.nv);
    require_shape<S>(model, 3, {{"dv_dy", dv_dy}, {"da_dy", da_dy}, {"da_dyd", da_dyd}, {"J", J}});
    const Result result = in_motion<S>(model, data, q, yd, ydd.data(), [&](auto& pass) {
        const S share = share_of(pass.totals().mass);
        pass.columns([&](int column, const auto& x) {
            put_com(x.momentum_y, share, dv_dy, column);
            put_com(x.rate_y, share, da_dy, column);
            put_com(x.rate_yd, share, da_dyd, column);
            put_com(x.momentum_yd, share, J, column);
        });
    });
    return kernels::delivered_matrices<S, MatrixOut<S>>(result, {&dv_dy, &da_dy, &da_dyd, &J});
}

#define GRBDA_INSTANTIATE(S)                                                                             \
    template Result momentum_matrix<S>(const Model&, Workspace<S>&, ConstVector<S>, MatrixOut<S>);       \
    template Result momentum_matrix<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,      \
                                       MatrixOut<S>, MatrixOut<S>);                                      \
    template Result momentum_derivatives<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                            ConstVector<S>, MatrixOut<S>, MatrixOut<S>, MatrixOut<S>,    \
                                            MatrixOut<S>);                                               \
    template Result com_jacobian<S>(const Model&, Workspace<S>&, ConstVector<S>, MatrixOut<S>);          \
    template Result com_derivatives<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,      \
                                       ConstVector<S>, MatrixOut<S>, MatrixOut<S>, MatrixOut<S>,         \
                                       MatrixOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

namespace {

Matrix6Xd& sized6(Matrix6Xd& matrix, const Model& model) { return sized(matrix, 6, model.nv); }
Matrix3Xd& sized3(Matrix3Xd& matrix, const Model& model) { return sized(matrix, 3, model.nv); }

}  // namespace

Result momentum_matrix(const Model& model, Data& data, ConstVectorRef q) {
    return momentum_matrix<double>(model, data.workspaces().general, q, sized6(data.A, model));
}
Result momentum_matrix(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd) {
    return momentum_matrix<double>(model, data.workspaces().general, q, yd, sized6(data.A, model),
                                   sized6(data.A_rate, model));
}

Result momentum_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                            ConstVectorRef ydd) {
    return momentum_derivatives<double>(model, data.workspaces().general, q, yd, ydd,
                                        sized6(data.dh_dy, model), sized6(data.dhd_dy, model),
                                        sized6(data.dhd_dyd, model), sized6(data.A, model));
}

Result com_jacobian(const Model& model, Data& data, ConstVectorRef q) {
    return com_jacobian<double>(model, data.workspaces().general, q, sized3(data.J_com, model));
}

Result com_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                       ConstVectorRef ydd) {
    return com_derivatives<double>(model, data.workspaces().general, q, yd, ydd, sized3(data.dvcom_dy, model),
                                   sized3(data.dacom_dy, model), sized3(data.dacom_dyd, model),
                                   sized3(data.J_com, model));
}

}  // namespace grbda
