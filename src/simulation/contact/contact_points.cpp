#include "contact_points.hpp"

#include "model/workspace.hpp"

namespace grbda::simulation {
namespace {

const Vector3<double>& origin_of(const Model& model, const Workspace<double>& data, int body) {
    return data.origin[model.clusters[model.bodies[body].cluster].branch];
}

Vector3<double> in_body(const Model& model, const Workspace<double>& data, int body,
                        const Vector3<double>& point) {
    if (body == world) return point;
    return transpose_times(data.R[body], point - origin_of(model, data, body) - data.p[body]);
}

Vector3<double> in_world(const Model& model, const Workspace<double>& data, int body,
                         const Vector3<double>& point) {
    if (body == world) return point;
    return origin_of(model, data, body) + data.p[body] + data.R[body] * point;
}

}  // namespace

void ContactPoints::mark(const Model& model, const Workspace<double>& data,
                         std::span<const ContactState> contacts) {
    points_.clear();
    for (const ContactState& x : contacts) {
        const Contact& at = x.contact;
        points_.push_back({at, in_body(model, data, at.body, at.position),
                           in_body(model, data, at.other, at.position), x.ground});
    }
}

Vector3<double> ContactPoints::apart(const Model& model, const Workspace<double>& data, std::size_t contact,
                                     const Displacement* ground) const {
    const Point& x = points_[contact];
    const Vector3<double> end = in_world(model, data, x.contact.body, x.on_body);
    if (x.ground && ground) return ground->back(end) - x.contact.position;
    return end - in_world(model, data, x.contact.other, x.on_other);
}

}  // namespace grbda::simulation
