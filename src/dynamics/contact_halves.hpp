#pragma once

#include <algorithm>
#include <type_traits>

#include <Eigen/Geometry>

#include "dynamics/contact_inertia.hpp"
#include "kernels/pass/half_inverse.hpp"

// Λ⁻¹ = Zᵀ D⁻¹ Z of contacts and joints by halves, and the wrenches of contacts.

namespace grbda::dynamics {

using kernels::Columns;
using kernels::Inward;

constexpr int most_together = 4;  // contacts between the same bodies whose wrenches go inward side by side

/// Whole blocks of columns fit wherever they begin.
constexpr int row_stride(int rows) { return padded(rows + 3 * most_together); }

/// Position of a contact from the origin of the common frame of a body.
template <class S>
Vector3<S> position_by(const Model& model, const Workspace<S>& data, const Contact& contact, int body) {
    const Cluster& c = model.clusters[model.bodies[body].cluster];
    return contact.position.cast<S>() - data.origin[c.branch];
}

/// Unit force along an axis of the contact on one of its bodies, or against it.
template <class S>
Force<S> unit_wrench(const Model& model, const Workspace<S>& data, const Contact& contact, int body, int axis,
                     double sign) {
    const Vector3<S> force = kernels::column(contact.axes, axis).template cast<S>() * S(sign);
    return {force, cross(position_by(model, data, contact, body), force)};
}

/// Those of contacts between the same bodies, on the first or on the other of these; zero beyond.
template <int N, class S>
Inward<N, S> unit_wrenches(const Model& model, const Workspace<S>& data, std::span<const Contact> contacts,
                           int Contact::*end, double sign) {
    Inward<N, S> x;
    x.body = contacts.front().*end;
    int k = 0;
    for (const Contact& contact : contacts)
        for (int axis = 0; axis < 3 && x.body != world; ++axis)
            x.set(k++, unit_wrench(model, data, contact, x.body, axis, sign));
    return x;
}

/// Z of contacts between the same bodies, in whole blocks of columns.
template <class S, class Visit>
void find_half(const Model& model, const Workspace<S>& data, std::span<const Contact> contacts,
               const Columns<S>& Z, const Visit& visit) {
    const auto find = [&](auto size) {
        constexpr int columns = size;
        kernels::half_inverse(model, data, unit_wrenches<columns>(model, data, contacts, &Contact::body, 1),
                              unit_wrenches<columns>(model, data, contacts, &Contact::other, -1), Z, visit);
    };
    if (contacts.size() == 1)
        find(std::integral_constant<int, padded(3)>());
    else
        find(std::integral_constant<int, padded(3 * most_together)>());
}

/// Number of contacts from the first on between the same bodies, at most so many as go inward together.
inline std::size_t count_alike(std::span<const Contact> contacts) {
    const auto other = [&](const Contact& x) {
        return x.body != contacts.front().body || x.other != contacts.front().other;
    };
    const auto most = contacts.first(std::min<std::size_t>(contacts.size(), most_together));
    return static_cast<std::size_t>(std::find_if(most.begin(), most.end(), other) - most.begin());
}

template <class S>
void find_halves(const Model& model, const Workspace<S>& data, ContactSpace& space) {
    std::fill_n(space.half.data(), model.nv * space.stride, S(0));
    std::fill(space.reach.begin(), space.reach.end(), Range{space.rows, 0});
    int row = 0, count = 0;
    const auto reached = [&](const Cluster& c) {
        Range& reach = space.reach[c.index];
        reach = {std::min(reach.first, row), std::max(reach.last, row + count)};
    };
    const auto columns = [&] { return Columns<S>{space.half.data() + row, space.stride}; };
    for (std::span<const Contact> rest(space.contacts); !rest.empty();) {
        const std::span<const Contact> alike = rest.first(count_alike(rest));
        count = 3 * static_cast<int>(alike.size());
        find_half(model, data, alike, columns(), reached);  // columns beyond are zero, or of later rows
        row += count;
        rest = rest.subspan(alike.size());
    }
    count = 1;
    for (const int joint : space.joints) {
        kernels::half_inverse_of_joint(model, data, kernels::joint_row(model, data, joint), columns(),
                                       reached);
        row += count;
    }
}

/// Rows of Z that reach the same rows of contacts, weighed: sums over four of them go through memory once.
template <class S>
class Weighed {
public:
    explicit Weighed(MatrixX<S>& W) : W_(W) {}

    void add(const S* z, const S& weight, const Range& reach) {
        if (count_ == width || (count_ > 0 && (reach.first != reach_.first || reach.last != reach_.last)))
            flush();
        reach_ = reach;
        z_[count_] = z;
        weight_[count_++] = weight;
    }
    /// Into the upper triangle of W, of each column down to the end of the diagonal's block.
    void flush() {
        for (; count_ > 0 && count_ < width; ++count_) {
            z_[count_] = z_[0];
            weight_[count_] = S(0);
        }
        const S *const a = z_[0], *const b = z_[1], *const c = z_[2], *const d = z_[3];
        for (int k = reach_.first; count_ > 0 && k < reach_.last; ++k) {
            const S of_a = a[k] * weight_[0], of_b = b[k] * weight_[1], of_c = c[k] * weight_[2],
                    of_d = d[k] * weight_[3];
            S* const column = &W_(0, k);
            for (int l = reach_.first / row_block * row_block; l <= k; l += row_block) {
                S sum[row_block];
                for (int i = 0; i < row_block; ++i)
                    sum[i] = column[l + i] +
                             ((a[l + i] * of_a + b[l + i] * of_b) + (c[l + i] * of_c + d[l + i] * of_d));
                for (int i = 0; i < row_block; ++i) column[l + i] = sum[i];
            }
        }
        count_ = 0;
    }

private:
    static constexpr int width = 4;
    MatrixX<S>& W_;
    const S* z_[width] = {};
    S weight_[width] = {};
    Range reach_;
    int count_ = 0;
};

/// Zᵀ D⁻¹ Z.
template <class S>
void multiply_halves(const Model& model, const Workspace<S>& data, ContactSpace& space) {
    auto& W = space.inverse_inertia;
    W.topLeftCorner(padded(space.rows), space.rows).setZero();
    Weighed<S> rows(W);
    for (const Cluster& c : model.clusters) {
        const Range reach = space.reach[c.index];
        for (int j = 0; j < c.m && reach.first < reach.last; ++j)
            rows.add(space.half.data() + (c.y_begin + j) * space.stride, data.D[c.D_begin + j * (c.m + 1)],
                     reach);
    }
    rows.flush();
    for (int k = 0; k < space.rows; ++k)
        for (int l = 0; l < k; ++l) W(k, l) = W(l, k);
}

}  // namespace grbda::dynamics
