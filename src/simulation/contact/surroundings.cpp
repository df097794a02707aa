#include "surroundings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dynamics/aba.hpp"
#include "kinematics/configuration.hpp"

namespace grbda::simulation {
namespace {

constexpr double always_found = 1e-3;  // m; contacts at rest stay in the list

/// Returns the axes of a contact: two tangents and the normal. Equal normals have equal axes.
Matrix3<double> axes_of(const Vector3<double>& normal) {
    const Vector3<double> least =
        std::abs(normal.x) < 0.6 ? Vector3<double>{1, 0, 0} : Vector3<double>{0, 1, 0};
    const Vector3<double> across = cross(normal, least), first = across * (1 / length(across));
    return {first, cross(normal, first), normal};
}

/// Returns whether a joint or a loop connects two bodies. Such bodies overlap there.
bool are_neighbours(const Model& model, int a, int b) {
    if (a == b) return true;
    if (a == world || b == world) {
        const Body& body = model.bodies[std::max(a, b)];
        return body.parent == world && body.joint != JointType::floating;
    }
    if (model.bodies[a].parent == b || model.bodies[b].parent == a) return true;
    for (const Loop& loop : model.loops)
        if ((loop.predecessor.body == a && loop.successor.body == b) ||
            (loop.predecessor.body == b && loop.successor.body == a))
            return true;
    return false;
}

/// Returns the frame of a link; −1 if it has none, for example for a shape that a program has added.
int frame_of(const Model& model, const std::string& link) {
    const auto is_it = [&](const Frame& frame) { return frame.name == link; };
    const auto found = std::find_if(model.frames.begin(), model.frames.end(), is_it);
    return found == model.frames.end() ? -1 : static_cast<int>(found - model.frames.begin());
}

/// Throws std::invalid_argument for a shape that a program has added to a body whose motion the passes omit.
void require_motion_of(const Model& model, const BodyShape& shape) {
    const int body = shape.body;
    if (body == world || (!model.is_rod(body) && !model.bodies[body].rotor)) return;
    const bool rod = model.is_rod(body);
    throw std::invalid_argument("simulation: a shape that collides is on link '" + shape.link +
                                (rod ? "' of a rod; load the robot with rod_reduction = false"
                                     : "', a reduced rotor; load the robot with rotor_reduction = false"));
}

/// Returns the friction of two surfaces, the geometric mean, which is symmetric.
double friction_between(double a, double b) { return std::sqrt(a * b); }

}  // namespace

/// Collects contacts. If they do not all fit, keeps the nearest.
class Surroundings::Collector {
public:
    Collector(Table<ContactState>& contacts, int most)
        : contacts_(contacts), most_(static_cast<std::size_t>(most)) {
        contacts_.clear();
    }
    bool crowded() const { return crowded_; }

    /// Adds touches of the shapes a and b. For the ground, b is −1 and `second` is null.
    void collect(std::span<const Touch> touches, int a, int b, const Piece& first, const Piece* second,
                 double friction) {
        for (const Touch& touch : touches) {
            ContactState state;
            state.id = static_cast<std::uint64_t>(a + 1) << 40 | static_cast<std::uint64_t>(b + 1) << 16 |
                       (static_cast<std::uint64_t>(touch.feature) & 0xFFFF);
            state.contact = {first.body, second ? second->body : world, touch.position,
                             axes_of(touch.normal)};
            state.link = first.frame;
            state.other_link = second ? second->frame : -1;
            state.ground = second == nullptr;
            state.gap = touch.gap;
            state.friction = friction;
            add(state);
        }
    }

private:
    void add(const ContactState& state) {
        if (contacts_.size() < most_) {
            contacts_.push_back(state);
            return;
        }
        crowded_ = true;
        const auto farther = [](const ContactState& x, const ContactState& y) { return x.gap < y.gap; };
        const auto farthest = std::max_element(contacts_.begin(), contacts_.end(), farther);
        if (farthest == contacts_.end() || !(state.gap < farthest->gap)) return;
        contacts_.erase(farthest);
        contacts_.push_back(state);
    }

