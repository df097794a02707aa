#include "embedding.hpp"

#include <algorithm>

namespace grbda::baselines {
namespace {

constexpr double kSmallestConditioning = 1e-10;  // Status::singular_constraint by its definition

ClusterEmbedding make_embedding(const Model& model, const Cluster& cluster) {
    ClusterEmbedding embedding;
    embedding.constant = cluster.loops.empty();
    for (const int l : cluster.couplings)
        embedding.constant = embedding.constant && model.couplings[l].linear();
    std::vector<char> is_independent(static_cast<std::size_t>(cluster.dofs), 0);
    for (int j = 0; j < cluster.m; ++j) {
        const std::size_t entry = static_cast<std::size_t>(cluster.y_begin + j);
        const int dof = model.independent[entry];
        is_independent[static_cast<std::size_t>(dof - cluster.dof_begin)] = 1;
        embedding.independent.push_back(model.v_index[dof]);
        embedding.y.push_back(model.y_index[entry]);
    }
    std::vector<double> scale;
    for (int j = 0; j < cluster.dofs; ++j) {
        if (is_independent[static_cast<std::size_t>(j)]) continue;
        const std::size_t dof = static_cast<std::size_t>(cluster.dof_begin + j);
        embedding.dependent.push_back(model.v_index[dof]);
        scale.push_back(model.column_scale[dof]);
    }
    const Eigen::Index dependents = static_cast<Eigen::Index>(scale.size());
    embedding.column_scale = Eigen::Map<const Eigen::VectorXd>(scale.data(), dependents);
    embedding.row_scale =
        Eigen::Map<const Eigen::VectorXd>(model.row_scale.data() + cluster.row_begin, cluster.rows);
    embedding.k.setZero(cluster.rows);
    embedding.g.setZero(dependents);
    embedding.G.setZero(dependents, cluster.m);
    embedding.K_dependent.setZero(cluster.rows, dependents);
    embedding.K_independent.setZero(cluster.rows, cluster.m);
    embedding.factor = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(cluster.rows, dependents);
    return embedding;
}

/// Columns are pivoted, so the diagonal of R estimates the conditioning.
double conditioning(const Eigen::ColPivHouseholderQR<Eigen::MatrixXd>& factor) {
    const Eigen::Index columns = factor.cols();
    if (columns == 0) return 1;
    if (factor.rows() < columns || !(factor.maxPivot() > 0)) return 0;
    return factor.matrixQR().diagonal().head(columns).cwiseAbs().minCoeff() / factor.maxPivot();
}

void factor_cluster(const Cluster& cluster, const Eigen::MatrixXd& K, ClusterEmbedding& embedding) {
    for (int r = 0; r < cluster.rows; ++r) {
        const double scale = embedding.row_scale[r];
        for (std::size_t j = 0; j < embedding.dependent.size(); ++j) {
            const Eigen::Index column = static_cast<Eigen::Index>(j);
            embedding.K_dependent(r, column) =
                scale * K(cluster.row_begin + r, embedding.dependent[j]) * embedding.column_scale[column];
        }
        for (std::size_t j = 0; j < embedding.independent.size(); ++j)
            embedding.K_independent(r, static_cast<Eigen::Index>(j)) =
                scale * K(cluster.row_begin + r, embedding.independent[j]);
    }
    if (embedding.dependent.empty()) return;
    embedding.factor.compute(embedding.K_dependent);
    embedding.rcond = conditioning(embedding.factor);
    if (!(embedding.rcond >= kSmallestConditioning)) return;
    if (embedding.independent.empty()) return;  // locked: no column to solve for
    embedding.G = embedding.factor.solve(embedding.K_independent);
    for (Eigen::Index i = 0; i < embedding.G.rows(); ++i) embedding.G.row(i) *= -embedding.column_scale[i];
}

}  // namespace

std::vector<ClusterEmbedding> make_embeddings(const Model& model) {
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(model.rows, model.nv_tree);  // of linear couplings, constant
    for (const Coupling& coupling : model.couplings)
        for (int t = coupling.terms.first; t < coupling.terms.last && coupling.linear(); ++t) {
            const CouplingTerm& term = model.coupling_terms[t];
            K(coupling.row, model.v_index[term.dof]) += term.coefficient;
        }
    std::vector<ClusterEmbedding> embeddings;
    for (const Cluster& cluster : model.clusters) {
        embeddings.push_back(make_embedding(model, cluster));
        if (embeddings.back().constant) factor_cluster(cluster, K, embeddings.back());
    }
    return embeddings;
}

Result embed_velocities(const Model& model, const Eigen::MatrixXd& K, std::vector<ClusterEmbedding>& clusters,
                        Eigen::MatrixXd& G) {
    G.setZero();
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        ClusterEmbedding& embedding = clusters[c];
        if (!embedding.constant) factor_cluster(model.clusters[c], K, embedding);
        if (!(embedding.rcond >= kSmallestConditioning))
            return {Status::singular_constraint, static_cast<int>(c), 0, 0};
        for (std::size_t j = 0; j < embedding.independent.size(); ++j) {
            G(embedding.independent[j], embedding.y[j]) = 1;
            for (std::size_t i = 0; i < embedding.dependent.size(); ++i)
                G(embedding.dependent[i], embedding.y[j]) =
                    embedding.G(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
        }
    }
    return {};
}

void embed_accelerations(const Model& model, const Eigen::VectorXd& k,
                         std::vector<ClusterEmbedding>& clusters, Eigen::VectorXd& g) {
    g.setZero();
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        ClusterEmbedding& embedding = clusters[c];
        if (embedding.constant || embedding.dependent.empty()) continue;
        const Cluster& cluster = model.clusters[c];
        embedding.k = embedding.row_scale.cwiseProduct(k.segment(cluster.row_begin, cluster.rows));
        embedding.g = embedding.factor.solve(embedding.k);
        embedding.g.array() *= embedding.column_scale.array();
        for (std::size_t i = 0; i < embedding.dependent.size(); ++i)
            g[embedding.dependent[i]] = embedding.g[static_cast<Eigen::Index>(i)];
    }
}

}  // namespace grbda::baselines
