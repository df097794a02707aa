#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Geometry>

#include "compile.hpp"
#include "grbda/kernels/closure.hpp"

namespace grbda::compile {
namespace {

/// Axes of a constraint frame with x along the axis, in the body.
Matrix3<double> axes_along(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& axis) {
    Eigen::Index smallest = 0;
    axis.cwiseAbs().minCoeff(&smallest);
    const Eigen::Vector3d y = axis.cross(Eigen::Vector3d::Unit(smallest)).normalized();
    return {vector(rotation * axis), vector(rotation * y), vector(rotation * axis.cross(y))};
}

/// Joints from body `i` up to the cluster's parent.
void add_terms(Model& model, const Cluster& c, int i, double sign) {
    for (; i != c.parent_body && i != world; i = model.bodies[at(i)].parent) {
        const Body& body = model.bodies[at(i)];
        for (int j = 0; j < velocity_size(body.joint); ++j) model.loop_terms.push_back({body.dof + j, sign});
    }
}

/// Columns that both subchains share cancel.
void cancel_terms(std::vector<LoopTerm>& terms, std::size_t begin) {
    std::stable_sort(terms.begin() + static_cast<long>(begin), terms.end(),
                     [](const LoopTerm& a, const LoopTerm& b) { return a.dof < b.dof; });
    std::size_t end = begin;
    for (std::size_t i = begin; i < terms.size(); ++i) {
        if (i + 1 < terms.size() && terms[i].dof == terms[i + 1].dof)
            ++i;
        else
            terms[end++] = terms[i];
    }
    terms.resize(end);
}

Loop compile_loop(const MechanismLoop& from, const Numbering& numbering, int source) {
    Loop loop;
    loop.type = from.type;
    loop.predecessor = from.predecessor == world ? world : numbering.body_of[at(from.predecessor)];
    loop.successor = from.successor == world ? world : numbering.body_of[at(from.successor)];
    loop.p_position = vector(from.predecessor_placement.translation);
    loop.s_position = vector(from.successor_placement.translation);
    const bool universal = from.type == LoopType::universal;
    loop.p_rotation = axes_along(from.predecessor_placement.rotation, from.axis);
    loop.s_rotation = axes_along(from.successor_placement.rotation, universal ? from.axis2 : from.axis);
    loop.constant = universal ? from.axis.dot(from.axis2) : from.length;
    loop.source = source;
    return loop;
}

/// Points this near to each other, relative to the lengths that they were computed from, are one.
constexpr double same_point = 1e-12;

/// Size of a cluster: the largest distance between points that its joints and loops name, at q. Where all are
/// one point, 1: what rounding leaves between them, of a robot with lengths up to `longest`, is no size to
/// measure by.
double cluster_size(const Model& model, Data<double>& data, const Cluster& c, const std::vector<double>& q,
                    double longest) {
    const auto base = kernels::place_alone(model, data, c, q.data());
    std::vector<Vector3<double>> points;
    double lever = longest;
    for (int i = c.body_begin; i < c.rotor_begin; ++i) points.push_back(data.p[at(i)]);
    for (int l = c.loops_begin; l < c.loops_end; ++l) {
        const Loop& loop = model.loops[at(l)];
        points.push_back(
            kernels::point_of(kernels::placement_of(data, c, base, loop.predecessor), loop.p_position));
        points.push_back(
            kernels::point_of(kernels::placement_of(data, c, base, loop.successor), loop.s_position));
        for (const Vector3<double>& offset : {loop.p_position, loop.s_position})
            lever = std::max(lever, std::sqrt(dot(offset, offset)));
    }
    double size = 0;
    for (const auto& point : points) {
        const Vector3<double> d = point - points.front();
        size = std::max(size, std::sqrt(dot(d, d)));
        lever = std::max(lever, std::sqrt(dot(point, point)));
    }
    return size > same_point * lever ? size : 1;
}

/// Of a coupling's row of K, columns dimensionless: the same at every configuration. A polynomial's slope may
/// be anything, so its row is measured by the follower.
double natural_entry(const Model& model, const Coupling& coupling) {
    if (!coupling.linear()) return model.column_scale[at(kernels::follower_of(model, coupling).dof)];
    double largest = 0;
    for (int t = coupling.terms_begin; t < coupling.terms_end; ++t) {
        const CouplingTerm& term = model.coupling_terms[at(t)];
        largest = std::max(largest, std::abs(term.coefficient) * model.column_scale[at(term.dof)]);
    }
    return largest;
}

void set_scales(Model& model, const Cluster& c, double size) {
    for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) {
        const Body& body = model.bodies[at(model.dof_body[at(dof)])];
        model.column_scale[at(dof)] = is_freedom(body.joint, dof - body.dof, Freedom::slide) ? size : 1;
    }
    for (int l = c.loops_begin; l < c.loops_end; ++l) {
        const Loop& loop = model.loops[at(l)];
        for (int r = 0; r < loop.rows; ++r)
            model.row_scale[at(loop.row + r)] = r < loop.lengths ? 1 / size : 1;
    }
    for (int l = c.couplings_begin; l < c.couplings_end; ++l) {
        const Coupling& coupling = model.couplings[at(l)];
        model.row_scale[at(coupling.row)] = 1 / natural_entry(model, coupling);
    }
}

/// Random joint positions, whether or not they close anything.
void scatter(const Model& model, const Cluster& c, double size, std::mt19937_64& generator,
             std::vector<double>& q) {
    std::uniform_real_distribution<double> unit(-1, 1);
    std::vector<double> step(at(c.dofs));
    for (int j = 0; j < c.dofs; ++j)
        step[at(j)] = unit(generator) * (model.column_scale[at(c.dof_begin + j)] == 1 ? 1.5 : size);
    kernels::move_cluster(model, c, q.data(), step.data(), 1, q.data());
}

/// Entries of `kept` [rows of the model] for rows whose K or φ does not always vanish: a planar four-bar
/// needs two of its five.
void find_rows(const Model& model, Data<double>& data, const Cluster& c, double size,
               std::vector<char>& kept) {
    constexpr double negligible = 1e-9;
    constexpr int samples = 4;
    std::mt19937_64 generator(7);
    for (int sample = 0; sample < samples; ++sample) {
        std::vector<double> q = model.neutral;
        scatter(model, c, size, generator, q);
        const auto base = kernels::place_alone(model, data, c, q.data());
        kernels::constraint_rows(model, data, c, base, q.data());
        for (int r = 0; r < c.rows; ++r) {
            const double scale = model.row_scale[at(c.row_begin + r)];
            double largest = std::abs(data.phi[at(c.row_begin + r)]) * scale;
            for (int j = 0; j < c.dofs; ++j)
                largest = std::max(largest, std::abs(data.K[at(c.K_begin + r * c.dofs + j)]) * scale *
                                                model.column_scale[at(c.dof_begin + j)]);
            if (!(largest <= negligible)) kept[at(c.row_begin + r)] = 1;
        }
    }
}

/// q_f − Σ cᵢ xⁱ + offset with the offset in c₀.
void add_polynomial(const MechanismCoupling& from, Model& model, Coupling& coupling) {
    coupling.polynomial_begin = coupling.polynomial_end = static_cast<int>(model.polynomials.size());
    if (from.polynomial.empty()) return;
    model.polynomials.insert(model.polynomials.end(), from.polynomial.begin(), from.polynomial.end());
    model.polynomials[at(coupling.polynomial_begin)] -= from.offset;
    coupling.polynomial_end = static_cast<int>(model.polynomials.size());
    coupling.reference = from.reference;
    coupling.offset = 0;
    model.coupling_terms[at(coupling.terms_begin)].coefficient = 1;
    model.coupling_terms[at(coupling.terms_begin + 1)].coefficient = -1;
}

void add_constraints(const Mechanism& mechanism, const Numbering& numbering, Model& model) {
    std::vector<std::vector<Loop>> loops(model.clusters.size());
    std::vector<std::vector<int>> couplings(model.clusters.size());
    for (std::size_t i = 0; i < mechanism.loops.size(); ++i) {
        const Loop loop = compile_loop(mechanism.loops[i], numbering, static_cast<int>(i));
        // the deeper end is in the cluster; the other one may be the body that the cluster hangs on
        const int end = std::max(loop.predecessor, loop.successor);
        loops[at(model.bodies[at(end)].cluster)].push_back(loop);
        model.names.loops.push_back(mechanism.loops[i].name);
    }
    for (std::size_t i = 0; i < mechanism.couplings.size(); ++i) {
        const MechanismCoupling& from = mechanism.couplings[i];
        const int body = numbering.body_of[at(from.terms.front().body)];
        couplings[at(model.bodies[at(body)].cluster)].push_back(static_cast<int>(i));
        model.names.couplings.push_back(from.name);
        model.names.equations.push_back(equation(mechanism, from));
    }
    for (std::size_t k = 0; k < model.clusters.size(); ++k) {
        Cluster& c = model.clusters[k];
        c.loops_begin = static_cast<int>(model.loops.size());
        for (Loop loop : loops[k]) {
            const std::size_t begin = model.loop_terms.size();
            add_terms(model, c, loop.successor, 1);
            add_terms(model, c, loop.predecessor, -1);
            cancel_terms(model.loop_terms, begin);
            loop.terms_begin = static_cast<int>(begin);
            loop.terms_end = static_cast<int>(model.loop_terms.size());
            const Few<LoopRow>& rows = facts(loop.type).rows;
            loop.rows = rows.size();
            model.loop_rows.insert(model.loop_rows.end(), rows.begin(), rows.end());
            model.loops.push_back(loop);
        }
        c.loops_end = static_cast<int>(model.loops.size());
        c.couplings_begin = static_cast<int>(model.couplings.size());
        for (const int source : couplings[k]) {
            const MechanismCoupling& from = mechanism.couplings[at(source)];
            Coupling coupling;
            coupling.offset = from.offset;
            coupling.source = source;
            coupling.terms_begin = static_cast<int>(model.coupling_terms.size());
            for (const MechanismTerm& term : from.terms) {
                const Body& body = model.bodies[at(numbering.body_of[at(term.body)])];
                model.coupling_terms.push_back(
                    {body.dof + term.component, body.q + term.component, term.coefficient});
            }
            coupling.terms_end = static_cast<int>(model.coupling_terms.size());
            add_polynomial(from, model, coupling);
            model.couplings.push_back(coupling);
        }
        c.couplings_end = static_cast<int>(model.couplings.size());
    }
}

/// Ranges and numbers of rows, from how many each loop has.
void number_rows(Model& model) {
    int row = 0, listed = 0;
    for (Cluster& c : model.clusters) {
        c.row_begin = row;
        for (int l = c.loops_begin; l < c.loops_end; ++l) {
            Loop& loop = model.loops[at(l)];
            const auto first = model.loop_rows.begin() + listed;
            loop.lengths = static_cast<int>(std::count_if(
                first, first + loop.rows, [](const LoopRow& each) { return is_length(each.kind); }));
            loop.rows_begin = listed;
            listed += loop.rows;
            loop.row = row;
            row += loop.rows;
        }
        for (int l = c.couplings_begin; l < c.couplings_end; ++l) model.couplings[at(l)].row = row++;
        c.rows = row - c.row_begin;
    }
    model.rows = row;
}

}  // namespace