    Table<ContactState>& contacts_;
    std::size_t most_;
    bool crowded_ = false;
};

Surroundings::Surroundings(const Model& model, const SimulatorOptions& options, const Ground& ground)
    : other_pairs_(options.other_pairs),
      ground_(ground, {}),
      friction_(options.friction),
      most_(options.most_contacts) {
    if (!options.contacts) return;
    for (const BodyShape& from : model.shapes) {
        if (!from.collision || (from.shape.kind == ShapeKind::mesh && !from.shape.hull)) continue;
        require_motion_of(model, from);
        Piece piece;
        piece.body = from.body;
        piece.mask = from.mask;
        piece.frame = frame_of(model, from.link);
        piece.local = placed(from.shape, from.position, from.rotation);
        piece.radius = piece.thickness = bounding_radius(piece.local);
        if (piece.local.kind == ShapeKind::capsule) {
            piece.thickness = piece.local.size.x;
            piece.half_axis = piece.local.rotation.z * (piece.local.size.y / 2);
        }
        piece.has_friction = from.surface.has_value();
        piece.friction = from.surface ? from.surface->friction : options.friction;
        pieces_.push_back(piece);
    }
    Workspace<double> neutral(model);
    const bool placed_there =
        free_motion<double>(model, neutral, neutral_configuration(model), VectorX<double>::Zero(model.nv),
                            VectorX<double>::Zero(model.nv_tree))
            .ok();
    for (int b = 0; b < static_cast<int>(pieces_.size()); ++b)
        for (int a = 0; a < b; ++a) {
            const Piece &first = pieces_[a], &second = pieces_[b];
            const bool fixed = first.body == world || second.body == world;
            if (!can_touch(model, first, second)) continue;
            const bool neighbours = are_neighbours(model, first.body, second.body);
            if (!fixed && (!options.self_collision || neighbours)) continue;
            // a shape of the world may be touched as assembled, but not by bodies that are mounted on it
            if ((!fixed || neighbours) && placed_there && overlap(model, neutral, first, second)) continue;
            pairs_.push_back({a, b});
        }
}

void Surroundings::set_friction(double friction) {
    friction_ = friction;
    for (Piece& piece : pieces_)
        if (!piece.has_friction) piece.friction = friction;
}

bool Surroundings::can_touch(const Model& model, const Piece& a, const Piece& b) const {
    if (a.body == b.body || !may_touch(a.mask, b.mask)) return false;
    if (is_ignored(model.self_collision, a.frame, b.frame)) return false;
    return can_collide(a.local.kind, b.local.kind) || other_pairs_ != nullptr;
}

int Surroundings::touch(const Placed& a, const Placed& b, double margin, std::span<Touch> touches) const {
    return can_collide(a.kind, b.kind) ? collide(a, b, margin, touches) : other_pairs_(a, b, margin, touches);
}

Surroundings::Moving Surroundings::place(const Model& model, const Workspace<double>& data, double h,
                                         const Piece& piece) const {
    Moving result{piece.local, 0};
    if (piece.body == world) return result;
    const Matrix3<double>& R = data.R[piece.body];
    const Vector3<double> centre = data.p[piece.body] + R * piece.local.position;
    result.placed.rotation = R * piece.local.rotation;
    result.placed.position = centre + data.origin[model.clusters[model.bodies[piece.body].cluster].branch];
    const Motion<double>& v = data.v[piece.body];
    result.reach = always_found +
                   2 * h * (length(v.linear + cross(v.angular, centre)) + length(v.angular) * piece.radius);
    return result;
}

/// Returns whether two shapes overlap as assembled. Shapes that are drawn too wide, near a linkage, would
/// otherwise work against its loops permanently.
bool Surroundings::overlap(const Model& model, const Workspace<double>& data, const Piece& a,
                           const Piece& b) const {
    const auto branch = [&](const Piece& x) { return model.clusters[model.bodies[x.body].cluster].branch; };
    // separate robots are not assembled to each other
    if (a.body != world && b.body != world && branch(a) != branch(b)) return false;
    Touch touches[most_touches];
    return touch(place(model, data, 0, a).placed, place(model, data, 0, b).placed, 0, touches) > 0;
}

/// Returns the reach as place() does, for the motion relative to the ground.
double Surroundings::reach_to_ground(const Model& model, const Workspace<double>& data, double h,
                                     const Piece& piece) const {
    const Vector3<double>& origin = data.origin[model.clusters[model.bodies[piece.body].cluster].branch];
    const Vector3<double> centre = data.p[piece.body] + data.R[piece.body] * piece.local.position;
    const Motion<double>& v = data.v[piece.body];
    const Vector3<double> speed = v.linear + cross(v.angular, centre) - ground_.velocity(origin + centre);
    return always_found + 2 * h * (length(speed) + length(v.angular - ground_.angular()) * piece.radius);
}

/// Finds touches with the ground. For a moving ground, the shape is tested in the pose in which the ground
/// was given.
void Surroundings::touch_ground(Moving shape, int index, const Displacement& moved, Collector& found) const {
    Touch touches[most_touches];
    const Piece& piece = pieces_[index];
    if (ground_.moves()) {
        shape.placed.position = moved.back(shape.placed.position);
        shape.placed.rotation = transpose(moved.rotation) * shape.placed.rotation;
    }
    const auto take = [&](const auto& ground) {
        const int count = collide(shape.placed, ground, shape.reach, touches);
        for (int i = 0; i < count && ground_.moves(); ++i) {
            touches[i].position = moved.forward(touches[i].position);
            touches[i].normal = moved.rotation * touches[i].normal;
        }
        found.collect({touches, static_cast<std::size_t>(count)}, index, -1, piece, nullptr,
                      friction_between(piece.friction, friction_));
    };
    if (const auto* plane = std::get_if<Plane>(&ground_.shape)) {
        if (dot(plane->normal, shape.placed.position) - plane->offset < piece.radius + shape.reach)
            take(*plane);
    } else if (const auto* field = std::get_if<HeightField>(&ground_.shape)) {
        take(*field);
    }
}

bool Surroundings::find(const Model& model, const Workspace<double>& data, double time, double h,
                        Table<ContactState>& contacts) const {
    Collector found(contacts, most_);
    const Displacement moved = ground_.moves() ? ground_.at(time) : Displacement{};
    for (int i = 0; i < static_cast<int>(pieces_.size()); ++i) {
        if (pieces_[i].body == world) continue;
        Moving shape = place(model, data, h, pieces_[i]);
        if (ground_.moves()) shape.reach = reach_to_ground(model, data, h, pieces_[i]);
        touch_ground(shape, i, moved, found);
    }
    Touch touches[most_touches];
    for (const Pair& pair : pairs_) {
        const Piece &a = pieces_[pair.a], &b = pieces_[pair.b];
        const Moving first = place(model, data, h, a), second = place(model, data, h, b);
        const double reach = first.reach + second.reach;
        if (length(first.placed.position - second.placed.position) > a.radius + b.radius + reach) continue;
        const int count = touch(first.placed, second.placed, reach, touches);
        found.collect({touches, static_cast<std::size_t>(count)}, pair.a, pair.b, a, &b,
                      friction_between(a.friction, b.friction));
    }
    return found.crowded();
}

double Surroundings::cast(const Model& model, const Workspace<double>& data, double time, const Ray& ray,
                          bool robot) const {
    double first = std::numeric_limits<double>::infinity();
    const auto meet = [&](const auto& solid, const Ray& x) {
        first = std::min(first, ray_cast(solid, x.origin, x.direction));
    };
    Ray at_ground = ray;
    if (ground_.moves()) {
        const Displacement moved = ground_.at(time);
        at_ground = {moved.back(ray.origin), transpose_times(moved.rotation, ray.direction)};
    }
    if (const auto* plane = std::get_if<Plane>(&ground_.shape)) meet(*plane, at_ground);
    if (const auto* field = std::get_if<HeightField>(&ground_.shape)) meet(*field, at_ground);
    for (const Piece& piece : pieces_)
        if (piece.body == world || robot) meet(place(model, data, 0, piece).placed, ray);
    return first;
}

}  // namespace grbda::simulation
