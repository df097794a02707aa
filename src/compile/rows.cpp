#include <algorithm>
#include <cmath>
#include <random>

#include "compile.hpp"
#include "closing/closure.hpp"

// Decides which rows of its loops a cluster needs, and the unit of its lengths.

namespace grbda::compile {
namespace {

/// Points this near to each other, relative to the lengths that they were computed from, coincide.
constexpr double same_point = 1e-12;

/// Size of a cluster: the largest distance between points that its joints, except
/// those of rotors, and loops name, at neutral. If all coincide, 1: their rounding, in a
/// robot with lengths up to `longest`, is not a usable unit.
double cluster_size(const Probe& probe, double longest) {
    const Model& model = probe.model;
    const Workspace<double>& data = probe.data;
    const Cluster& c = probe.c;
    const auto base = kernels::place_alone(model, probe.data, c, model.neutral.data());
    std::vector<Vector3<double>> points;
    double lever = longest;
    for (const int i : c.bodies)
        if (!probe.draft.is_rotor[i]) points.push_back(data.p[i]);  // the same, reduced or not
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        for (const LoopEnd& end : {loop.predecessor, loop.successor}) {
            points.push_back(kernels::point_of(kernels::placement_of(data, c, base, end.body), end));
            lever = std::max(lever, std::sqrt(dot(end.position, end.position)));
        }
    }
    double size = 0;
    for (const auto& point : points) {
        const Vector3<double> d = point - points.front();
        size = std::max(size, std::sqrt(dot(d, d)));
        lever = std::max(lever, std::sqrt(dot(point, point)));
    }
    return size > same_point * lever ? size : 1;
}

/// Random joint positions, at which loops may be open.
std::vector<double> scattered(const Probe& probe, double size, const Table<double>& column_scale,
                              std::mt19937_64& generator) {
    const Cluster& c = probe.c;
    std::uniform_real_distribution<double> unit(-1, 1);
    Eigen::VectorXd step = drawn(probe, [&] { return unit(generator); });
    for (int j = 0; j < c.dofs; ++j) step[j] *= column_scale[c.dof_begin + j] == 1 ? 1.5 : size;
    std::vector<double> q = probe.model.neutral;
    kernels::move_cluster(probe.model, c, q.data(), step.data(), 1, q.data());
    return q;
}

/// Sets entries of `kept` [rows of the model] for rows whose K or φ does
/// not always vanish: a planar four-bar needs two of its five rows.
void find_rows(const Probe& probe, double size, const Scales& scales, Table<char>& kept) {
    constexpr double negligible = 1e-9;
    constexpr int samples = 4;
    const Cluster& c = probe.c;
    std::mt19937_64 generator(7);
    for (int sample = 0; sample < samples; ++sample) {
        const std::vector<double> q = scattered(probe, size, scales.column, generator);
        const auto base = kernels::place_alone(probe.model, probe.data, c, q.data());
        kernels::constraint_rows(probe.model, probe.data, c, base, q.data());
        for (int r = 0; r < c.rows; ++r) {
            const double scale = scales.row[c.row_begin + r];
            double largest = std::abs(probe.data.phi[c.row_begin + r]) * scale;
            for (int j = 0; j < c.dofs; ++j)
                largest = std::max(largest, std::abs(probe.data.K[c.K_begin + r * c.dofs + j]) * scale *
                                                scales.column[c.dof_begin + j]);
            if (!(largest <= negligible)) kept[c.row_begin + r] = 1;
        }
    }
}

/// Finds embeddings: loops without rows hold in every pose, and linear couplings are solved once.
void find_embeddings(Draft& draft) {
    const Structure& model = draft.structure;
    for (Cluster& c : draft.structure.clusters) {
        bool varies = false;
        for (const int l : c.loops) varies = varies || !draft.rows[l].empty();
        for (const int l : c.couplings) varies = varies || !model.couplings[l].linear();
        const bool plain = c.joints.size() == 1 && c.couplings.empty() && c.rods.empty();
        c.embedding = varies ? Embedding::implicit : plain ? Embedding::none : Embedding::constant;
    }
}

}  // namespace

void keep_rows(Draft& draft) {
    if (draft.is_free()) return;
    Bench bench(draft);
    const double longest = longest_length(draft);
    for (int k = 0; k < bench.model.cluster_count(); ++k) {
        draft.catalogue.reports[k].rows_written = bench.model.clusters[k].rows;
        if (bench.model.clusters[k].rows > 0) draft.sizes[k] = cluster_size({draft, bench, k}, longest);
    }
    const Scales scales = scales_of(bench.model, draft.sizes);
    Table<char> kept(at(bench.model.rows), 0);
    for (int k = 0; k < bench.model.cluster_count(); ++k)
        if (bench.model.clusters[k].rows > 0) find_rows({draft, bench, k}, draft.sizes[k], scales, kept);
    drop_rows(bench.model, kept, draft);
    find_embeddings(draft);
}

}  // namespace grbda::compile
