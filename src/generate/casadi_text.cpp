#include "casadi_text.hpp"

#include <map>
#include <string_view>

#include "external_functions.hpp"
#include "step.hpp"

// CasADi finds functions by name: f, jac_f, adj1_f and jac_adj1_f, each with its counts, names and patterns.
// All of them call one evaluation of f with its Jacobian and the Hessian of multipliers times f, with respect
// to the inputs that have derivatives.

namespace grbda::generated {
namespace {

constexpr std::string_view protocol = R"(
/* CasADi's integers: long long in its own library, int in acados */
#ifndef CASADI_INT
#define CASADI_INT long long
#endif
typedef CASADI_INT casadi_int;
#if defined(_WIN32)
#define $_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define $_EXPORT __attribute__((visibility("default")))
#else
#define $_EXPORT
#endif

/* a function: sizes of its inputs and outputs, and which inputs have derivatives. evaluate computes the values with order 0,
   also the Jacobian with order 1, and the Hessian of lambda times the values with order 2 */
typedef struct {
    int inputs, outputs, values, variables;
    const int *in, *out, *varies;
    int (*evaluate)(int order, const double* const* in, const double* lambda, double* out, double* J, double* H);
} @_external;

static void @_copy(const double* from, double* to, int n) {
    if (to) memcpy(to, from, (size_t)n * sizeof *to);
}

/* reads inputs, of which null ones are zero; w has space for all zeros */
static const double* @_input(const double** arg, int i, int size, double* w) {
    int k;
    if (arg[i]) return arg[i];
    for (k = 0; k < size; ++k) w[k] = 0.0;
    return w;
}

/* kinds: 0 f, 1 jac_f, 2 adj1_f, 3 jac_adj1_f; numbers of w: zeros of the inputs, values, multipliers, J, H */
static long @_room(const @_external* f) {
    long n = 2L * f->values + (long)f->values * f->variables + (long)f->variables * f->variables;
    int i;
    for (i = 0; i < f->inputs; ++i) n += f->in[i];
    return n;
}

static void @_block(const double* M, int rows, int row, int height, int column, int width, double* out) {
    int i, j;
    for (j = 0; out && j < width; ++j)
        for (i = 0; i < height; ++i) out[j * height + i] = M[(column + j) * rows + row + i];
}

/* index of each input with derivatives among the variables, or -1 */
static int @_variable(const @_external* f, int input) {
    int i, place = 0;
    if (!f->varies[input]) return -1;
    for (i = 0; i < input; ++i) place += f->varies[i] ? f->in[i] : 0;
    return place;
}

static void @_put_jacobian(const @_external* f, const double* J, double** res) {
    int o, i, row = 0;
    for (o = 0; o < f->outputs; row += f->out[o++])
        for (i = 0; i < f->inputs; ++i)
            if (f->varies[i]) @_block(J, f->values, row, f->out[o], @_variable(f, i), f->in[i], res[o * f->inputs + i]);
}

static void @_put_adjoint(const @_external* f, const double* J, const double* lambda, double** res) {
    int i, j, k;
    for (i = 0; i < f->inputs; ++i)
        for (j = 0; res[i] && j < f->in[i]; ++j) {
            const int place = @_variable(f, i);
            double sum = 0.0;
            for (k = 0; place >= 0 && k < f->values; ++k) sum += J[(place + j) * f->values + k] * lambda[k];
            res[i][j] = sum;
        }
}

/* changes of the adjoint inputs with inputs and with adjoint outputs, which is the transposed Jacobian */
static void @_put_hessian(const @_external* f, const double* J, const double* H, double** res) {
    int a, i, j, k, o, columns = f->inputs + 2 * f->outputs;
    for (a = 0; a < f->inputs; ++a) {
        const int place = @_variable(f, a);
        double** const row = res + a * columns;
        int first = 0;
        if (place < 0) continue;
        for (i = 0; i < f->inputs; ++i)
            if (f->varies[i]) @_block(H, f->variables, place, f->in[a], @_variable(f, i), f->in[i], row[i]);
        for (o = 0; o < f->outputs; first += f->out[o++]) {
            double* const block = row[f->inputs + f->outputs + o];
            for (j = 0; block && j < f->out[o]; ++j)
                for (k = 0; k < f->in[a]; ++k) block[j * f->in[a] + k] = J[(place + k) * f->values + first + j];
        }
    }
}

static int @_call(const @_external* f, int kind, const double** arg, double** res, double* w) {
    const double* in[8];
    double *const out = w, *const lambda = out + f->values, *const J = lambda + f->values;
    double *const H = J + f->values * f->variables, *zeros = H + f->variables * f->variables;
    int i, k, status, first = 0;
    for (i = 0; i < f->inputs; zeros += f->in[i++]) in[i] = @_input(arg, i, f->in[i], zeros);
    for (i = 0; kind >= 2 && i < f->outputs; first += f->out[i++]) {
        const double* const seed = arg[f->inputs + f->outputs + i];
        for (k = 0; k < f->out[i]; ++k) lambda[first + k] = seed ? seed[k] : 0.0;
    }
    status = f->evaluate(kind == 0 ? 0 : kind == 3 ? 2 : 1, in, lambda, out, J, H);
    if (kind == 0)
        for (i = 0, first = 0; i < f->outputs; first += f->out[i++]) @_copy(out + first, res[i], f->out[i]);
    if (kind == 1) @_put_jacobian(f, J, res);
    if (kind == 2) @_put_adjoint(f, J, lambda, res);
    if (kind == 3) @_put_hessian(f, J, H, res);
    return status;
}

/* how many numbers of output i belong to one node */
static int @_stored(const @_external* f, int kind, int i) {
    const int columns = kind == 1 ? f->inputs : f->inputs + 2 * f->outputs, row = i / columns, by = i % columns;
    if (kind == 0) return f->out[i];
    if (kind == 1) return f->varies[by] ? f->out[row] * f->in[by] : 0;
    if (kind == 2) return f->in[i];
    if (by < f->inputs) return f->varies[row] && f->varies[by] ? f->in[row] * f->in[by] : 0;
    return f->varies[row] && by >= f->inputs + f->outputs ? f->in[row] * f->out[by - f->inputs - f->outputs] : 0;
}

enum { $_MOST_INPUTS = 8, $_MOST_OUTPUTS = 40 }; /* of functions of several nodes */

/* evaluates several nodes in columns, with their nonzeros one after another; returns the first status that is not 0 */
static int @_call_nodes(const @_external* f, int kind, int nodes, const double** arg, double** res, double* w) {
    const int all = f->inputs + 2 * f->outputs, counts[] = {f->outputs, f->outputs * f->inputs, f->inputs, f->inputs * all};
    const double* in[$_MOST_INPUTS] = {NULL};
    double* out[$_MOST_OUTPUTS];
    int node, i, result = 0;
    for (node = 0; node < nodes; ++node) {
        int status;
        for (i = 0; i < all; ++i) {
            const int seed = i >= f->inputs + f->outputs;
            if ((i >= f->inputs && !seed) || (seed && kind < 2)) continue;
            in[i] = arg[i] ? arg[i] + node * (seed ? f->out[i - f->inputs - f->outputs] : f->in[i]) : NULL;
        }
        for (i = 0; i < counts[kind]; ++i) out[i] = res[i] ? res[i] + node * @_stored(f, kind, i) : NULL;
        status = @_call(f, kind, in, out, w);
        if (result == 0) result = status;
    }
    return result;
}
)";

/// Largest number of nodes in functions that evaluate several.
constexpr int most_nodes = 8;

/// One exported function with its description.
class Exported {
public:
    /// `sizes` are the values of the macros for sizes, for functions of several nodes.
    Exported(std::string name, std::string external, int kind, int nodes, std::map<std::string, int> sizes)
        : name_(std::move(name)),
          external_(std::move(external)),
          kind_(kind),
          nodes_(nodes),
          sizes_(std::move(sizes)) {}

