#pragma once

#include <vector>

#include <Eigen/QR>

#include "grbda/baselines/dense.hpp"

// G and g from K and k by one dense orthogonal factorization per cluster:
//   K_d G_d = −K_i,   K_d g_d = k,   rows of the independents: identity and 0.

namespace grbda::baselines {

struct ClusterEmbedding {
    bool constant = false;         ///< linear couplings only: factored once
    double rcond = 1;              ///< of the scaled K_d
    std::vector<int> independent;  ///< indices in q̇
    std::vector<int> dependent;
    std::vector<int> y;  ///< indices in y
    Eigen::VectorXd row_scale, column_scale, k, g;
    Eigen::MatrixXd K_dependent, K_independent, G;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor;
};

std::vector<ClusterEmbedding> make_embeddings(const Model& model);

/// G for the K of this configuration; singular_constraint if a K_d has rcond below 1e-10.
Result embed_velocities(const Model& model, const Eigen::MatrixXd& K, std::vector<ClusterEmbedding>& clusters,
                        Eigen::MatrixXd& G);
/// Computes g; call it after embed_velocities.
void embed_accelerations(const Model& model, const Eigen::VectorXd& k,
                         std::vector<ClusterEmbedding>& clusters, Eigen::VectorXd& g);

}  // namespace grbda::baselines
