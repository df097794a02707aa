#include "draft.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace grbda::compile {
namespace {

/// Numbers the rows of K, from those that each loop keeps.
void number_rows(const Draft& draft, Structure& model) {
    int row = 0;
    for (Cluster& c : model.clusters) {
        c.row_begin = row;
        for (const int l : c.loops) {
            Loop& loop = model.loops[l];
            const std::vector<LoopRow>& rows = draft.rows[l];
            loop.rows = static_cast<int>(rows.size());
            loop.lengths = static_cast<int>(std::count_if(
                rows.begin(), rows.end(), [](const LoopRow& each) { return is_length(each.kind); }));
            loop.rows_begin = static_cast<int>(model.loop_rows.size());
            loop.row = row;
            row += loop.rows;
            model.loop_rows.insert(model.loop_rows.end(), rows.begin(), rows.end());
        }
        for (const int l : c.couplings) model.couplings[l].row = row++;
        c.rows = row - c.row_begin;
    }
    model.rows = row;
}

/// Natural size of a coupling's row of K with dimensionless columns, the same at every
/// configuration. A polynomial may have any slope, so the follower determines the size of its row.
double natural_entry(const Structure& model, const Coupling& coupling, const Table<double>& column_scale) {
    if (!coupling.linear()) return column_scale[model.coupling_terms[coupling.terms.first].dof];
    double largest = 0;
    for (const int t : coupling.terms) {
        const CouplingTerm& term = model.coupling_terms[t];
        largest = std::max(largest, std::abs(term.coefficient) * column_scale[term.dof]);
    }
    return largest;
}

/// The same for a loop's row. The row of a screw includes its pitch.
double natural_entry(const Loop& loop, RowKind kind, double size) {
    if (!is_length(kind)) return 1;
    return kind == RowKind::screw ? std::max(size, std::abs(loop.constant)) : size;
}

void set_scales(const Table<double>& sizes, Model& model) {
    Scales scales = scales_of(model, sizes);
    model.K_scale.assign(static_cast<std::size_t>(model.sizes.K), 1);
    for (const Cluster& c : model.clusters)
        for (int r = 0; r < c.rows; ++r)
            for (int j = 0; j < c.dofs; ++j)
                model.K_scale[c.K_begin + r * c.dofs + j] =
                    scales.row[c.row_begin + r] * scales.column[c.dof_begin + j];
    model.row_scale = std::move(scales.row);
    model.column_scale = std::move(scales.column);
}

}  // namespace

Scales scales_of(const Structure& model, const Table<double>& sizes) {
    Scales scales{Table<double>(static_cast<std::size_t>(model.rows), 1),
                  Table<double>(static_cast<std::size_t>(model.nv_tree), 1)};
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) {
            const Body& body = model.bodies[model.dof_body[dof]];
            if (is_freedom(body.joint, dof - body.dof, Freedom::slide)) scales.column[dof] = sizes[k];
        }
        for (const int l : c.loops) {
            const Loop& loop = model.loops[l];
            int row = loop.row;
            for (const LoopRow& each : rows_of(model, loop))
                scales.row[row++] = 1 / natural_entry(loop, each.kind, sizes[k]);
        }
        for (const int l : c.couplings) {
            const Coupling& coupling = model.couplings[l];
            scales.row[coupling.row] = 1 / natural_entry(model, coupling, scales.column);
        }
    }
    return scales;
}

void drop_rows(const Structure& model, const std::vector<char>& kept, Draft& draft) {
    for (std::size_t l = 0; l < draft.rows.size(); ++l) {
        auto keeps = kept.begin() + model.loops[l].row;
        std::erase_if(draft.rows[l], [&](const LoopRow&) { return *keeps++ == 0; });
    }
}

namespace {

Model make_model(const Draft& draft, std::optional<Form> form, std::optional<Form> form_of_long,
                 Structure structure, Constants constants) {
    Model model{std::move(structure), std::move(constants), {}};
    number_rows(draft, model);
    number_independents(draft, model);
    find_kinds(draft, form, form_of_long, model);
    lay_out(model);
    set_scales(draft.sizes, model);
    fold_constants(model);
    if (model.inertia_floor.empty()) model.inertia_floor.assign(static_cast<std::size_t>(model.nv), 0);
    if (model.joint_floor.empty()) model.joint_floor.assign(model.v_index.size(), 0);
    return model;
}

}  // namespace

Model make_model(const Draft& draft, std::optional<Form> form) {
    return make_model(draft, form, form, draft.structure, draft.constants);
}

Model make_model(const Draft& draft) {
    return make_model(draft, Form::jacobians, Form::rows, draft.structure, draft.constants);
}

Model finished_model(Draft&& draft) {
    Model model =
        make_model(draft, draft.form, draft.form, std::move(draft.structure), std::move(draft.constants));
    static_cast<Catalogue&>(model) = std::move(draft.catalogue);
    for (const Cluster& c : model.clusters)
        if (c.has_cut_tree()) model.reports[c.index].costs = form_costs(model, c);
    return model;
}

}  // namespace grbda::compile