    void input(const std::string& name, const std::string& size, bool varies) {
        in_names_ += "\"" + name + "\", ";
        in_patterns_ += pattern(size, std::to_string(nodes_), true);
        varies_ += varies ? "1, " : "0, ";
        ++inputs_;
    }
    void output(const std::string& name, const std::string& size) {
        add_output(name, pattern(size, std::to_string(nodes_), true));
    }
    /// Adds the derivatives of an output by an input. Nodes do not depend on each other.
    void block(const std::string& name, const std::string& rows, const std::string& columns, bool dense) {
        if (nodes_ == 1)
            add_output(name, pattern(rows, columns, dense));
        else
            add_output(name,
                       dense ? diagonal(rows, columns) : pattern(several(rows), several(columns), false));
    }

    std::string text() const {
        const std::string f = name_, in = std::to_string(inputs_), out = std::to_string(outputs_),
                          line = "\n$_EXPORT ";
        std::string text = patterns_;
        text += line + "casadi_int " + f + "_n_in(void) { return " + in + "; }";
        text += line + "casadi_int " + f + "_n_out(void) { return " + out + "; }";
        text += named(f + "_name_in", "const char*", in_names_, in) +
                named(f + "_name_out", "const char*", out_names_, out) +
                named(f + "_sparsity_in", "const casadi_int*", in_patterns_, in) +
                named(f + "_sparsity_out", "const casadi_int*", out_patterns_, out);
        text += line + "int " + f + "_diff_in(casadi_int i) {\n    static const int varies[] = {" + varies_ +
                "};\n    return i >= 0 && i < " + in + " ? varies[i] : 0;\n}";
        text +=
            line + "int " + f +
            "_work(casadi_int* arg, casadi_int* res, casadi_int* iw, casadi_int* w) {\n    if (arg) *arg = " +
            in + ";\n    if (res) *res = " + out +
            ";\n    if (iw) *iw = 0;\n    if (w) *w = (casadi_int)@_room(&" + external_ +
            ");\n    return 0;\n}";
        text +=
            line + "int " + f +
            "(const double** arg, double** res, casadi_int* iw, double* w, int mem) {\n    (void)iw;\n    "
            "(void)mem;\n    return " +
            (nodes_ == 1 ? "@_call(&" : "@_call_nodes(&") + external_ + ", " + std::to_string(kind_) +
            (nodes_ == 1 ? "" : ", " + std::to_string(nodes_)) + ", arg, res, w);\n}\n";
        return text;
    }

private:
    void add_output(const std::string& name, const std::string& pattern) {
        out_names_ += "\"" + name + "\", ";
        out_patterns_ += pattern;
        ++outputs_;
    }
    std::string several(const std::string& size) const { return std::to_string(nodes_) + " * " + size; }
    /// Writes a dense block for each node.
    std::string diagonal(const std::string& rows, const std::string& columns) {
        const int n = sizes_.at(rows), m = sizes_.at(columns);
        std::string offsets, places;
        for (int j = 0; j <= nodes_ * m; ++j) offsets += ", " + std::to_string(n * j);
        for (int j = 0; j < nodes_ * m; ++j)
            for (int i = 0; i < n; ++i) places += ", " + std::to_string(j / m * n + i);
        const std::string name = name_ + "_p" + std::to_string(count_++);
        patterns_ += "\nstatic const casadi_int " + name + "[] = {" + several(rows) + ", " +
                     several(columns) + offsets + places + "};";
        return name + ", ";
    }
    std::string pattern(const std::string& rows, const std::string& columns, bool dense) {
        const std::string name = name_ + "_p" + std::to_string(count_++);
        patterns_ += dense ? "\nstatic const casadi_int " + name + "[] = {" + rows + ", " + columns + ", 1};"
                           : "\nstatic const casadi_int " + name + "[3 + " + columns + "] = {" + rows + ", " +
                                 columns + "};";
        return name + ", ";
    }
    static std::string named(const std::string& function, const std::string& type, const std::string& list,
                             const std::string& count) {
        return "\n$_EXPORT " + type + " " + function + "(casadi_int i) {\n    static " + type +
               " const all[] = {" + list + "};\n    return i >= 0 && i < " + count + " ? all[i] : NULL;\n}";
    }

