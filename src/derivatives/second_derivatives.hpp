#pragma once

#include "grbda/export.hpp"
#include "grbda/derivatives/second_derivatives.hpp"
#include "grbda/spatial/dual.hpp"
#include "model/arguments.hpp"

// The functions of grbda/derivatives/second_derivatives.hpp on one workspace. They are documented there.

namespace grbda {

struct GRBDA_EXPORT SecondDerivatives {
    using Number = Dual<double, 4>;

    /// Throws std::invalid_argument if the model was moved from.
    explicit SecondDerivatives(const Model& model);

    Workspace<Number> moving;
    Table<Number> q, yd, given;           ///< state with its derivatives along four directions
    Table<Number> by_y, by_yd, by_given;  ///< first derivatives at that state, by columns

    Table<double> forward_by_y, forward_by_yd, inverse_mass;  ///< of forward dynamics, by columns
    Table<double> acceleration, force;                        ///< ÿ, and M⁻¹ λ
    Table<double> scratch;
};

GRBDA_EXPORT Result rnea_second_derivatives(const Model& model, Workspace<double>& data,
                                            SecondDerivatives& work, ConstVector<double> q,
                                            ConstVector<double> yd, ConstVector<double> ydd,
                                            ConstVector<double> lambda, MatrixOut<double> hessian);

GRBDA_EXPORT Result aba_second_derivatives(const Model& model, Workspace<double>& data,
                                           SecondDerivatives& work, ConstVector<double> q,
                                           ConstVector<double> yd, ConstVector<double> tau,
                                           ConstVector<double> lambda, MatrixOut<double> hessian);

}  // namespace grbda
