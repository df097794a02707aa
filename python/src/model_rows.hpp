#pragma once

#include <memory>
#include <vector>

#include "robot.hpp"

// Rows of the tables of a model, as objects of Python: bodies, clusters, loops, couplings and frames.

namespace grbda::python {

/// A row of one of the tables of a model, with its names.
template <class Tag>
struct Row {
    std::shared_ptr<const Robot> robot;
    int index;
    const Model& model() const { return robot->model; }
    const auto& operator*() const { return Tag::table(model())[index]; }
};
struct OfBody {
    static const auto& table(const Model& m) { return m.bodies; }
};
struct OfCluster {
    static const auto& table(const Model& m) { return m.clusters; }
};
struct OfLoop {
    static const auto& table(const Model& m) { return m.loops; }
};
struct OfCoupling {
    static const auto& table(const Model& m) { return m.couplings; }
};
struct OfFrame {
    static const auto& table(const Model& m) { return m.frames; }
};

template <class Tag>
std::vector<Row<Tag>> rows_of_table(const Robot& robot) {
    std::vector<Row<Tag>> rows;
    for (std::size_t i = 0; i < Tag::table(robot.model).size(); ++i)
        rows.push_back({robot.shared_from_this(), static_cast<int>(i)});
    return rows;
}

void bind_rows(py::module_& m);

}  // namespace grbda::python