    std::string name_, external_;
    int kind_, nodes_, inputs_ = 0, outputs_ = 0, count_ = 0;
    std::map<std::string, int> sizes_;
    std::string in_names_, out_names_, in_patterns_, out_patterns_, varies_, patterns_;
};

std::string description(const External& f) {
    std::string in, out, varies, values, variables;
    for (const Input& x : f.inputs) {
        in += x.size + ", ";
        varies += x.varies ? "1, " : "0, ";
        if (x.varies) variables += (variables.empty() ? "" : " + ") + x.size;
    }
    for (const Input& x : f.outputs) {
        out += x.size + ", ";
        values += (values.empty() ? "" : " + ") + x.size;
    }
    const std::string name = "@_evaluate_" + f.name;
    return "\nstatic int " + name +
           "(int order, const double* const* in, const double* lambda, double* out, double* J, double* H) "
           "{\n" +
           f.evaluation + "}\nstatic const int " + name + "_in[] = {" + in + "}, " + name + "_out[] = {" +
           out + "}, " + name + "_varies[] = {" + varies + "};\nstatic const @_external @_external_" +
           f.name + " = {" + std::to_string(f.inputs.size()) + ", " + std::to_string(f.outputs.size()) +
           ", " + values + ", " + variables + ", " + name + "_in, " + name + "_out, " + name + "_varies, " +
           name + "};\n";
}

void add_inputs(const External& f, Exported& to) {
    for (const Input& x : f.inputs) to.input(x.name, x.size, x.varies);
}
void add_outputs_as_inputs(const External& f, const std::string& prefix, bool varies, Exported& to) {
    for (const Input& x : f.outputs) to.input(prefix + x.name, x.size, varies);
}

/// Writes the function, its Jacobian, and its adjoint with its Jacobian.
std::string exported(const External& f, bool second, int nodes = 1,
                     const std::map<std::string, int>& sizes = {}) {
    const std::string name = "@_casadi_" + f.name + (nodes > 1 ? "_map" + std::to_string(nodes) : ""),
                      external = "@_external_" + f.name;
    Exported value(name, external, 0, nodes, sizes), jac("jac_" + name, external, 1, nodes, sizes),
        adj("adj1_" + name, external, 2, nodes, sizes), hess("jac_adj1_" + name, external, 3, nodes, sizes);
    for (Exported* x : {&value, &jac, &adj, &hess}) add_inputs(f, *x);
    for (Exported* x : {&jac, &adj, &hess}) add_outputs_as_inputs(f, "out_", false, *x);
    for (Exported* x : {&adj, &hess}) add_outputs_as_inputs(f, "adj_", true, *x);
    for (const Input& a : f.inputs) hess.input("out_adj_" + a.name, a.size, false);
    for (const Input& o : f.outputs) {
        value.output(o.name, o.size);
        for (const Input& i : f.inputs) jac.block("jac_" + o.name + "_" + i.name, o.size, i.size, i.varies);
    }
    for (const Input& a : f.inputs) {
        const auto put = [&](const std::string& by, const std::string& columns, bool dense) {
            hess.block("jac_adj_" + a.name + "_" + by, a.size, columns, dense && a.varies);
        };
        adj.output("adj_" + a.name, a.size);
        for (const Input& i : f.inputs) put(i.name, i.size, i.varies);
        for (const Input& o : f.outputs) put("out_" + o.name, o.size, false);
        for (const Input& o : f.outputs) put("adj_" + o.name, o.size, true);
    }
    return value.text() + jac.text() + adj.text() + (second ? hess.text() : "");
}

}  // namespace

