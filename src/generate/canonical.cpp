#include "canonical.hpp"

#include <cmath>

#include "tape.hpp"

namespace grbda::generated {
namespace {

/// Removes rounding next to zero and one.
double clean(double x) {
    constexpr double rounding = 4e-16;
    for (const double exact : {0., 1., -1.})
        if (std::abs(x - exact) < rounding) return exact;
    return x;
}
Vector3<double> clean(const Vector3<double>& v) { return {clean(v.x), clean(v.y), clean(v.z)}; }
Matrix3<double> clean(const Matrix3<double>& A) { return {clean(A.x), clean(A.y), clean(A.z)}; }

Matrix3<double> about_z(double angle) {
    const double s = std::sin(angle), c = std::cos(angle);
    return {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}
Matrix3<double> about_x(double angle) {
    const double s = std::sin(angle), c = std::cos(angle);
    return {{1, 0, 0}, {0, c, s}, {0, -s, c}};
}

/// Returns a rotation that maps the z axis to this direction: about x if that suffices.
Matrix3<double> towards(const Vector3<double>& z) {
    constexpr double parallel = 1e-12;
    const double tilt = std::atan2(std::hypot(z.x, z.y), z.z);
    if (std::abs(z.x) < parallel) return clean(about_x(std::atan2(-z.y, z.z)));
    return clean(about_z(std::atan2(z.x, -z.y)) * about_x(tilt));
}

bool turns(const Body& body) {
    return !body.rotor && (body.joint == JointType::revolute || body.joint == JointType::continuous);
}

/// Returns the joint's axis of the first body with a rotating joint on `parent`, in the parent.
const Vector3<double>* next_axis(const Model& model, int parent) {
    for (int i = parent + 1; i < model.body_count(); ++i)
        if (model.bodies[i].parent == parent && turns(model.bodies[i])) return &model.bodies[i].axis;
    return nullptr;
}

/// Returns the angle about the joint's axis from `axis`, in its frame, to the direction at which it is
/// perpendicular to x.
double offset_towards(const Vector3<double>* axis, const Matrix3<double>& frame) {
    constexpr double parallel = 1e-12;
    if (!axis) return 0;
    const Vector3<double> seen = transpose_times(frame, *axis);
    return std::hypot(seen.x, seen.y) < parallel ? 0 : std::atan2(seen.x, -seen.y);
}

class Turning {
public:
    explicit Turning(const Model& model) : result_{model, {}, {}, {}} {
        result_.offsets.resize(model.angles.size(), 0);
        result_.body_frames.resize(model.bodies.size(), Matrix3<double>::identity());
        for (int i = 0; i < model.body_count(); ++i) turn_body(model, i);
        turn_ends();
    }
    Canonical take() { return std::move(result_); }

private:
    const Matrix3<double>& frame(int body) const {
        static const Matrix3<double> fixed = Matrix3<double>::identity();
        return body == world || result_.model.is_rod(body) ? fixed : result_.body_frames[body];
    }
    Vector3<double> in(int body, const Vector3<double>& v) const {
        return clean(transpose_times(frame(body), v));
    }
    Matrix3<double> in(int body, const Matrix3<double>& A) const { return clean(transpose(frame(body)) * A); }

    void turn_body(const Model& model, int i) {
        const Body& old = model.bodies[i];
        Body& body = result_.model.bodies[i];
        const int p = old.parent;
        body.position = in(p, old.position);
        body.axis = in(p, old.axis);
        body.rotation = in(p, old.rotation);
        body.turn_cos = in(p, old.turn_cos);
        body.turn_sin = in(p, old.turn_sin);
        if (old.joint != JointType::universal) body.axis2 = in(p, old.axis2);
        body.axis3 = in(p, old.axis3);
        body.turn = Turn::general;
        if (!turns(old)) return;
        const Matrix3<double> tilted = towards(body.axis);
        const Matrix3<double> at_zero = transpose(transpose(frame(p)) * old.rotation) * tilted;
        const double offset = offset_towards(next_axis(model, i), at_zero);
        result_.body_frames[i] = clean(at_zero * about_z(offset));
        result_.offsets[old.angle] = clean(offset);
        body.joint = JointType::revolute;
        body.axis = tilted.z;
        body.rotation = tilted;
        body.turn_cos = {tilted.x, tilted.y, {}};
        body.turn_sin = {tilted.y, tilted.x * -1., {}};
        body.com = in(i, old.com);
        body.middle = in(i, old.middle);
        body.largest = in(i, old.largest);
    }

    /// Rotates other frames that are fixed in bodies.
    void turn_ends() {
        Model& model = result_.model;
        for (Loop& loop : model.loops)
            for (LoopEnd* end : {&loop.predecessor, &loop.successor}) {
                end->position = in(end->body, end->position);
                end->rotation = in(end->body, end->rotation);
            }
        for (Rotor& rotor : model.rotors) rotor.axis = in(rotor.carrier, rotor.axis);
        for (Rod& rod : model.rods) {
            const int carrier = model.loops[rod.loop].predecessor.body;
            rod.line = in(carrier, rod.line);
            rod.rotation = in(carrier, rod.rotation);
            rod.axis = in(carrier, rod.axis);
        }
        for (Cluster& c : model.clusters) {
            // recording removes the operations that the planar kind would save
            if (c.kind == ClusterKind::planar) c.kind = ClusterKind::general;
            for (int y = c.y_begin; y < c.y_begin + c.m; ++y)
                model.momentum[y] = transpose_times(frame(c.parent_body), model.momentum[y]);
        }
        for (CarriedWeight& weight : model.passive.weights) weight.moment = in(weight.body, weight.moment);
        for (Frame& frame : model.frames) {
            frame.position = in(frame.body, frame.position);
            frame.rotation = in(frame.body, frame.rotation);
        }
    }

    Canonical result_;
};

}  // namespace

Canonical canonical(const Model& model, const std::vector<int>& bodies) {
    Canonical result = Turning(model).take();
    for (const int i : bodies) {
        Body& body = result.model.bodies[i];
        for (double* number :
             {&body.mass, &body.com.x, &body.com.y, &body.com.z, &body.inertia, &body.middle.x,
              &body.middle.y, &body.middle.z, &body.largest.x, &body.largest.y, &body.largest.z}) {
            result.parameters.push_back(*number);
            *number = parameter(static_cast<int>(result.parameters.size()) - 1);
        }
    }
    return result;
}

}  // namespace grbda::generated
