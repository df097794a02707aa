#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/QR>

#include "compile.hpp"
#include "grbda/kernels/aba.hpp"

// Last stages of compiling: numbering of y, constant G, and the pivots that
// count as zero.

namespace grbda::compile {

namespace {

/// Clusters whose one body with kinematics moves as ẏ says: free joints, and those that only drive rotors.
void set_direct(Model& model) {
    for (Cluster& c : model.clusters) {
        c.direct = c.rotor_begin - c.body_begin == 1 && c.embedding != Embedding::implicit;
        if (!c.direct) continue;
        const Body& body = model.bodies[at(c.body_begin)];
        c.direct = c.m == velocity_size(body.joint);
        for (int j = 0; j < c.m; ++j)
            c.direct = c.direct && model.independent[at(c.y_begin + j)] == body.dof + j;
        c.floating =
            c.embedding == Embedding::none && body.joint == JointType::floating && c.parent_body == world;
    }
}

}  // namespace

namespace {

/// Of the independent velocities, places in the order of q̇; entries of `coordinates` exchange theirs.
std::vector<int> places_in_y(const Model& model, const std::vector<int>& coordinates,
                             const Numbering& numbering) {
    constexpr int dependent = -1;
    std::vector<int> place(model.v_index.size(), dependent);
    for (const int dof : model.independent) place[at(model.v_index[at(dof)])] = 0;
    int next = 0;
    for (int& p : place)
        if (p != dependent) p = next++;
    std::vector<int> named, free;
    for (const int source : coordinates) {
        const Body& body = model.bodies[at(numbering.body_of[at(source)])];
        for (int v = body.v; v < body.v + velocity_size(body.joint); ++v)
            if (place[at(v)] != dependent) named.push_back(v);
    }
    for (const int v : named) free.push_back(place[at(v)]);
    std::sort(free.begin(), free.end());
    for (std::size_t i = 0; i < named.size(); ++i) place[at(named[i])] = free[i];
    return place;
}

}  // namespace

namespace {

RowRange hull(const RowRange& a, const RowRange& b) {
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Rows of K that a velocity occurs in, counted from the cluster's first.
RowRange rows_of(const Model& model, const Cluster& c, int dof) {
    RowRange rows{c.rows, 0};
    const auto add = [&](int begin, int end) { rows = hull(rows, {begin - c.row_begin, end - c.row_begin}); };
    for (int l = c.loops_begin; l < c.loops_end; ++l) {
        const Loop& loop = model.loops[at(l)];
        for (int t = loop.terms_begin; t < loop.terms_end; ++t)
            if (model.loop_terms[at(t)].dof == dof) add(loop.row, loop.row + loop.rows);
    }
    for (int l = c.couplings_begin; l < c.couplings_end; ++l) {
        const Coupling& coupling = model.couplings[at(l)];
        for (int t = coupling.terms_begin; t < coupling.terms_end; ++t)
            if (model.coupling_terms[at(t)].dof == dof) add(coupling.row, coupling.row + 1);
    }
    return rows;
}

/// Dependents of one loop before those that several share: then they fill less of K_d by becoming orthogonal.
void order_dependents(Model& model) {
    model.dependent_rows.resize(model.dependent.size());
    for (const Cluster& c : model.clusters) {
        const auto first = model.dependent.begin() + c.dependent_begin;
        RowRange* rows = model.dependent_rows.data() + c.dependent_begin;
        const auto length = [&](int dof) {
            const RowRange range = rows_of(model, c, dof);
            return range.end - range.begin;
        };
        std::stable_sort(first, first + c.dependents(), [&](int a, int b) { return length(a) < length(b); });
        for (int d = 0; d < c.dependents(); ++d) rows[d] = rows_of(model, c, first[d]);
        for (int d = 0; d < c.dependents(); ++d)
            for (int later = d + 1; later < c.dependents(); ++later)
                if (rows[later].begin < rows[d].end && rows[d].begin < rows[later].end)
                    rows[later] = hull(rows[later], rows[d]);
    }
}

}  // namespace

void number_independents(Model& model, const std::vector<std::vector<int>>& independents,
                         const std::vector<int>& coordinates, const Numbering& numbering) {
    for (std::size_t k = 0; k < model.clusters.size(); ++k) {
        Cluster& c = model.clusters[k];
        c.m = static_cast<int>(independents[k].size());
        std::vector<char> taken(at(c.dofs), 0);
        for (const int j : independents[k]) {
            taken[at(j)] = 1;
            model.independent.push_back(c.dof_begin + j);
        }
        for (int j = 0; j < c.dofs; ++j)
            if (!taken[at(j)]) model.dependent.push_back(c.dof_begin + j);
    }
    lay_out(model);
    order_dependents(model);
    set_direct(model);
    model.nv = static_cast<int>(model.independent.size());
    const std::vector<int> place = places_in_y(model, coordinates, numbering);
    for (const int dof : model.independent) model.y_index.push_back(place[at(model.v_index[at(dof)])]);
    lay_out(model);
}

namespace {

void fold_couplings(Model& model) {
    Data<double> data(model);
    int size = 0;
    for (const Cluster& c : model.clusters)
        if (c.embedding != Embedding::none) size = std::max(size, c.G_begin + c.dofs * c.m);
    model.G.assign(at(size), 0);
    model.offset.assign(model.v_index.size(), 0);
    const std::vector<double> zero(model.neutral.size(), 0);
    for (const Cluster& c : model.clusters) {
        if (c.embedding != Embedding::constant) continue;
        for (int j = 0; j < c.m; ++j) {
            const int dof = model.independent[at(c.y_begin + j)];
            model.G[at(c.G_begin + (dof - c.dof_begin) * c.m + j)] = 1;
        }
        if (c.rows == 0) continue;  // loops that hold in every pose
        kernels::constraint_rows<double>(model, data, c, {}, zero.data());
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const Eigen::Map<const RowMajor> K(data.K.data() + c.K_begin, c.rows, c.dofs);
        Eigen::MatrixXd K_d(c.rows, c.dependents()), b(c.rows, c.m + 1);
        for (int d = 0; d < c.dependents(); ++d)
            K_d.col(d) = K.col(model.dependent[at(c.dependent_begin + d)] - c.dof_begin);
        for (int j = 0; j < c.m; ++j) b.col(j) = -K.col(model.independent[at(c.y_begin + j)] - c.dof_begin);
        for (int r = 0; r < c.rows; ++r) b(r, c.m) = -data.phi[at(c.row_begin + r)];
        // LU keeps ratios of gears exact; redundant rows need the orthogonal factorization
        const Eigen::MatrixXd x = c.rows == c.dependents()
                                      ? Eigen::MatrixXd(K_d.partialPivLu().solve(b))
                                      : Eigen::MatrixXd(K_d.colPivHouseholderQr().solve(b));
        for (int d = 0; d < c.dependents(); ++d) {
            const int dof = model.dependent[at(c.dependent_begin + d)];
            for (int j = 0; j < c.m; ++j) model.G[at(c.G_begin + (dof - c.dof_begin) * c.m + j)] = x(d, j);
            model.offset[at(dof)] = x(d, c.m);
        }
    }
}

/// Rotors on the parent body or the world with constant G, and armature, are constants of the cluster.
void fold_rotors(Model& model) {
    int size = 0;
    for (const Cluster& c : model.clusters) size = std::max(size, c.D_begin + c.m * c.m);
    model.D0.assign(at(size), 0);
    model.momentum.assign(model.independent.size(), {0, 0, 0});
    for (Cluster& c : model.clusters) {
        c.folded = c.embedding != Embedding::implicit;
        for (int r = c.rotors_begin; r < c.rotors_end; ++r)
            c.folded = c.folded && !model.rotors[at(r)].carrier_in_cluster;
        if (!c.folded) continue;
        const auto row = [&](int dof, int j) {
            if (c.embedding == Embedding::none) return dof - c.dof_begin == j ? 1. : 0.;
            return model.G[at(c.G_begin + (dof - c.dof_begin) * c.m + j)];
        };
        const auto add = [&](int dof, double inertia) {
            for (int j = 0; j < c.m; ++j)
                for (int k = 0; k <= j; ++k)
                    model.D0[at(c.D_begin + j * c.m + k)] += inertia * row(dof, j) * row(dof, k);
        };
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) add(dof, model.armature[at(dof)]);
        for (int r = c.rotors_begin; r < c.rotors_end; ++r) {
            const Rotor& rotor = model.rotors[at(r)];
            add(rotor.dof, rotor.axial_inertia);
            if (rotor.carrier == world) continue;
            c.spinning = true;
            for (int j = 0; j < c.m; ++j)
                model.momentum[at(c.y_begin + j)] += rotor.axis * (rotor.axial_inertia * row(rotor.dof, j));
        }
    }
}

/// Clusters that the short path takes: on a moving body, folded, and each body on a revolute joint of its own
/// ẏ.
void find_joint_clusters(Model& model) {
    for (Cluster& c : model.clusters) {
        c.joints = c.folded && c.parent_body != world && c.m == c.rotor_begin - c.body_begin;
        for (int i = c.body_begin; i < c.rotor_begin; ++i) {
            const Body& body = model.bodies[at(i)];
            const auto begin = model.independent.begin() + c.y_begin, end = begin + c.m;
            c.joints =
                c.joints && body.joint == JointType::revolute && std::find(begin, end, body.dof) != end;
        }
        if (!c.joints) continue;
        for (int y = c.y_begin; y < c.y_begin + c.m; ++y)
            model.bodies[at(model.dof_body[at(model.independent[at(y)])])].y = y;
    }
}

void find_light_bodies(Model& model) {
    for (Body& body : model.bodies)
        body.light = body.mass == 0 && body.inertia == 0 && dot(body.surplus, body.surplus) == 0 &&
                     dot(body.deficit, body.deficit) == 0;
    for (const Cluster& c : model.clusters)
        if (c.parent_body != world) model.bodies[at(c.parent_body)].light = false;
    for (const Rotor& rotor : model.rotors)
        if (rotor.carrier != world) model.bodies[at(rotor.carrier)].light = false;
}

/// Error that names the massless links behind independent velocity j of a cluster.
Diagnostic moves_nothing(const Model& model, const Mechanism& mechanism, const Numbering& numbering,
                         int cluster, int j) {
    const Cluster& c = model.clusters[at(cluster)];
    std::string names;
    for (int i = c.body_begin; i < c.body_end; ++i)
        if (model.inertials[at(i)].mass == 0 || model.inertials[at(i)].inertia.isZero(0))
            names += (names.empty() ? "'" : ", '") + model.names.bodies[at(i)] + "'";
    const int body = model.dof_body[at(model.independent[at(c.y_begin + j)])];
    Diagnostic d;
    d.where = mechanism.bodies[at(numbering.mechanism_of[at(body)])].where;
    d.element = cluster_name(model, cluster);
    d.expected = "mass or inertia behind every degree of freedom";
    d.found = "joint '" + model.names.joints[at(body)] + "' moves none" +
              (names.empty() ? "" : ": massless or inertialess links " + names);
    d.hint = "give the links an inertial, or fix the joint";
    return d;
}

}  // namespace

void fold_constants(Model& model) {
    fold_couplings(model);
    fold_rotors(model);
    find_joint_clusters(model);
    find_light_bodies(model);
}

namespace {

/// Jᵀ B J if no motions cancelled in J: of massive bodies that loops hold still only rounding is left of it.
double uncancelled_inertia(const Model& model, const Data<double>& data, const Cluster& c,
                           const std::vector<ArticulatedInertia<double>>& B, int j) {
    if (c.direct) return 0;
    double inertia = 0, rates = 0;
    for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) {
        const double w = kernels::embedding_entry(model, data, c, dof - c.dof_begin, j);
        rates += w * w;
        const Motion<double>& s = data.s[at(dof)];
        if (model.dof_body[at(dof)] >= c.rotor_begin) continue;
        for (int i = c.body_begin; i < c.rotor_begin; ++i) inertia += dot(s, B[at(i)] * s);
    }
    return inertia * rates;
}

/// Size of the terms that each pivot of D is the difference of: the diagonal of Jᵀ B J, where B holds what
/// hangs on a body before the last subtraction of W D⁻¹ Wᵀ. After aba() at rest, per entry of `independent`.
std::vector<double> inertia_sizes(const Model& model, const Data<double>& data) {
    std::vector<ArticulatedInertia<double>> B(model.bodies.size());
    for (int i = 0; i < model.body_count(); ++i)
        if (!model.bodies[at(i)].rotor) B[at(i)] = articulated(kernels::inertia_of(model, data, i));
    for (const Cluster& c : model.clusters)
        for (int i = c.body_begin; i < c.rotor_begin && c.parent_body != world; ++i)
            B[at(c.parent_body)] += data.IA[at(i)];

    std::vector<double> sizes(at(model.nv), 0);
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j) {
            constexpr double rounding_squared = 1e-24, of_pivot = 1e-12;
            double& size = sizes[at(c.y_begin + j)];
            size = rounding_squared / of_pivot * uncancelled_inertia(model, data, c, B, j);
            for (int i = c.body_begin; i < c.rotor_begin; ++i) {
                const Motion<double>& J = kernels::jacobian_of(model, data, c, i)[j];
                size += dot(J, B[at(i)] * J);
            }
            size += kernels::constant_inertia<double>(model, c, j, j);
            if (c.folded) continue;
            const auto w = [&](int dof) {
                return kernels::embedding_entry(model, data, c, dof - c.dof_begin, j);
            };
            for (int r = c.rotors_begin; r < c.rotors_end; ++r)
                size += model.rotors[at(r)].axial_inertia * w(model.rotors[at(r)].dof) *
                        w(model.rotors[at(r)].dof);
            for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
                size += model.armature[at(dof)] * w(dof) * w(dof);
        }
    return sizes;
}

}  // namespace

