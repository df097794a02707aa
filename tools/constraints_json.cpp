#include "constraints_json.hpp"

#include <algorithm>

namespace grbda::tool {

using describe::OrderedJson;
namespace {

const char* name_of(RowKind kind) {
    switch (kind) {
        case RowKind::along: return "along";
        case RowKind::distance: return "distance";
        case RowKind::length: return "length";
        case RowKind::screw: return "screw";
        case RowKind::turn: return "turn";
        case RowKind::tilt: return "tilt";
        case RowKind::angle: return "angle";
    }
    return "";
}

/// Entries of a matrix that may be nonzero.
using Pattern = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

OrderedJson entries(const Pattern& pattern) {
    OrderedJson list = OrderedJson::array();
    for (Eigen::Index r = 0; r < pattern.rows(); ++r)
        for (Eigen::Index c = 0; c < pattern.cols(); ++c)
            if (pattern(r, c)) list.push_back(OrderedJson::array({r, c}));
    return list;
}

OrderedJson rows_json(const Model& model, const Cluster& c) {
    OrderedJson list = OrderedJson::array();
    for (int r = 0; r < c.rows; ++r) list.push_back(OrderedJson::object());
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        std::size_t place = at(loop.row - c.row_begin);
        for (const LoopRow& row : rows_of(model, loop)) {
            OrderedJson& entry = list[place++];
            entry["loop"] = model.names.loops[loop.source];
            entry["kind"] = name_of(row.kind);
            if (row.axis >= 0) entry["axis"] = std::string(1, "xyz"[row.axis]);
        }
    }
    for (const int k : c.couplings) {
        const Coupling& coupling = model.couplings[k];
        list[at(coupling.row - c.row_begin)]["coupling"] = model.names.couplings[coupling.source];
    }
    return list;
}

OrderedJson coordinate_json(const Model& model, int dof) {
    const int body = model.dof_body[dof];
    return OrderedJson::array({model.names.joints[body], dof - model.bodies[body].dof});
}

Pattern pattern_of_K(const Model& model, const Cluster& c) {
    Pattern pattern = Pattern::Constant(c.rows, c.dofs, false);
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        for (const int t : loop.terms)
            pattern.col(model.loop_terms[t].dof - c.dof_begin).segment(loop.row - c.row_begin, loop.rows) =
                true;
        if (loop.slide >= 0) pattern(loop.row - c.row_begin, loop.slide - c.dof_begin) = true;
    }
    for (const int k : c.couplings) {
        const Coupling& coupling = model.couplings[k];
        for (const int t : coupling.terms)
            pattern(coupling.row - c.row_begin, model.coupling_terms[t].dof - c.dof_begin) = true;
    }
    return pattern;
}

/// A dependent velocity depends on the independent ones in rows that
/// it shares with other dependents, directly or through further rows.
Pattern pattern_of_G(const Model& model, const Cluster& c, const Pattern& K) {
    Pattern pattern = Pattern::Constant(c.dofs, c.m, false);
    std::vector<char> dependent(at(c.dofs), 1);
    for (int j = 0; j < c.m; ++j) {
        const int dof = model.independent[c.y_begin + j] - c.dof_begin;
        dependent[at(dof)] = 0;
        pattern(dof, j) = true;
    }
    std::vector<char> reached(at(c.dofs), 0);
    for (int first = 0; first < c.dofs; ++first) {
        if (!dependent[at(first)] || reached[at(first)]) continue;
        std::vector<int> group{first};
        Eigen::Array<bool, Eigen::Dynamic, 1> rows =
            Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(c.rows, false);
        reached[at(first)] = 1;
        for (std::size_t next = 0; next < group.size(); ++next)
            for (int r = 0; r < c.rows; ++r) {
                if (rows[r] || !K(r, group[next])) continue;
                rows[r] = true;
                for (int i = 0; i < c.dofs; ++i) {
                    if (!K(r, i) || !dependent[at(i)] || reached[at(i)]) continue;
                    reached[at(i)] = 1;
                    group.push_back(i);
                }
            }
        for (int j = 0; j < c.m; ++j) {
            const int dof = model.independent[c.y_begin + j] - c.dof_begin;
            if (!(rows && K.col(dof)).any()) continue;
            for (const int i : group) pattern(i, j) = true;
        }
    }
    return pattern;
}

template <class Each>
OrderedJson each_constrained(const Model& model, const Each& each) {
    OrderedJson list = OrderedJson::array();
    for (const Cluster& c : model.clusters)
        if (c.rows > 0) list.push_back(each(c));
    return list;
}

}  // namespace

OrderedJson constraint_structure(const Model& model) {
    return each_constrained(model, [&](const Cluster& c) {
        OrderedJson columns = OrderedJson::array(), independent = OrderedJson::array();
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
            columns.push_back(coordinate_json(model, dof));
        for (int j = 0; j < c.m; ++j)
            independent.push_back(coordinate_json(model, model.independent[c.y_begin + j]));
        const Pattern K = pattern_of_K(model, c);
        OrderedJson out;
        out["rows"] = rows_json(model, c);
        out["coordinates"] = std::move(columns);
        out["independent"] = std::move(independent);
        out["nonzero_in_K"] = entries(K);
        out["nonzero_in_G"] = entries(pattern_of_G(model, c, K));
        return out;
    });
}

OrderedJson constraint_numbers(const Model& model, const MatrixX<double>& K, const VectorX<double>& k,
                               const MatrixX<double>& G, const VectorX<double>& g) {
    return each_constrained(model, [&](const Cluster& c) {
        const auto matrix = [](int rows, int columns, const auto& entry) {
            OrderedJson list = OrderedJson::array();
            for (int r = 0; r < rows; ++r) {
                OrderedJson row = OrderedJson::array();
                for (int j = 0; j < columns; ++j) row.push_back(entry(r, j) + 0.0);  // no -0
                list.push_back(std::move(row));
            }
            return list;
        };
        const auto v = [&](int i) { return model.v_index[c.dof_begin + i]; };
        const auto y = [&](int j) { return model.y_index[c.y_begin + j]; };
        OrderedJson out;
        out["K"] = matrix(c.rows, c.dofs, [&](int r, int i) { return K(c.row_begin + r, v(i)); });
        out["k"] = matrix(1, c.rows, [&](int, int r) { return k[c.row_begin + r]; })[0];
        out["G"] = matrix(c.dofs, c.m, [&](int i, int j) { return G(v(i), y(j)); });
        out["g"] = matrix(1, c.dofs, [&](int, int i) { return g[v(i)]; })[0];
        return out;
    });
}

}  // namespace grbda::tool