double longest_length(const Model& model) {
    double longest = 0;
    const auto include = [&](const Vector3<double>& a) { longest = std::max(longest, std::sqrt(dot(a, a))); };
    for (const Body& body : model.bodies) {
        include(body.com);
        if (body.parent != world) include(body.position);
    }
    for (const Frame& frame : model.frames)
        if (frame.body != world) include(frame.position);
    return longest;
}

void drop_rows(Model& model, const std::vector<char>& kept) {
    std::vector<LoopRow> rows;
    std::vector<double> scales;
    for (Cluster& c : model.clusters) {
        for (int l = c.loops_begin; l < c.loops_end; ++l) {
            Loop& loop = model.loops[at(l)];
            const std::size_t before = rows.size();
            for (int r = 0; r < loop.rows; ++r) {
                if (!kept[at(loop.row + r)]) continue;
                rows.push_back(model.loop_rows[at(loop.rows_begin + r)]);
                scales.push_back(model.row_scale[at(loop.row + r)]);
            }
            loop.rows = static_cast<int>(rows.size() - before);
        }
        for (int l = c.couplings_begin; l < c.couplings_end; ++l)
            scales.push_back(model.row_scale[at(model.couplings[at(l)].row)]);
    }
    model.loop_rows = std::move(rows);
    model.row_scale = std::move(scales);
    number_rows(model);
}

