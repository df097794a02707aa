#include "quadratic_program.hpp"

#include <cmath>
#include <limits>

namespace grbda {
namespace {

template <class S>
constexpr S epsilon = std::numeric_limits<S>::epsilon();
template <class S>
constexpr S unbounded = std::numeric_limits<S>::infinity();

/// Tolerance of a row that no motion changes, or of an equality that follows from others, rad or m.
constexpr double agrees = 1e-6;

}  // namespace

namespace search {

template <class S>
bool factor_lower(MatrixOut<S> A) {
    for (Eigen::Index j = 0; j < A.rows(); ++j) {
        const S pivot = A(j, j) - A.row(j).head(j).squaredNorm();
        if (!(pivot > epsilon<S> * A(j, j))) return false;  // a NaN fails
        A(j, j) = std::sqrt(pivot);
        for (Eigen::Index i = j + 1; i < A.rows(); ++i)
            A(i, j) = (A(i, j) - A.row(i).head(j).dot(A.row(j).head(j))) / A(j, j);
    }
    return true;
}

template <class S>
void solve_lower(ConstMatrix<S> L, VectorOut<S> x) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
        x[i] = (x[i] - L.row(i).head(i).transpose().dot(x.head(i))) / L(i, i);
}

template <class S>
void solve_upper(ConstMatrix<S> L, VectorOut<S> x) {
    for (Eigen::Index i = x.size(); i-- > 0;) {
        const Eigen::Index below = x.size() - i - 1;
        x[i] = (x[i] - L.col(i).tail(below).dot(x.tail(below))) / L(i, i);
    }
}

#define GRBDA_INSTANTIATE(S)                                    \
    template bool factor_lower<S>(MatrixOut<S>);                \
    template void solve_lower<S>(ConstMatrix<S>, VectorOut<S>); \
    template void solve_upper<S>(ConstMatrix<S>, VectorOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

}  // namespace search

template <class S>
QuadraticProgram<S>::QuadraticProgram(int unknowns, int most_rows) {
    for (MatrixX<S>* square : {&H, &Q, &R}) square->setZero(unknowns, unknowns);
    for (MatrixX<S>* columns : {&C, &V}) columns->setZero(unknowns, most_rows);
    for (VectorX<S>* vector : {&g, &x, &u, &part_, &rate_, &z}) vector->setZero(unknowns);
    for (VectorX<S>* vector : {&b, &size_}) vector->setZero(most_rows);
    active_.resize(static_cast<std::size_t>(unknowns));
    sign_.resize(static_cast<std::size_t>(unknowns));
    state_.reserve(static_cast<std::size_t>(most_rows));
}

template <class S>
bool QuadraticProgram<S>::factor() {
    return search::factor_lower<S>(H);
}

template <class S>
void QuadraticProgram<S>::solve_free(VectorOut<S> y) const {
    search::solve_lower<S>(H, y);
    search::solve_upper<S>(H, y);
}

template <class S>
bool QuadraticProgram<S>::solve() {
    x = g;
    search::solve_lower<S>(H, x);
    state_.assign(static_cast<std::size_t>(rows), State::open);
    for (int i = 0; i < rows; ++i) {
        V.col(i) = C.col(i);
        search::solve_lower<S>(H, V.col(i));
        size_[i] = V.col(i).norm();
    }
    count_ = 0;
    const int most_changes = 10 * (rows + 1);
    for (int i = 0; i < most_changes; ++i) {
        const int row = most_violated();
        if (row < 0) {
            search::solve_upper<S>(H, x);
            return x.allFinite();
        }
        if (!add_row(row)) return false;
    }
    return false;
}

/// Returns the next equality, or the row with the largest violation; −1 if all are satisfied.
template <class S>
int QuadraticProgram<S>::most_violated() const {
    constexpr S rounding = 32 * epsilon<S>;
    int worst = -1;
    S furthest = 0;
    for (int i = 0; i < rows; ++i) {
        if (state_[i] != State::open) continue;
        if (i < equalities) return i;
        const S off = b[i] - V.col(i).dot(x);
        const S least =
            size_[i] == 0 ? static_cast<S>(agrees) : rounding * (std::abs(b[i]) + size_[i] * x.norm());
        if (!(off > least)) continue;
        if (size_[i] == 0) return i;
        if (off / size_[i] > furthest) {
            furthest = off / size_[i];
            worst = i;
        }
    }
    return worst;
}

/// Splits sign · v of a row into its component along the first active rows, part_, and the orthogonal
/// component z. Returns the length of z.
template <class S>
S QuadraticProgram<S>::split(int row, S sign, int count) {
    z = sign * V.col(row);
    part_.head(count).setZero();
    for (int again = 0; again < 2; ++again)
        for (Eigen::Index j = 0; j < count; ++j) {
            const S along = Q.col(j).dot(z);
            z -= along * Q.col(j);
            part_[j] += along;
        }
    return z.norm();
}

/// Makes the row that was split last active, with this number.
template <class S>
void QuadraticProgram<S>::put(int row, S sign, S length, int at) {
    Q.col(at) = z / length;
    R.col(at).head(at) = part_.head(at);
    R(at, at) = length;
    active_[at] = row;
    sign_[at] = sign;
}

/// Removes an active row and orthogonalizes the later ones again.
template <class S>
void QuadraticProgram<S>::drop_row(int at) {
    state_[active_[at]] = State::open;
    --count_;
    for (int j = at; j < count_; ++j) {
        u[j] = u[j + 1];
        put(active_[j + 1], sign_[j + 1], split(active_[j + 1], sign_[j + 1], j), j);
    }
}

/// Moves x to satisfy the row together with the active ones. Returns false if that is impossible.
template <class S>
bool QuadraticProgram<S>::add_row(int row) {
    const S follows = std::sqrt(epsilon<S>) * size_[row];  // it depends on the active rows
    const bool equality = row < equalities;
    const S sign = equality && V.col(row).dot(x) > b[row] ? S(-1) : S(1);
    S multiplier = 0;
    for (;;) {
        const S length = split(row, sign, count_), off = sign * (b[row] - V.col(row).dot(x));
        const bool moves = count_ < x.size() && length > follows;
        if (equality && !moves) {
            state_[row] = State::settled;
            return off <= static_cast<S>(agrees);
        }
        for (int i = count_; i-- > 0;) {
            const int others = count_ - i - 1;
            rate_[i] =
                part_[i] - R.row(i).segment(i + 1, others).transpose().dot(rate_.segment(i + 1, others));
            rate_[i] /= R(i, i);
        }
        S most = unbounded<S>;
        int blocking = -1;
        for (int i = 0; i < count_; ++i)
            if (active_[i] >= equalities && rate_[i] > 0 && u[i] / rate_[i] < most) {
                most = u[i] / rate_[i];
                blocking = i;
            }
        const S whole = moves ? off / (length * length) : unbounded<S>, step = std::min(most, whole);
        if (!(step < unbounded<S>)) return false;
        if (moves) x += step * z;
        u.head(count_) -= step * rate_.head(count_);
        multiplier += step;
        if (whole <= most) {
            put(row, sign, length, count_);
            u[count_++] = multiplier;
            state_[row] = State::active;
            return true;
        }
        drop_row(blocking);
    }
}

template class QuadraticProgram<double>;

}  // namespace grbda
