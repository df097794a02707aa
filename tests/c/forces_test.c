#include <stdlib.h>

#include "checks.h"

// Laws of constraint forces: at rest the joints on the world carry the weight, and the power of the wrenches
// through all joints is that of tau, because loops do no work.

static void cross(const double* a, const double* b, double* c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/// Twist of a body at a point of the world, and the position of its origin; zero for the world.
static void motion_at(const grbda_model* model, const grbda_data* data, int body, const double* point,
                      double* twist) {
    double position[3], way[3], turning[3];
    int frame = -1;
    for (int i = 0; i < 6; ++i) twist[i] = 0;
    if (body < 0) return;
    CHECK_OK(grbda_find_frame(model, grbda_body_name(model, body), &frame));
    CHECK_OK(grbda_frame_pose(model, data, frame, NULL, position));
    CHECK_OK(grbda_frame_velocity(model, data, frame, GRBDA_WORLD_ALIGNED, twist));
    for (int i = 0; i < 3; ++i) way[i] = point[i] - position[i];
    cross(twist + 3, way, turning);
    for (int i = 0; i < 3; ++i) twist[i] += turning[i];
}

/// The four-bar weighs 9.9 kg, and its loop does not end at the world.
void test_weight(const char* four_bar) {
    const double gravity[3] = {3, -4, -5}, weight[3] = {9.9 * 3, 9.9 * -4, 9.9 * -5}, turn[1] = {0.7},
                 rest[1] = {0};
    const grbda_load_options options = {.gravity = gravity};
    grbda_model* model = NULL;
    grbda_data* data = NULL;
    double q[3], joints[18], carried[3] = {0, 0, 0};
    CHECK_OK(grbda_load_file(four_bar, &options, &model));
    CHECK_OK(grbda_data_create(model, &data));
    CHECK(grbda_nq(model) == 3 && grbda_nv(model) == 1 && grbda_body_count(model) == 3);
    CHECK_OK(grbda_neutral(model, q));
    CHECK_OK(grbda_integrate(model, data, q, turn, q));
    CHECK_OK(grbda_constraint_forces(model, data, q, rest, rest, NULL, NULL, NULL, joints));
    for (int body = 0; body < 3; ++body) {
        grbda_joint joint;
        CHECK_OK(grbda_get_joint(model, body, &joint));
        for (int i = 0; i < 3 && joint.parent == -1; ++i) carried[i] -= joints[6 * body + i];
    }
    CHECK(gap(carried, weight, 3) < 1e-9);
    grbda_data_destroy(data);
    grbda_model_destroy(model);
}

void test_power(const char* file) {
    grbda_model* model = NULL;
    grbda_data* data = NULL;
    CHECK_OK(grbda_load_file(file, NULL, &model));
    CHECK_OK(grbda_data_create(model, &data));
    const int nv = grbda_nv(model), bodies = grbda_body_count(model), loops = grbda_loop_count(model);
    CHECK(loops > 0);
    double* const q = numbers(grbda_nq(model));
    double* const yd = numbers(nv);
    double* const ydd = numbers(nv);
    double* const tau = numbers(nv);
    double* const joint_wrenches = numbers(6 * bodies);
    double* const loop_wrenches = numbers(6 * loops);
    unsigned seed = 11;
    draw_all(&seed, yd, nv);
    draw_all(&seed, ydd, nv);
    CHECK_OK(grbda_neutral(model, q));
    CHECK_OK(grbda_rnea(model, data, q, yd, ydd, NULL, tau));
    CHECK_OK(grbda_constraint_forces(model, data, q, yd, ydd, NULL, NULL, loop_wrenches, joint_wrenches));
    CHECK_OK(grbda_forward_kinematics(model, data, q, yd, NULL));
    double power = 0, expected = 0, largest = 0;
    for (int i = 0; i < nv; ++i) expected += tau[i] * yd[i];
    for (int body = 0; body < bodies; ++body) {
        double origin[3], moving[6], carrying[6];
        int frame = -1;
        grbda_joint joint;
        CHECK_OK(grbda_get_joint(model, body, &joint));
        CHECK_OK(grbda_find_frame(model, grbda_body_name(model, body), &frame));
        CHECK_OK(grbda_frame_pose(model, data, frame, NULL, origin));
        motion_at(model, data, body, origin, moving);
        motion_at(model, data, joint.parent, origin, carrying);
        for (int i = 0; i < 6; ++i) power += joint_wrenches[6 * body + i] * (moving[i] - carrying[i]);
    }
    for (int i = 0; i < 6 * loops; ++i)
        if (loop_wrenches[i] * loop_wrenches[i] > largest) largest = loop_wrenches[i] * loop_wrenches[i];
    CHECK(largest > 1e-3);  // the loops carry load
    CHECK(gap(&power, &expected, 1) < 1e-9);
    double* const all[] = {q, yd, ydd, tau, joint_wrenches, loop_wrenches};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) free(all[i]);
    grbda_data_destroy(data);
    grbda_model_destroy(model);
}
