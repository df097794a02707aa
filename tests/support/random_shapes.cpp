#include "support/random_shapes.hpp"

namespace random_shapes {

grbda::ShapeDescription draw(Random& random) {
    const auto chance = [&](double share) { return uniform(random, 0, 1) < share; };
    grbda::ShapeDescription result;
    grbda::Shape& shape = result.shape;
    shape.kind = grbda::shape_facts[random() % grbda::shape_facts.size()].kind;
    for (int i = 0; i < facts(shape.kind).sizes; ++i) shape.size[i] = uniform(random, 0.1, 2);
    if (shape.kind == grbda::ShapeKind::mesh) shape.mesh = "meshes/" + std::to_string(random()) + ".stl";
    if (shape.kind == grbda::ShapeKind::mesh && chance(0.3)) shape.size = Eigen::Vector3d(1, 1, 1);
    if (shape.kind == grbda::ShapeKind::mesh && chance(0.3)) shape.size.x() *= -1;
    if (chance(0.7)) result.origin = baselines_fixture::random_pose(random, 0.5);
    result.visual = chance(0.6);
    result.collision = chance(0.6);
    if (chance(0.5)) result.surface = grbda::Surface{uniform(random, 0, 2)};
    if (chance(0.5)) result.color = baselines_fixture::random_vector(random, 4, 1).cwiseAbs();
    if (chance(0.5)) result.mask = {static_cast<unsigned>(random() % 8), static_cast<unsigned>(random() % 8)};
    return result;
}

void add(grbda::RobotDescription& robot, Random& random) {
    const auto chance = [&](double share) { return uniform(random, 0, 1) < share; };
    for (grbda::LinkDescription& link : robot.links) {
        while (chance(0.6)) {
            link.shapes.push_back(draw(random));
            if (chance(0.5)) link.shapes.back().name = "shape " + std::to_string(link.shapes.size());
            if (!chance(0.3)) continue;
            link.shapes.push_back(link.shapes.back());
            if (chance(0.5)) link.shapes.back().visual ^= true;
        }
    }
}

}  // namespace random_shapes
