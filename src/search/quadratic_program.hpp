#pragma once

#include <vector>

#include "grbda/model/arguments.hpp"

// Strictly convex quadratic programs of a few unknowns,
//   min ½ xᵀHx − gᵀx   with  c_i·x = b_i  for the first rows, c_i·x ≥ b_i for the others
// by the dual active-set method (Goldfarb & Idnani 1983). With H = L Lᵀ and x̃ = Lᵀx it seeks the point
// nearest to L⁻¹g of those with v_i·x̃ ≥ b_i, v_i = L⁻¹c_i: rows are taken in one by one, the one violated
// most first, and let go where their multipliers would turn negative.

namespace grbda {
namespace search {

/// A = L Lᵀ by the lower triangle of A, in place. False: not positive definite.
template <class S>
bool factor_lower(MatrixOut<S> A);
template <class S>
void solve_lower(ConstMatrix<S> L, VectorOut<S> x);  ///< x ← L⁻¹ x
template <class S>
void solve_upper(ConstMatrix<S> L, VectorOut<S> x);  ///< x ← L⁻ᵀ x

}  // namespace search

template <class S>
class QuadraticProgram {
public:
    QuadraticProgram(int unknowns, int most_rows);

    // The problem; solve() keeps the rows and g.
    MatrixX<S> H;  ///< lower triangle; factor() puts L there
    VectorX<S> g;
    MatrixX<S> C;  ///< a column for each row c_i
    VectorX<S> b;
    int equalities = 0;  ///< rows that stand first
    int rows = 0;

    VectorX<S> x;  ///< the answer

    /// False: H is not positive definite.
    bool factor();
    /// After factor(). False: no x keeps all rows.
    bool solve();
    /// x ← H⁻¹ x, after factor(): rows left out.
    void solve_free(VectorOut<S> x) const;

private:
    int most_violated() const;
    bool take_in(int row);
    S split(int row, S sign, int count);
    void put(int row, S sign, S length, int at);
    void let_go(int at);

    enum class State : char { open, active, settled };
    MatrixX<S> V;             ///< v_i
    VectorX<S> size_;         ///< |v_i|
    MatrixX<S> Q, R;          ///< of the active rows, each times its sign
    VectorX<S> u;             ///< their multipliers
    VectorX<S> part_, rate_;  ///< of a row's v along Q; R⁻¹ of it
    VectorX<S> z;             ///< and across
    int count_ = 0;           ///< of active rows
    Table<int> active_;       ///< rows
    Table<S> sign_;           ///< of the active ones
    Table<State> state_;      ///< per row
};

extern template class QuadraticProgram<double>;

}  // namespace grbda
