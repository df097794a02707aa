#include <cstddef>
#include <cstdio>
#include <limits>
#include <new>

#include "arguments.hpp"
#include "describe.hpp"
#include "evaluate.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {
namespace {

std::optional<baselines::Method> method_of(const std::string& name) {
    using baselines::Method;
    for (const Method method : {Method::dense_kkt, Method::range_space, Method::projection, Method::proximal})
        if (name == baselines::to_string(method)) return method;
    return std::nullopt;
}

/// One number as itself, several as a list.
OrderedJson values(const VectorX<double>& x, Eigen::Index begin, Eigen::Index size) {
    if (size == 1) return x[begin];
    OrderedJson list = OrderedJson::array();
    for (Eigen::Index i = begin; i < begin + size; ++i) list.push_back(x[i]);
    return list;
}

/// Names are unique, so entries are appended without a search for the key.
void append(OrderedJson& object, const std::string& key, OrderedJson value) {
    object.get_ref<OrderedJson::object_t&>().emplace_back(key, std::move(value));
}

/// Writes vectors as maps keyed by joint.
class Writer {
public:
    explicit Writer(const Model& model)
        : model_(model), order_(bodies_in_user_order(model)), parts_(independent_parts(model)) {}

    OrderedJson coordinates() const {
        OrderedJson list = OrderedJson::array();
        for (const Coordinate& coordinate : independent_coordinates(model_))
            list.push_back(OrderedJson::array({model_.names.joints[coordinate.body], coordinate.component}));
        return list;
    }

    OrderedJson state(const Evaluation& evaluation) const {
        OrderedJson out;
        out["status"] = evaluation.status;
        if (!evaluation.message.empty()) out["message"] = evaluation.message;
        if (evaluation.closure_residual) out["closure_residual"] = *evaluation.closure_residual;
        if (evaluation.velocity_residual) out["velocity_residual"] = *evaluation.velocity_residual;
        if (evaluation.status != "ok") return out;
        out["q"] = positions(evaluation.q);
        out["qd"] = spanning(evaluation.qd);
        out["mass_matrix"] = rows(evaluation.M);
        if (evaluation.joint_forces) out["joint_forces"] = independent(*evaluation.joint_forces);
        out["bias_force"] = independent(evaluation.bias);
        out["inverse_dynamics"]["tau"] = independent(evaluation.tau);
        out["forward_dynamics"]["ydd"] = independent(evaluation.ydd);
        out["forward_dynamics"]["qdd"] = spanning(evaluation.qdd);
        out["energy"] = {{"kinetic", evaluation.kinetic}, {"potential", evaluation.potential}};
        return out;
    }

private:
    OrderedJson positions(const VectorX<double>& q) const {
        OrderedJson out = OrderedJson::object();
        for (const int i : order_) {
            const Body& body = model_.bodies[i];
            append(out, model_.names.joints[i], values(q, body.q, position_size(body.joint)));
        }
        return out;
    }
    OrderedJson spanning(const VectorX<double>& x) const {
        OrderedJson out = OrderedJson::object();
        for (const int i : order_) {
            const Body& body = model_.bodies[i];
            append(out, model_.names.joints[i], values(x, body.v, velocity_size(body.joint)));
        }
        return out;
    }
    /// Joints with an independent component.
    OrderedJson independent(const VectorX<double>& y) const {
        OrderedJson out = OrderedJson::object();
        for (const int i : order_) {
            const IndependentPart& part = parts_[at(i)];
            if (part.y.empty()) continue;
            const VectorX<double> own = y(part.y);
            append(out, model_.names.joints[i], values(own, 0, own.size()));
        }
        return out;
    }
    static OrderedJson rows(const MatrixX<double>& M) {
        OrderedJson list = OrderedJson::array();
        for (Eigen::Index r = 0; r < M.rows(); ++r) {
            OrderedJson row = OrderedJson::array();
            for (Eigen::Index c = 0; c < M.cols(); ++c) row.push_back(M(r, c));
            list.push_back(std::move(row));
        }
        return list;
    }

    const Model& model_;
    std::vector<int> order_;
    std::vector<IndependentPart> parts_;
};

/// Results of all states as JSON; counts those that have none.
std::string evaluated(const Model& model, const ComputeArguments& arguments,
                      const std::vector<StateInput>& states, std::size_t& without) {
    Evaluator evaluator(model, method_of(arguments.method), arguments.joint_forces);
    const Writer writer(model);
    OrderedJson out;
    out["coordinates"] = writer.coordinates();
    out["states"] = OrderedJson::array();
    for (const StateInput& state : states) {
        const Evaluation evaluation = evaluator.evaluate(state);
        without += evaluation.status == "ok" ? 0 : 1;
        out["states"].push_back(writer.state(evaluation));
    }
    return write_json(out);
}

std::string gigabytes(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g GB", bytes / 1e9);
    return text;
}

/// Refuses before anything is computed what would run out of memory: the dense mass matrices take the most
/// of it. In the middle it would be too late, since to take large JSON apart needs memory too.
void check_memory(const Model& model, std::size_t states, const std::string& file) {
    constexpr double as_numbers = 2 * sizeof(double);  // bytes for each entry: M, and G besides
    constexpr double as_json = 40;                     // a value of the document, and its digits
    const double entries = double(model.nv) * model.nv;
    const double need = entries * (as_numbers + as_json * double(states));
    try {
        if (need >= double(std::numeric_limits<std::ptrdiff_t>::max())) throw std::bad_alloc();
        ::operator delete(::operator new(static_cast<std::size_t>(need)));
    } catch (const std::bad_alloc&) {
        throw InputError(file + ": not enough memory: the dense mass matrix of " + std::to_string(model.nv) +
                         " degrees of freedom takes " + gigabytes(entries * sizeof(double)) +
                         ", and all of " + std::to_string(states) + (states == 1 ? " state" : " states") +
                         " as JSON about " + gigabytes(need));
    }
}

}  // namespace

int compute(const ComputeArguments& arguments) {
    std::vector<std::string> inputs = arguments.model.files;
    inputs.push_back(arguments.states);
    if (!spares_inputs(arguments.output, inputs)) return Exit::bad_call;
    const Model loaded = load_model(arguments.model);
    if (!spares_inputs(arguments.output, loaded.files)) return Exit::bad_call;
    if (!arguments.model.quiet) print(stderr, loaded.diagnostics);
    const VectorX<double> start =
        arguments.start.empty() ? VectorX<double>() : start_called(arguments.start, loaded);
    const StatesInput input = match_states(read_json(read_text(arguments.states), arguments.states),
                                           arguments.states, loaded, start);
    const Model model = with_gravity(loaded, input.gravity);

    std::size_t without = 0;
    check_memory(model, input.states.size(), arguments.states);
    write_output(evaluated(model, arguments, input.states, without), arguments.output);
    if (without > 0 && !arguments.model.quiet)
        std::fprintf(stderr, "%s: %zu of %zu states without a result, as their status says\n",
                     arguments.states.c_str(), without, input.states.size());
    return Exit::success;
}

}  // namespace grbda::tool