void find_inertia_floors(const Mechanism& mechanism, const Numbering& numbering, Model& model,
                         Diagnostics& diagnostics) {
    constexpr double zero_pivot = 1e-12;      // of D relative to its terms, at the neutral configuration
    constexpr double floor_fraction = 1e-14;  // the same at any configuration
    model.inertia_floor.assign(at(model.nv), 0);
    if (model.nv == 0) return;
    Data<double> data(model);
    const std::vector<double> still(at(model.nv), 0);
    std::vector<double> ydd(at(model.nv));
    kernels::aba<double>(model, data, model.neutral.data(), still.data(), still.data(), nullptr, ydd.data());
    const std::vector<double> sizes = inertia_sizes(model, data);
    bool found = false;
    for (int k = model.cluster_count() - 1; k >= 0; --k) {
        const Cluster& c = model.clusters[at(k)];
        for (int j = 0; j < c.m; ++j) {
            const double pivot = 1 / data.D[at(c.D_begin + j * c.m + j)], size = sizes[at(c.y_begin + j)];
            model.inertia_floor[at(c.y_begin + j)] = floor_fraction * size;
            if (pivot > zero_pivot * size && size > 0 && std::isfinite(pivot)) continue;
            if (found && !std::isfinite(pivot)) break;  // what a massless cluster further out left of it
            found = true;
            diagnostics.push_back(moves_nothing(model, mechanism, numbering, k, j));
            break;
        }
    }
}

}  // namespace grbda::compile
