#include <algorithm>
#include <cmath>
#include <string>

#include "internal.hpp"

namespace grbda::detail {

namespace {

Subject subject_of(const LinkDescription& link, std::size_t index) {
    const std::string& name = link.shapes[index].name;
    const std::string called = name.empty() ? std::to_string(index + 1) : quoted(name);
    return {"shape", name, "shape " + called + " of link " + quoted(link.name)};
}

Eigen::VectorXd sizes_of(const Shape& shape) { return shape.size.head(facts(shape.kind).sizes); }

/// Files have such shapes in place of none, as boxes of 0 0 0. A capsule without length is a ball.
bool has_extent(const Shape& shape) {
    const int needed = shape.kind == ShapeKind::capsule ? 1 : facts(shape.kind).sizes;
    return (shape.size.head(needed).array() != 0).all();
}

bool is_color(const Eigen::Vector4d& color) { return color.minCoeff() >= 0 && color.maxCoeff() <= 1; }

void check_size(const Context& context, const ShapeDescription& shape, const Subject& owner) {
    const Eigen::VectorXd sizes = sizes_of(shape.shape);
    if (!sizes.allFinite()) {
        context.error(Code::bad_number, shape.where, owner, std::string(finite_numbers) + " as its size",
                      "NaN or infinity");
        return;
    }
    const bool is_mesh = shape.shape.kind == ShapeKind::mesh;  // which a scale below zero reflects
    const bool is_negative = !is_mesh && (sizes.array() < 0).any();
    if (!is_negative && (sizes.array().abs() <= longest_length).all()) return;
    std::string found;
    for (const double size : sizes) found += (found.empty() ? "" : " ") + number(size);
    context.error(Code::out_of_range, shape.where, owner,
                  std::string("a ") + to_string(shape.shape.kind) +
                      (is_negative ? " whose size is not below zero"
                                   : " whose size is below " + number(longest_length)),
                  found);
}

void check_shape(const Context& context, const ShapeDescription& shape, const Subject& owner) {
    check_size(context, shape, owner);
    check_pose(context, shape.origin, shape.where, owner, "its origin");
    check_literal(context, shape.name, shape.where, owner);
    check_literal(context, shape.shape.mesh, shape.where, owner);
    if (shape.shape.kind == ShapeKind::mesh && shape.shape.mesh.empty())
        context.error(Code::missing, shape.where, owner, "a mesh that is somewhere", "none");
    if (shape.surface && !std::isfinite(shape.surface->friction)) {
        context.error(Code::bad_number, shape.where, owner, "a finite friction", "NaN or infinity");
    } else if (shape.surface && shape.surface->friction < 0) {
        context.error(Code::out_of_range, shape.where, owner, "a friction of zero or more",
                      number(shape.surface->friction));
    }
    if (shape.color && !shape.color->allFinite())
        context.error(Code::bad_number, shape.where, owner, std::string(finite_numbers) + " as its colour",
                      "NaN or infinity");
}

void note_links(const Context& context, Code code, const char* what, std::vector<std::string> links) {
    links.erase(std::unique(links.begin(), links.end()), links.end());
    if (links.empty()) return;
    context.report(Severity::note, code, context.description.where,
                   Subject::of("robot", context.description.name),
                   std::string(what) + ": links " + listed(links), "");
}

}  // namespace

void check_shapes(const Context& context) {
    std::vector<std::string> empty, colored;
    for (const LinkDescription& link : context.description.links) {
        for (std::size_t i = 0; i < link.shapes.size(); ++i) {
            const ShapeDescription& shape = link.shapes[i];
            check_shape(context, shape, subject_of(link, i));
            if (!has_extent(shape.shape)) empty.push_back(quoted(link.name));
            if (shape.color && shape.color->allFinite() && !is_color(*shape.color))
                colored.push_back(quoted(link.name));
        }
    }
    note_links(context, Code::ignored, "shapes whose size is zero are left out", std::move(empty));
    note_links(context, Code::rewritten, "colours are cut to numbers from 0 to 1", std::move(colored));
}

void add_shapes(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    const RobotDescription& description = context.description;
    for (std::size_t link = 0; link < description.links.size(); ++link) {
        for (const ShapeDescription& shape : description.links[link].shapes) {
            if (!has_extent(shape.shape)) continue;
            mechanism.shapes.push_back({shape, description.links[link].name, fusion.link_body[link],
                                        fusion.link_pose[link] * shape.origin});
            std::optional<Eigen::Vector4d>& color = mechanism.shapes.back().shape.color;
            if (color) color = color->cwiseMax(0).cwiseMin(1);
        }
    }
}

}  // namespace grbda::detail
