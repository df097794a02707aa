#include <algorithm>

#include "closing_text.hpp"
#include "function.hpp"
#include "closing/closure.hpp"

// Writes C code around a step of Newton's method: tables of the clusters, and code that follows closed
// configurations.

namespace grbda::generated {
namespace {

/// Returns { a, b, … } of the entries that `each` adds to a list.
template <class Each>
std::string braces(const Each& each) {
    std::string text;
    each([&](const std::string& item) { text += (text.empty() ? "" : ", ") + item; });
    return "{" + text + "}";
}
std::string braces(const std::vector<std::string>& items) {
    return braces([&](const auto& put) {
        for (const std::string& item : items) put(item);
    });
}

std::vector<const Cluster*> closed_by_steps(const Model& model) {
    std::vector<const Cluster*> result;
    for (const Cluster& c : model.clusters)
        if (is_closed_by_steps(c)) result.push_back(&c);
    return result;
}

bool has_polynomials(const Model& model, const Cluster& c) {
    bool found = false;
    for (const int i : c.couplings) found = found || !model.couplings[i].linear();
    return found;
}

/// Returns the number of velocities in nonlinear rows. Those of reduced rotors are last and only enter
/// polynomials.
int turning_dofs(const Model& model, const Cluster& c) {
    const bool all = has_polynomials(model, c) || c.reduced().empty();
    return all ? c.dofs : model.bodies[c.bodies.last].dof - c.dof_begin;
}

/// Returns an upper bound for the rotation of rows per rotation of joints; above 1 for a rod shorter than the
/// cluster.
double turning_of_rods(const Model& model, const Cluster& c) {
    double turning = 1;
    for (const int i : c.loops) {
        const Loop& loop = model.loops[i];
        for (const LoopRow& row : rows_of(model, loop))
            if (row.kind == RowKind::distance || row.kind == RowKind::length)
                turning = std::max(turning, 1 / model.row_scale[loop.row] / loop.constant);
    }
    return turning;
}

/// Returns whether a cluster can be continued from the neutral configuration. Each independent must be a
/// number in q, or a component of a rotation with dependent components, which is a guess unless it is the
/// neutral one.
bool can_continue_from_neutral(const Model& model, const Cluster& c) {
    bool can = true;
    for (int i = c.y_begin; i < c.y_begin + c.m; ++i) {
        const int dof = model.independent[i], body = model.dof_body[dof];
        bool known = kernels::position_index(model, dof) >= 0;
        for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d)
            known = known || model.dof_body[model.dependent[d]] == body;
        can = can && known;
    }
    return can;
}

/// Rows of the tables, collected cluster by cluster.
struct Tables {
    std::vector<std::string> clusters, dependents, guesses, joints, leaders, scales, row_scales, screws,
        moving, goals;
    bool quaternions = false;
    bool follows = false;  ///< a function follows displacements
    int dofs = 0, rows = 0, most = 0;

    void add(const Model& model, const Cluster& c);

private:
    void add_joints(const Model& model, const Cluster& c);
    void add_screws(const Model& model, const Cluster& c);
    int inverse_ = 0, entries_ = 0, upright_ = 1;
};

std::string entry(const std::vector<int>& numbers) {
    return braces([&](const auto& put) {
        for (const int x : numbers) put(std::to_string(x));
    });
}

void Tables::add_joints(const Model& model, const Cluster& c) {
    for (const int i : c.joints) {
        const Body& body = model.bodies[i];
        const int dof = dofs + body.dof - c.dof_begin;
        if (!has_quaternion(body.joint)) {
            for (int j = 0; j < velocity_size(body.joint); ++j)
                joints.push_back(entry({0, body.q + j, dof + j}));
            continue;
        }
        quaternions = true;
        joints.push_back(entry({body.joint == JointType::floating ? 2 : 1, body.q, dof}));
    }
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int dof = model.dependent[d], j = kernels::position_index(model, dof);
        const Body& body = model.bodies[model.dof_body[dof]];
        dependents.push_back(std::to_string(dofs + dof - c.dof_begin));
        guesses.push_back(j >= 0 ? entry({j, 1}) : entry({body.q, position_size(body.joint)}));
    }
    for (int i = c.y_begin; i < c.y_begin + c.m; ++i) {
        const int dof = model.independent[i], j = kernels::position_index(model, dof),
                  body = model.dof_body[dof];
        const Body& joint = model.bodies[body];
        moving.push_back(entry({dofs + dof - c.dof_begin, model.y_index[i]}));
        if (j < 0 && dof == joint.dof) goals.push_back(entry({joint.q, position_size(joint.joint)}));
        const bool free = j >= 0 && closing::turns_freely(model, c, joint, dof - joint.dof);
        if (j >= 0) leaders.push_back(entry({j, dofs + dof - c.dof_begin, free ? 1 : 0}));
    }
}

