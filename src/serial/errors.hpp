#pragma once

#include <random>

#include "study.hpp"

namespace grbda::serial {

/// Collects errors of accelerations in random states.
class Tally {
public:
    /// M: the full one; error of ÿ.
    void add(const MatrixX<double>& M, const VectorX<double>& ydd, const VectorX<double>& error);
    /// Sets rms and largest.
    void finish(SerialError& error) const;

private:
    double motion_ = 0, error_ = 0, largest_ = 0;
    int count_ = 0;
};

/// Sets the ratios and the error at rest to include those of this configuration.
void include_ratios(const MatrixX<double>& M, const MatrixX<double>& replacement, SerialError& error);

/// Errors of a cluster while the other joints are locked. M: of the cluster, per point of the grid, full and
/// tree.
void find_errors(const Model& model, const ClusterRoles& roles, const VectorX<double>& q,
                 const std::vector<MatrixX<double>>& full, const std::vector<MatrixX<double>>& tree,
                 Study& study, SerialTable& table);

/// Errors of the whole robot, whose other joints move around q within their limits.
SerialErrors whole_errors(const Model& model, const Roles& roles, const VectorX<double>& q,
                          const std::vector<SerialTable>& tables, Study& study);

}  // namespace grbda::serial
