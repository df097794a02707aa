#include "kinematics/kinematics.hpp"

#include <cmath>
#include <limits>

#include "frame_placement.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
FramePlacement<S> placement_of_body(const Model& model, const Workspace<S>& data, int body) {
    if (body == world) return {Matrix3<S>::identity(), {}, {}};
    require_kinematics(data.kinematics, Kinematics::poses);
    return {data.R[body], data.p[body], data.origin[model.clusters[model.cluster_of(body)].branch]};
}

/// Between the spheres of two groups, in the axes of the first one's body: those of the other are moved
/// there.
template <class S>
GroupDistance between(const Model& model, const Workspace<S>& data, const SphereGroup& a,
                      const SphereGroup& b) {
    const SelfCollision& robot = model.self_collision;
    const FramePlacement<S> first = placement_of_body(model, data, a.body),
                            second = placement_of_body(model, data, b.body);
    const Vector3<S> apart = second.p - first.p + (second.origin - first.origin);
    GroupDistance least{std::numeric_limits<double>::infinity(), a.spheres.first, b.spheres.first};
    for (const int j : b.spheres) {
        const Vector3<S> center = second.R * robot.spheres[j].center.template cast<S>();
        const Vector3<S> moved = transpose_times(first.R, apart + center);
        for (const int i : a.spheres) {
            const Vector3<S> way = moved - robot.spheres[i].center.template cast<S>();
            const double distance = static_cast<double>(std::sqrt(dot(way, way))) - robot.spheres[i].radius -
                                    robot.spheres[j].radius;
            if (distance < least.distance) least = {distance, i, j};
        }
    }
    least.distance -= a.buffer + b.buffer;
    return least;
}

}  // namespace

template <class S>
int self_distances(const Model& model, const Workspace<S>& data, std::span<GroupDistance> distances) {
    const SelfCollision& robot = model.self_collision;
    const int count = static_cast<int>(robot.pairs.size());
    require_size("distances", static_cast<Eigen::Index>(distances.size()), count);
    require_workspace(model, data);
    int nearest = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < count; ++k) {
        const GroupPair& pair = robot.pairs[k];
        const GroupDistance found = between(model, data, robot.groups[pair.a], robot.groups[pair.b]);
        distances[at(k)] = found;
        if (nearest >= 0 && !(found.distance < least)) continue;
        nearest = k;
        least = found.distance;
    }
    return nearest;
}

template int self_distances<double>(const Model&, const Workspace<double>&, std::span<GroupDistance>);

int self_distances(const Model& model, const Data& data, std::span<GroupDistance> distances) {
    return self_distances<double>(model, data.workspaces().kinematics, distances);
}

}  // namespace grbda
