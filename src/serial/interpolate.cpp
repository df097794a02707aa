#include <algorithm>
#include <array>
#include <cmath>

#include "grbda/serial/serial.hpp"
#include "grid.hpp"

namespace grbda {
namespace {

constexpr int stencil = 4;  // nodes of a cubic polynomial

/// Weights of four neighbouring nodes at one coordinate.
struct Weights {
    int first = 0;
    std::array<double, stencil> value{}, rate{};
};

/// Lagrange's polynomials of the four nodes nearest to y.
Weights weights_at(const VectorX<double>& nodes, double y) {
    const int count = static_cast<int>(nodes.size());
    const double step = (nodes[count - 1] - nodes[0]) / (count - 1);
    Weights weights;
    const double cell = std::floor((y - nodes[0]) / step);
    weights.first = cell > 1 ? static_cast<int>(std::min(cell - 1, static_cast<double>(count - stencil))) : 0;
    const double t = (y - nodes[0]) / step - weights.first;
    for (int i = 0; i < stencil; ++i) {
        double value = 1, rate = 0;
        for (int j = 0; j < stencil; ++j) {
            if (j == i) continue;
            rate = (rate * (t - j) + value) / (i - j);
            value *= (t - j) / (i - j);
        }
        weights.value[at(i)] = value;
        weights.rate[at(i)] = rate / step;
    }
    return weights;
}

SerialPoint zero_like(const SerialPoint& point) {
    SerialPoint zero = point;
    zero.motors.setZero();
    zero.J_m.setZero();
    zero.delta_M.setZero();
    zero.gravity.setZero();
    zero.driven.setZero();
    zero.driven_jacobian.setZero();
    return zero;
}

void add(double weight, const SerialPoint& point, SerialPoint& sum) {
    sum.motors += weight * point.motors;
    sum.J_m += weight * point.J_m;
    sum.delta_M += weight * point.delta_M;
    sum.gravity += weight * point.gravity;
    sum.driven += weight * point.driven;
    sum.driven_jacobian += weight * point.driven_jacobian;
}

}  // namespace

SerialValue interpolate(const SerialTable& table, ConstVectorRef y) {
    const int m = table.size();
    require_size("y", y.size(), m);
    std::vector<Weights> weights;
    for (int i = 0; i < m; ++i) weights.push_back(weights_at(table.nodes[at(i)], y[i]));
    SerialValue result{zero_like(table.points.front()), {}, {}};
    result.J_m_rates.assign(at(m), result.J_m);
    result.delta_M_rates.assign(at(m), result.delta_M);
    std::vector<int> index(at(m), 0);
    const std::vector<int> first = index, last(at(m), stencil - 1);
    do {
        std::size_t place = 0;
        double weight = 1;
        for (int i = 0; i < m; ++i) {
            const Weights& each = weights[at(i)];
            place = place * at(static_cast<int>(table.nodes[at(i)].size())) + at(each.first + index[at(i)]);
            weight *= each.value[at(index[at(i)])];
        }
        const SerialPoint& point = table.points[place];
        add(weight, point, result);
        for (int i = 0; i < m; ++i) {
            double rate = 1;
            for (int j = 0; j < m; ++j) {
                const Weights& each = weights[at(j)];
                rate *= (j == i ? each.rate : each.value)[at(index[at(j)])];
            }
            result.J_m_rates[at(i)] += rate * point.J_m;
            result.delta_M_rates[at(i)] += rate * point.delta_M;
        }
    } while (serial::next_point(first, last, index));
    return result;
}

VectorX<double> correction_force(const SerialValue& value, ConstVectorRef yd, const Eigen::Vector3d& g) {
    const Eigen::Index m = value.delta_M.rows();
    require_size("yd", yd.size(), m);
    VectorX<double> force = value.gravity * g;
    for (Eigen::Index i = 0; i < m; ++i) {
        const MatrixX<double>& rate = value.delta_M_rates[static_cast<std::size_t>(i)];
        force += yd[i] * (rate * yd);
        force[i] -= yd.dot(rate * yd) / 2;
    }
    return force;
}

}  // namespace grbda
