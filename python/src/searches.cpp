#include "search/search.hpp"

#include "arguments.hpp"
#include "components.hpp"
#include "objects.hpp"
#include "values.hpp"

namespace grbda::python {
namespace {

using namespace arguments;  // NOLINT

const Lent<Search<double>> search{&Workspace::search};
const auto metric = matrix("W", nv_tree, any, "symmetric [nv_tree, nv_tree], or its diagonal [nv_tree]");

/// Result of a search besides q. It is made without the interpreter's lock, and is not an object of Python
/// yet.
struct FoundOut {
    static constexpr bool takes = false, gives = true;
    static constexpr Extent rows = alone, columns = alone;
    static constexpr const char* name = "found";
    static constexpr const char* type_name = "SearchResult";

    struct Held {
        std::unique_ptr<Found> found = std::make_unique<Found>();
        std::tuple<Found&> arguments() const { return {*found}; }
        py::object finish(Workspace&) { return py::cast(std::move(found)); }
    };
    Held hold(Context&, PyObject*, PyObject*) const { return {}; }
};

void keep(Found& found, const SearchResult& result, const Search<double>& work) {
    found = {result, work.gaps, work.moved};
}

void find(const Model& model, Workspaces& data, Search<double>& work, const std::vector<FrameTarget>& targets,
          Eigen::Map<Eigen::VectorXd>& q, const SearchOptions& options, double length, double angle,
          Found& found) {
    const SearchResult result =
        inverse_kinematics<double>(model, data.kinematics, work, targets, q, options, {length, angle});
    keep(found, result, work);
}

void project(const Model& model, Workspaces& data, Search<double>& work, const MatrixView& W,
             Eigen::Map<Eigen::VectorXd>& q, const SearchOptions& options, Found& found) {
    const SearchResult result = project_configuration<double>(model, data.general, work, W, q, options);
    keep(found, result, work);
}

SearchOptions without_limits() {
    SearchOptions options;
    options.limits = false;
    return options;
}

void bind_results_of_searches(py::module_& m) {
    py::enum_<Outcome>(m, "Outcome", "Outcome of a search.")
        .value("converged", Outcome::converged)
        .value("nearest", Outcome::nearest)
        .value("blocked", Outcome::blocked)
        .value("infeasible", Outcome::infeasible)
        .value("unfinished", Outcome::unfinished)
        .value("open", Outcome::open)
        .value("invalid", Outcome::invalid);
    py::class_<Gap> gap(m, "Gap", "Remaining distance to a target.");
    bind_numbers(gap);
    gap.def_readonly("length", &Gap::length, "float: m").def_readonly("angle", &Gap::angle, "float: rad");
    py::class_<Found> found(m, "SearchResult", "Result of a search; a search raises no StatusError.");
    bind_members(found, &Found::result, &Found::gaps, &Found::moved);
    found
        .def_property_readonly(
            "outcome", [](const Found& f) { return f.result.outcome; }, "Outcome: how it ended")
        .def_property_readonly(
            "converged", [](const Found& f) { return f.result.converged(); }, "bool: found")
        .def_property_readonly(
            "loops", [](const Found& f) { return f.result.loops; },
            "Result: why it is blocked, open or invalid")
        .def_property_readonly(
            "iterations", [](const Found& f) { return f.result.iterations; }, "int: steps tried")
        .def_property_readonly(
            "cost", [](const Found& f) { return f.result.cost; },
            "float: half the weighted sum of squares that is left")
        .def_property_readonly(
            "stationarity", [](const Found& f) { return f.result.stationarity; },
            "float: cosine between the remaining error and the motions that can reduce it")
        .def_property_readonly(
            "violation", [](const Found& f) { return f.result.violation; },
            "float: of limits and held joints, rad or m")
        .def_property_readonly(
            "gaps", [](const Found& f) { return f.gaps; }, "list[Gap]: of each target")
        .def_property_readonly(
            "moved",
            [](const py::object& f) {
                const auto& moved = f.cast<const Found&>().moved;
                return view(moved.data(), {.rows = moved.size()}, f);
            },
            "Array: [nv_tree] from the q given to the q found, joint by joint")
        .def("__repr__", [](const Found& f) {
            return std::string("<SearchResult ") + to_string(f.result.outcome) + " after " +
                   std::to_string(f.result.iterations) + " steps>";
        });
}

void bind_search_options(py::module_& m) {
    py::class_<SearchOptions> options(m, "SearchOptions", "Constraints and stopping criteria of a search.");
    options
        .def(py::init([](bool limits, std::vector<int> held, std::vector<double> held_at, double damping,
                         double longest_step, int iterations, double stationarity) {
                 return SearchOptions{limits,       std::move(held), std::move(held_at), damping,
                                      longest_step, iterations,      stationarity};
             }),
             py::kw_only(), flag("limits") = true, py::arg("held") = std::vector<int>{},
             py::arg("held_at") = std::vector<double>{}, py::arg("damping") = 1e-3,
             py::arg("longest_step") = 0.5, py::arg("iterations") = 200, py::arg("stationarity") = 1e-7,
             "__init__(self, *, limits: bool = True, held: Sequence[int] = [], held_at: Sequence[float] = "
             "[], damping: float = "
             "0.001, longest_step: float = 0.5, iterations: int = 200, stationarity: float = 1e-07) -> "
             "None\n\n"
             "limits of all joints are kept; held bodies' joints stay where they start, or at held_at [nq].")
        .def_property(
            "limits", [](const SearchOptions& o) { return o.limits; },
            [](SearchOptions& o, py::handle on) {
                o.limits = truth({"SearchOptions", "limits"}, on.ptr());
            },
            "bool: of all joints are kept")
        .def_readwrite("held", &SearchOptions::held, "Sequence[int]: bodies whose joints stay")
        .def_readwrite("held_at", &SearchOptions::held_at, "Sequence[float]: [nq] where; empty: at the start")
        .def_readwrite("damping", &SearchOptions::damping, "float: at the start, relative")
        .def_readwrite("longest_step", &SearchOptions::longest_step, "float: rad, or relative to the size")
        .def_readwrite("iterations", &SearchOptions::iterations, "int: at most")
        .def_readwrite("stationarity", &SearchOptions::stationarity,
                       "float: cosine between the error and its possible changes, at which a search ends");
    bind_settings(options);
    py::class_<FrameTarget> wanted(m, "FrameTarget", "Desired pose of a frame in the world.");
    bind_numbers(wanted);
    wanted
        .def(py::init([](int frame, py::object position, py::object orientation, double w, double v,
                         py::object point) {
                 FrameTarget target{.frame = frame, .position_weight = w, .orientation_weight = v};
                 if (!point.is_none())
                     target.point = Eigen::Vector3d(vector_from({"FrameTarget", "point"}, point, 3));
                 if (!position.is_none())
                     target.position = Eigen::Vector3d(vector_from({"FrameTarget", "position"}, position, 3));
                 if (!orientation.is_none())
                     target.orientation =
                         Eigen::Matrix3d(matrix_from({"FrameTarget", "orientation"}, orientation, 3, 3));
                 return target;
             }),
             py::arg("frame"), py::arg("position") = py::none(), py::arg("orientation") = py::none(),
             py::kw_only(), py::arg("position_weight") = 1.0, py::arg("orientation_weight") = 1.0,
             py::arg("point") = py::none(),
             "__init__(self, frame: int, position: ArrayLike | None = None, orientation: ArrayLike | None = "
             "None, *, "
             "position_weight: float = 1.0, orientation_weight: float = 1.0, point: ArrayLike | None = None) "
             "-> None\n\n"
             "frame in `Model.frames`; position [3] m, None: anywhere; orientation [3, 3], its axes, None: "
             "any; point [3] m in the frame's axes that is wanted at position, None: its origin.")
        .def_readonly("frame", &FrameTarget::frame, "int: in `Model.frames`")
        .def_property_readonly(
            "position",
            [](const FrameTarget& t) -> py::object {
                if (!t.position) return py::none();
                return to_python(Eigen::Ref<const Eigen::VectorXd>(*t.position));
            },
            "Array | None: [3] m")
        .def_property_readonly(
            "orientation",
            [](const FrameTarget& t) -> py::object {
                if (!t.orientation) return py::none();
                return to_python(Eigen::Ref<const Eigen::MatrixXd>(Eigen::MatrixXd(*t.orientation)));
            },
            "Array | None: [3, 3] its axes")
        .def_readonly("position_weight", &FrameTarget::position_weight, "float: per m")
        .def_readonly("orientation_weight", &FrameTarget::orientation_weight, "float: per rad")
        .def_property_readonly(
            "point",
            [](const FrameTarget& t) { return to_python(Eigen::Ref<const Eigen::VectorXd>(t.point)); },
            "Array: [3] m, in the frame's axes");
}

}  // namespace

void bind_searches(py::module_& m) {
    bind_results_of_searches(m);
    bind_search_options(m);
    algorithm<Workspace>(m, "inverse_kinematics",
                         "q whose frames are where they are wanted, or as near as can be, loops closed.",
                         find, search,
                         Value<std::vector<FrameTarget>>{"targets", "Sequence[FrameTarget]", "wanted frames"},
                         InOut{"q", nq, "closes the loops: where it starts"},
                         Value<SearchOptions>{"options", "SearchOptions | None", "", SearchOptions{}, "None"},
                         Value<double>{"length", "float", "m that count as met", 1e-9, "1e-09"},
                         Value<double>{"angle", "float", "rad that count as met", 1e-9, "1e-09"}, FoundOut{});
    algorithm<Workspace>(m, "project_configuration",
                         "The closed q nearest to the given one, in the metric W.", project, search, metric,
                         InOut{"q", nq, "all positions"},
                         Value<SearchOptions>{"options", "SearchOptions | None",
                                              "limits are not kept by default", without_limits(), "None"},
                         FoundOut{});
    algorithm<Workspace>(m, "project_velocity",
                         "The qd nearest to the given one, in the metric W, of those that keep to the loops.",
                         GRBDA_CALL(project_velocity), search, metric, q,
                         InOut{"qd", nv_tree, "of all joints"});
    algorithm<Workspace>(
        m, "project_acceleration",
        "The qdd nearest to the given one, in the metric W, of those that keep to the loops.",
        GRBDA_CALL(project_acceleration), search, metric, q, qd, InOut{"qdd", nv_tree, "of all joints"});
}

}  // namespace grbda::python
