#include <optional>

#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "grbda/viewer/page.hpp"
#include "grbda/viewer/viewer_feed.hpp"

#include "arrays.hpp"
#include "components.hpp"
#include "named.hpp"
#include "options.hpp"
#include "robot.hpp"

namespace grbda::python {
namespace {

/// A robot for the page, and its number of coordinates.
struct Shown {
    ViewerRobot robot;
    int nq = 0;
};

Shown shown_model(const Robot& robot) {
    Shown shown{viewer_robot(write_urdf(robot.mechanism), robot.model), robot.model.nq};
    shown.robot.options.rotor_reduction = robot.options.rotor_reduction;
    return shown;
}

/// Returns the content of the page for a model, or for the robot of files.
Shown shown_robot(const char* function, const py::object& robot, const py::kwargs& options) {
    const LoadOptions chosen = options_from(options);
    if (py::isinstance<Robot>(robot)) {
        if (!options.empty())
            throw py::type_error(std::string(function) + ": a Model has the options that it was loaded with");
        return shown_model(robot.cast<const Robot&>());
    }
    const std::vector<std::string> files = texts_from(robot);
    const Model model = load(files, chosen);
    return {viewer_robot(files, chosen, model), model.nq};
}

std::string path_or_empty(const py::object& path) {
    return path.is_none() ? std::string() : texts_from(path).at(0);
}

std::string page_of(const py::object& robot, const py::object& q, const std::string& record,
                    const py::object& page_template, const py::kwargs& options) {
    Shown shown = shown_robot("viewer_page", robot, options);
    if (!q.is_none()) {
        const Eigen::VectorXd numbers = vector_from({"viewer_page", "q"}, q, shown.nq);
        shown.robot.q.assign(numbers.begin(), numbers.end());
    }
    shown.robot.record = record;
    return viewer_page(shown.robot, path_or_empty(page_template));
}

/// A feed that can be closed.
class Feed {
public:
    Feed(const py::object& robot, int port, const py::object& values, const py::object& page_template,
         const py::kwargs& options)
        : robot_(shown_robot("ViewerFeed", robot, options)) {
        ViewerFeedOptions chosen;
        chosen.port = port;
        for (const py::handle name : values) chosen.values.push_back(name.cast<std::string>());
        chosen.page_template = path_or_empty(page_template);
        value_count_ = static_cast<Py_ssize_t>(chosen.values.size());
        const Unlocked unlocked;
        feed_.emplace(robot_.robot, robot_.nq, chosen);
        url_ = feed_->url();
    }

    void send(const py::object& q, const py::object& values) {
        const Eigen::VectorXd positions = vector_from({"ViewerFeed.send", "q"}, q, robot_.nq);
        const Eigen::VectorXd numbers = vector_from({"ViewerFeed.send", "values"}, values, value_count_);
        if (!feed_) throw py::value_error("ViewerFeed.send: the feed is closed");
        feed_->send(positions, numbers);
    }
    void close() {
        std::optional<ViewerFeed> ending;
        std::swap(ending, feed_);
        const Unlocked unlocked;
        ending.reset();
    }
    const std::string& url() const { return url_; }
    int browsers() const { return feed_ ? feed_->browsers() : 0; }

private:
    Shown robot_;
    Py_ssize_t value_count_ = 0;
    std::string url_;
    std::optional<ViewerFeed> feed_;
};

#define GRBDA_ROBOT "robot: Model | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"
#define GRBDA_TEMPLATE "template: str | os.PathLike[str] | None = None"

void bind_feed(py::module_& m) {
    py::class_<Feed>(m, "ViewerFeed",
                     "Shows the configuration of a running program in browsers of this machine, at `url`. "
                     "With `with` it is "
                     "closed at the end.")
        .def(py::init<const py::object&, int, const py::object&, const py::object&, const py::kwargs&>(),
             py::arg("robot").none(false), py::kw_only(), py::arg("port") = 0,
             py::arg_v("values", py::tuple(), "()").none(false), py::arg("template") = py::none(),
             "__init__(self, " GRBDA_ROBOT ", *, port: int = 0, values: Sequence[str] = (), " GRBDA_TEMPLATE
             ", " GRBDA_OPTIONS
             ") -> None\n\n"
             "Serves the page of a model, or of the files of a robot, on a port of 127.0.0.1 (0: a free "
             "one). `values` names "
             "numbers that are\n"
             "sent and plotted besides q; one called \"time\" is the axis of plots. Raises RuntimeError if "
             "the page is not "
             "built.")
        .def("send", &Feed::send, py::arg("q").none(false),
             py::arg_v("values", py::tuple(), "()").none(false),
             "send(self, q: ArrayLike, values: ArrayLike = ()) -> None\n\n"
             "Shows q [nq], which should close the loops, and plots values [values]. Copies them and waits "
             "for no "
             "browser; browsers read\n"
             "the latest ones.")
        .def(
            "close", [](Feed& self) { self.close(); },
            "close(self) -> None\n\n"
            "Tells browsers that the program has ended. Waits some three seconds at most for those that are "
            "slow.")
        .def(
            "__enter__", [](py::object self) { return self; }, "__enter__(self) -> ViewerFeed\n\nThe feed.")
        .def(
            "__exit__", [](Feed& self, const py::args&) { self.close(); },
            "__exit__(self, *error: object) -> None\n\nCloses the feed.")
        .def_property_readonly(
            "url", [](const Feed& self) { return self.url(); },
            "str: address of the page. Only who knows its token sees the page.")
        .def_property_readonly(
            "browsers", [](const Feed& self) { return self.browsers(); },
            "int: number of browsers that follow now");
}

}  // namespace

void bind_viewer(py::module_& m) {
    m.def("viewer_page", &page_of, py::arg("robot").none(false), py::arg("q") = py::none(), py::kw_only(),
          py::arg_v("record", std::string(), "''"), py::arg("template") = py::none(),
          "viewer_page(" GRBDA_ROBOT ", q: ArrayLike | None = None, *, record: str = '', " GRBDA_TEMPLATE
          ", " GRBDA_OPTIONS
          ") -> str\n\n"
          "Returns the viewer's page of a model, or of the files of a robot, as HTML. q [nq] is the "
          "configuration "
          "that it shows first,\n"
          "`record` the text of a record of `grbda simulate` that it replays. Raises RuntimeError if the "
          "page is "
          "not built.");
    bind_feed(m);
}

}  // namespace grbda::python