std::string casadi_functions(const File& file) {
    const bool poses = has_poses(file.model);
    const std::map<std::string, int> sizes{{"$_NX", 2 * file.model.nv}, {"$_NU", inputs_of(file)}, {"1", 1}};
    std::string text = std::string(protocol) + external_support(file);
    text += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for (const External& f : externals(file)) {
        text += description(f) + exported(f, !poses);
        if (f.name == "step") text += exported(f, !poses, most_nodes, sizes);
    }
    return filled(file.dialect, text + "\n#ifdef __cplusplus\n}\n#endif\n");
}

std::string casadi_meaning(const File& file) {
    std::string text =
        "/* For CasADi: external(\"" + file.dialect.name + "_casadi_step\", LIBRARY), with derivatives. ";
    text += "The others likewise:\n";
    for (const External& f : externals(file)) {
        std::string in, out;
        for (const Input& x : f.inputs) in += (in.empty() ? "" : ", ") + x.name;
        for (const Input& x : f.outputs) out += (out.empty() ? "" : ", ") + x.name;
        text += "       " + file.dialect.name + "_casadi_" + f.name + "(" + in + "): " + out + "\n";
        if (f.name == "step")
            text +=
                "       " + file.dialect.name + "_casadi_step_map8: the same of eight nodes, each a column\n";
    }
    return text + "*/\n";
}

}  // namespace grbda::generated