void Tables::add_screws(const Model& model, const Cluster& c) {
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (!kernels::has_screw(loop, rows_of(model, loop).data())) continue;
        const int row = loop.row + loop.lengths - 1;
        screws.push_back(
            braces({std::to_string(entries_ + (row - c.row_begin) * c.dofs), std::to_string(dofs),
                    std::to_string(c.dofs), number_text(std::abs(loop.constant) * model.row_scale[row])}));
    }
}

void Tables::add(const Model& model, const Cluster& c) {
    const int n = c.dependents(), dependent = static_cast<int>(dependents.size()),
              leader = static_cast<int>(leaders.size()), joint = static_cast<int>(joints.size());
    add_joints(model, c);
    add_screws(model, c);
    int uprights = 0;
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows == 0) continue;
        for (const LoopRow& row : facts(loop.type).rows)
            uprights += row.kind == RowKind::turn || row.kind == RowKind::tilt;
    }
    const int last = can_continue_from_neutral(model, c) ? static_cast<int>(leaders.size()) : leader;
    std::string text = entry({dofs, c.dofs, turning_dofs(model, c), rows, c.rows, dependent, n, leader, last,
                              joint, static_cast<int>(joints.size()), inverse_, entries_, upright_,
                              upright_ + uprights, has_polynomials(model, c) ? 1 : 0});
    text.back() = ',';
    clusters.push_back(text + " " + number_text(turning_of_rods(model, c)) + "}");
    for (int i = c.dof_begin; i < c.dof_begin + c.dofs; ++i)
        scales.push_back(number_text(1 / model.column_scale[i]));
    for (int i = c.row_begin; i < c.row_begin + c.rows; ++i)
        row_scales.push_back(number_text(model.row_scale[i]));
    inverse_ += n * c.rows;
    entries_ += c.rows * c.dofs;
    upright_ += uprights;
    dofs += c.dofs;
    rows += c.rows;
    most = std::max(most, n);
}

/// Writes the members of the structure that close_step() fills, and its call.
std::string linearization(const Dialect& dialect, const Function& step) {
    std::string members, call;
    for (const Output& output : step.recording.outputs) {
        const Argument& x = output.argument;
        members += "    double " + x.name + "[" + std::to_string(x.size) + "]; /* " + x.meaning + " */\n";
        call += ", x->" + x.name;
    }
    const std::string name = dialect.name;
    return "\n/* the loops around a configuration */\ntypedef struct {\n" + members + "} " + name +
           "_linear;\n\nstatic int " + name +
           "_linearize(const double* q, const double* delta, const double* wanted, " + name +
           "_linear* x) {\n    return " + name + "_" + step.name + "(q, delta, wanted" + call + ");\n}\n";
}

std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& rows) {
    return "static const " + type + " " + name + " = " + braces(rows) + ";\n";
}

/// Adds a row to an empty list, because C has no array without entries.
std::vector<std::string> filled_up(std::vector<std::string> rows, const std::string& row) {
    if (rows.empty()) rows.push_back(row);
    return rows;
}

