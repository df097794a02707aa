#pragma once

#include <vector>

#include "model/arguments.hpp"

// Solves strictly convex quadratic programs of a few unknowns,
//   min ½ xᵀHx − gᵀx   with  c_i·x = b_i  for the first rows, c_i·x ≥ b_i for the others
// by the dual active-set method (Goldfarb & Idnani 1983). With H = L Lᵀ and x̃ = Lᵀx it finds the point
// nearest to L⁻¹g that satisfies v_i·x̃ ≥ b_i, v_i = L⁻¹c_i. Rows are added one by one, the largest violation
// first, and dropped when their multipliers would become negative.

namespace grbda {
namespace search {

/// Factors A = L Lᵀ in the lower triangle of A, in place. Returns false if A is not positive definite.
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

    // The problem. solve() does not change the rows and g.
    MatrixX<S> H;  ///< lower triangle; factor() puts L there
    VectorX<S> g;
    MatrixX<S> C;  ///< a column for each row c_i
    VectorX<S> b;
    int equalities = 0;  ///< number of equalities, which are the first rows
    int rows = 0;

    VectorX<S> x;  ///< the solution

    /// Factors H. Returns false if it is not positive definite.
    bool factor();
    /// Solves the program after factor(). Returns false if no x satisfies all rows.
    bool solve();
    /// Computes x ← H⁻¹ x, after factor(), without the rows.
    void solve_free(VectorOut<S> x) const;

private:
    int most_violated() const;
    bool add_row(int row);
    S split(int row, S sign, int count);
    void put(int row, S sign, S length, int at);
    void drop_row(int at);

    enum class State : char { open, active, settled };
    MatrixX<S> V;             ///< v_i
    VectorX<S> size_;         ///< |v_i|
    MatrixX<S> Q, R;          ///< of the active rows, each times its sign
    VectorX<S> u;             ///< their multipliers
    VectorX<S> part_, rate_;  ///< of a row's v along Q; R⁻¹ of it
    VectorX<S> z;             ///< and orthogonal to Q
    int count_ = 0;           ///< of active rows
    Table<int> active_;       ///< rows
    Table<S> sign_;           ///< of the active ones
    Table<State> state_;      ///< per row
};

extern template class QuadraticProgram<double>;

}  // namespace grbda