void compile_constraints(const Mechanism& mechanism, const Numbering& numbering, Model& model) {
    model.column_scale.assign(model.v_index.size(), 1);
    add_constraints(mechanism, numbering, model);
    number_rows(model);
    model.row_scale.assign(at(model.rows), 1);
    model.reports.resize(model.clusters.size());
    lay_out(model);

    Data<double> data(model);
    std::vector<char> kept(at(model.rows), 0);
    const double longest = longest_length(model);
    for (std::size_t k = 0; k < model.clusters.size(); ++k) {
        const Cluster& c = model.clusters[k];
        model.reports[k].rows_written = c.rows;
        if (c.rows == 0) continue;
        const double size = cluster_size(model, data, c, model.neutral, longest);
        set_scales(model, c, size);
        find_rows(model, data, c, size, kept);
    }
    drop_rows(model, kept);
    for (Cluster& c : model.clusters) {
        bool varies = false;
        for (int l = c.loops_begin; l < c.loops_end; ++l) varies = varies || model.loops[at(l)].rows > 0;
        for (int l = c.couplings_begin; l < c.couplings_end; ++l)
            varies = varies || !model.couplings[at(l)].linear();
        const bool plain = c.body_end - c.body_begin == 1 && c.rows == 0;
        c.embedding = varies ? Embedding::implicit : plain ? Embedding::none : Embedding::constant;
    }
    lay_out(model);
}

