#include "algorithms.hpp"
#include "kernels/cluster/rotor_motion.hpp"

namespace grbda::generated {
namespace {

/// A frame in the branch's common frame, and the world position of that frame's origin.
struct Placed {
    Matrix3<Traced> R;
    Vector3<Traced> p, origin;
};

Placed placed(const Recorder& r, int index) {
    const Frame& frame = r.model.frames[index];
    const Matrix3<Traced> R = frame.rotation.cast<Traced>();
    const Vector3<Traced> p = frame.position.cast<Traced>();
    if (frame.body == world) return {R, p, {}};
    const Matrix3<Traced>& body = r.data.R[frame.body];
    return {body * R, r.data.p[frame.body] + body * p,
            r.data.origin[r.model.clusters[r.model.cluster_of(frame.body)].branch]};
}

void add(Table<Traced>& numbers, const Vector3<Traced>& v) {
    for (const Traced& x : {v.x, v.y, v.z}) numbers.push_back(x);
}

/// Adds the twist of the frame at `p` on a body with motion v.
void add_twist(Table<Traced>& numbers, const Motion<Traced>& v, const Vector3<Traced>& p) {
    add(numbers, point_velocity(v, p));
    add(numbers, v.angular);
}

}  // namespace

const Traced* place_bodies(Recorder& r) {
    const Traced* q = r.input("q", r.model.nq, "configuration");
    r.turn(q);
    kernels::outward<Traced>(r.model, [&](auto, const Cluster& c, int k) {
        kernels::cluster_positions(r.model, r.data, c, k, q);
    });
    kernels::place_rotors(r.model, r.data, q);
    kernels::place_rods(r.model, r.data);
    r.check_constraints();
    return q;
}

Table<Traced> poses_of_frames(const Recorder& r) {
    Table<Traced> poses;
    for (const int frame : r.frames()) {
        const Placed f = placed(r, frame);
        const Matrix3<Traced> rows = transpose(f.R);
        for (const Vector3<Traced>& row : {rows.x, rows.y, rows.z, f.origin + f.p}) add(poses, row);
    }
    return poses;
}

Table<Traced> twists_of_frames(Recorder& r, const Traced* q, const Traced* yd) {
    kernels::outward<Traced>(r.model, [&](auto, const Cluster& c, int) {
        kernels::cluster_velocities(r.model, r.data, c, q, yd);
    });
    kernels::move_rotors(r.model, r.data);
    kernels::move_rods(r.model, r.data);
    Table<Traced> twists;
    for (const int frame : r.frames())
        add_twist(twists, kernels::velocity_of(r.data, r.model.frames[frame].body), placed(r, frame).p);
    return twists;
}

void record_poses(Recorder& r) {
    place_bodies(r);
    r.output("poses", "of each frame its orientation in the world, row by row, and its position",
             poses_of_frames(r));
}

void record_twists(Recorder& r) {
    const Traced* q = place_bodies(r);
    const Traced* yd = r.input("yd", r.model.nv, "velocity");
    r.output("twists",
             "of each frame the velocity of its origin and its angular velocity, in the world's axes",
             twists_of_frames(r, q, yd));
}

void record_jacobians(Recorder& r) {
    place_bodies(r);
    Table<Traced> jacobians;
    for (const int frame : r.frames()) {
        const Vector3<Traced> p = placed(r, frame).p;
        std::vector<Table<Traced>> columns(at(r.model.nv), Table<Traced>(6));
        kernels::each_jacobian_column(r.model, r.data, r.model.frames[frame].body,
                                      [&](int y, const Motion<Traced>& column) {
                                          columns[at(y)].clear();
                                          add_twist(columns[at(y)], column, p);
                                      });
        for (int row = 0; row < 6; ++row)
            for (int j = 0; j < r.model.nv; ++j) jacobians.push_back(columns[at(j)][row]);
    }
    r.matrix("jacobians",
             "of each frame [6 * NV], row by row: its twist for each velocity, in the world's axes",
             jacobians, 6, r.model.nv);
}

}  // namespace grbda::generated