std::string tables_text(const Dialect& dialect, const Model& model, const Tables& t) {
    const std::string prefix = dialect.name + "_";
    std::string neutral = braces([&](const auto& put) {
        for (const double x : model.neutral) put(number_text(x));
    });
    return table(prefix + "cluster", prefix + "clusters[]", t.clusters) +
           table("int", prefix + "dependents[]", t.dependents) +
           table("int", prefix + "guesses[][2]", t.guesses) + table("int", prefix + "joints[][3]", t.joints) +
           table("int", prefix + "leaders[][3]", filled_up(t.leaders, "{0, 0, 0}")) +
           table("double", prefix + "scales[]", t.scales) +
           table("double", prefix + "row_scales[]", t.row_scales) + "static const double " + prefix +
           "neutral[] = " + neutral + ";\n" +
           (t.screws.empty() ? "" : table(prefix + "screw", prefix + "screws[]", t.screws)) +
           (t.follows ? table("int", prefix + "moving[][2]", filled_up(t.moving, "{0, 0}")) : "") +
           (t.follows && !t.goals.empty() ? table("int", prefix + "goals[][2]", t.goals) : "");
}

}  // namespace

bool is_closed_by_steps(const Cluster& cluster) {
    return cluster.embedding == Embedding::implicit && cluster.dependents() > 0;
}

std::string closing_declaration(const Dialect& dialect) {
    return "/* closes the loops: independent coordinates of q stay, dependent ones move from the guess in q "
           "along "
           "Newton's\n   flow, so that the assembly mode and whole turns are those of the guess; where they "
           "are "
           "the neutral ones, they\n   follow the independents from there. On failure q is unchanged "
           "*/\n"
           "int " +
           dialect.name + "_close(double* q);\n";
}

std::string coupled_positions(const Model& model, const std::string& q) {
    std::string text;
    for (const Cluster& c : model.clusters) {
        if (c.embedding != Embedding::constant) continue;
        for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
            const int dof = model.dependent[d];
            const double* G = model.G.data() + c.G_begin + (dof - c.dof_begin) * c.m;
            text += "    " + q + "[" + std::to_string(kernels::position_index(model, dof)) +
                    "] = " + number_text(model.offset[dof]);
            for (int j = 0; j < c.m; ++j) {
                if (G[j] == 0) continue;
                const int leader = kernels::position_index(model, model.independent[c.y_begin + j]);
                text += " + " + q + "[" + std::to_string(leader) + "] * " + number_text(G[j]);
            }
            text += ";\n";
        }
    }
    return text;
}

bool closes_poses(const Model& model) {
    bool found = false;
    for (const Cluster* c : closed_by_steps(model))
        for (const int i : c->joints) found = found || has_quaternion(model.bodies[i].joint);
    return found;
}

bool closes_by_steps(const Model& model) { return !closed_by_steps(model).empty(); }

std::string closing_definition(const Dialect& dialect, const Model& model, const Function& step,
                               bool follows) {
    Tables tables;
    for (const Cluster* c : closed_by_steps(model)) tables.add(model, *c);
    const std::string coupled = coupled_positions(model, "closed");
    if (tables.clusters.empty()) return closing_of_couplings(dialect, coupled);
    tables.follows = follows;
    ClosingSizes sizes{static_cast<int>(tables.clusters.size()),
                       tables.dofs,
                       tables.rows,
                       tables.most,
                       static_cast<int>(tables.joints.size()),
                       static_cast<int>(tables.leaders.size()),
                       static_cast<int>(tables.screws.size()),
                       tables.quaternions,
                       follows,
                       static_cast<int>(tables.moving.size()),
                       follows ? static_cast<int>(tables.goals.size()) : 0};
    return definition(dialect, step, "static ") + linearization(dialect, step) +
           closing_types(dialect, sizes) + tables_text(dialect, model, tables) +
           closing_functions(dialect, sizes, coupled);
}

}  // namespace grbda::generated