namespace {

std::size_t layout_of(const Model& model) {
    std::size_t hash = 14695981039346656037u;
    const auto mix = [&](int number) { hash = (hash ^ static_cast<std::size_t>(number)) * 1099511628211u; };
    mix(model.nq);
    for (const Cluster& c : model.clusters)
        for (const int number :
             {c.parent_body, c.body_begin, c.rotor_begin, c.body_end, c.angle_end, c.dofs, c.m, c.rows,
              c.loops_end, c.couplings_end, static_cast<int>(c.embedding), static_cast<int>(c.is_direct())})
            mix(number);
    return hash;
}

}  // namespace

void lay_out(Model& model) {
    int y = 0, dependent = 0, G = 0, K = 0, J = 0, W = 0, D = 0, inverse = 0;
    for (Cluster& c : model.clusters) {
        const auto take = [](int& end, int size) {
            const int begin = end;
            end += size;
            return begin;
        };
        const bool embedded = c.embedding != Embedding::none;
        c.y_begin = take(y, c.m);
        c.dependent_begin = take(dependent, c.dependents());
        c.G_begin = take(G, embedded ? c.dofs * c.m : 0);
        c.K_begin = take(K, c.rows * c.dofs);
        c.J_begin = take(J, c.is_direct() ? 0 : (c.rotor_begin - c.body_begin) * c.m);
        c.W_begin = take(W, c.m);
        c.D_begin = take(D, c.m * c.m);
        c.inverse_begin = take(inverse, padded(c.rows) * c.dependents());
    }
    model.layout = layout_of(model);
    model.K_scale.assign(at(K), 1);
    for (const Cluster& c : model.clusters)
        for (int r = 0; r < c.rows; ++r)
            for (int j = 0; j < c.dofs; ++j)
                model.K_scale[at(c.K_begin + r * c.dofs + j)] =
                    model.row_scale[at(c.row_begin + r)] * model.column_scale[at(c.dof_begin + j)];
}

}  // namespace grbda::compile
