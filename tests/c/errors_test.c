#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

// Errors: each has a status and a text that names what is wrong, and none ends the program.

/// Counts a failure unless the call failed with this status and a text that contains `part`.
#define CHECK_ERROR(call, status, part)                    \
    do {                                                   \
        CHECK((call) == (status));                         \
        CHECK(strstr(grbda_last_error(), (part)) != NULL); \
    } while (0)

#define LINK(name, mass)                                                                         \
    "<link name='" name "'><inertial><mass value='" mass "'/><inertia ixx='" mass "' iyy='" mass \
    "' izz='" mass "' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define JOINT(name, parent, child)                                                            \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child \
    "'/>"                                                                                     \
    "<origin xyz='0 0 -1'/><axis xyz='0 1 0'/><dynamics damping='0.5'/></joint>"

static const char pendulum[] =
    "<robot name='pendulum'><link name='base'/>" LINK("arm", "2") JOINT("shoulder", "base", "arm") "</robot>";

static void test_loading(const char* robots) {
    grbda_model* model = (grbda_model*)&model;  // replaced by NULL
    CHECK_ERROR(grbda_load_file("nowhere/robot.urdf", NULL, &model), GRBDA_INVALID_FILE,
                "nowhere/robot.urdf");
    CHECK(model == NULL);
    CHECK_ERROR(grbda_load(NULL, 0, NULL, &model), GRBDA_INVALID_FILE, "at least one file");
    CHECK_ERROR(grbda_load(NULL, 2, NULL, &model), GRBDA_INVALID_ARGUMENT, "files is NULL");
    CHECK_ERROR(grbda_load(NULL, -1, NULL, &model), GRBDA_INVALID_ARGUMENT, "the number of files is -1");
    const char* const holes[] = {"a.urdf", NULL};
    CHECK_ERROR(grbda_load(holes, 2, NULL, &model), GRBDA_INVALID_ARGUMENT, "files[1] is NULL");
    CHECK_ERROR(grbda_load_file(NULL, NULL, &model), GRBDA_INVALID_ARGUMENT, "file is NULL");
    CHECK_ERROR(grbda_load_file("a.urdf", NULL, NULL), GRBDA_INVALID_ARGUMENT, "model is NULL");
    CHECK_ERROR(grbda_load_text("a: 1", NULL, NULL, &model), GRBDA_INVALID_FILE, "text");
    CHECK_ERROR(grbda_load_text("format: xrdf\nformat_version: 1.0\n", NULL, NULL, &model),
                GRBDA_INVALID_ARGUMENT, "XRDF");
    const double nan_gravity[3] = {0, NAN, 0};
    const grbda_load_options wrong = {.gravity = nan_gravity};
    CHECK_ERROR(grbda_load_text(pendulum, NULL, &wrong, &model), GRBDA_INVALID_ARGUMENT, "gravity");

    // a loop with a link that does not exist, and one that cannot close
    static const char unknown_link[] =
        "<robot name='r'><link name='base'/>" LINK("arm", "2") JOINT("shoulder", "base", "arm")
        "<loop name='rod' type='spherical'><predecessor link='arn'/><successor link='base'/></loop></robot>";
    CHECK_ERROR(grbda_load_text(unknown_link, "mine.urdf", NULL, &model), GRBDA_INVALID_FILE,
                "did you mean 'arm'");
    CHECK(strstr(grbda_last_error(), "mine.urdf:1") != NULL && strstr(grbda_last_error(), "'rod'") != NULL);
    static const char too_far[] =
        "<robot name='r'><link name='base'/>" LINK("arm", "2") LINK("hand", "1") JOINT("shoulder", "base", "arm")
        JOINT("elbow", "arm", "hand") "<loop name='rod' type='spherical'><predecessor link='hand'/>"
        "<successor link='base'><origin xyz='9 0 0'/></successor></loop></robot>";
    CHECK_ERROR(grbda_load_text(too_far, NULL, NULL, &model), GRBDA_INVALID_FILE, "loop 'rod'");
    CHECK(model == NULL);

    const char* const paths[] = {robots};
    const grbda_load_options options = {.path_count = 1, .paths = paths, .floating_base = 1};
    CHECK_OK(grbda_load_text(pendulum, NULL, &options, &model));
    CHECK(grbda_nv(model) == 7 && grbda_nq(model) == 8 && grbda_joint_count(model) == 2);
    grbda_model_destroy(model);
}

static void test_queries(const grbda_model* model) {
    int index = -7;
    grbda_joint joint;
    CHECK_ERROR(grbda_find_joint(model, "sholder", &index), GRBDA_INVALID_ARGUMENT,
                "did you mean 'shoulder'");
    CHECK_ERROR(grbda_find_frame(model, "arn", &index), GRBDA_INVALID_ARGUMENT, "did you mean 'arm'");
    CHECK(index == -7);
    CHECK_ERROR(grbda_find_joint(model, NULL, &index), GRBDA_INVALID_ARGUMENT, "name is NULL");
    CHECK_ERROR(grbda_find_joint(NULL, "shoulder", &index), GRBDA_INVALID_ARGUMENT, "model is NULL");
    CHECK_ERROR(grbda_get_joint(model, 1, &joint), GRBDA_INVALID_ARGUMENT,
                "joint 1 does not exist; expected 0 to 0");
    CHECK_ERROR(grbda_get_joint(model, 0, NULL), GRBDA_INVALID_ARGUMENT, "description is NULL");
    CHECK_ERROR(grbda_frame_body(model, -1, &index), GRBDA_INVALID_ARGUMENT, "frame -1");
    CHECK(grbda_joint_name(model, 3) == NULL && strstr(grbda_last_error(), "joint 3") != NULL);
    CHECK(grbda_loop_name(model, 0) == NULL && strstr(grbda_last_error(), "the model has none") != NULL);
    CHECK(grbda_nq(NULL) == -1 && strstr(grbda_last_error(), "grbda_nq: model is NULL") != NULL);
    CHECK_OK(grbda_get_joint(model, 0, &joint));
    CHECK(strcmp(joint.type, "revolute") == 0 && joint.y_size == 1 && isinf(joint.upper));
    CHECK(strcmp(grbda_status_name(GRBDA_FOLD), "fold") == 0);
    CHECK(strcmp(grbda_status_name(GRBDA_INVALID_FILE), "invalid_file") == 0);
    CHECK(strcmp(grbda_status_name((grbda_status)55), "unknown_status") == 0);
}

static void test_null(const grbda_model* model, grbda_data* data) {
    const double x[1] = {0};
    double out[9] = {5}, more[1], M[1];
    CHECK_ERROR(grbda_aba(NULL, data, x, x, x, NULL, out), GRBDA_INVALID_ARGUMENT, "model is NULL");
    CHECK_ERROR(grbda_aba(model, NULL, x, x, x, NULL, out), GRBDA_INVALID_ARGUMENT, "data is NULL");
    CHECK_ERROR(grbda_aba(model, data, NULL, x, x, NULL, out), GRBDA_INVALID_ARGUMENT,
                "grbda_aba: q is NULL; expected an array of 1 number");
    CHECK_ERROR(grbda_aba(model, data, x, NULL, x, NULL, out), GRBDA_INVALID_ARGUMENT, "yd is NULL");
    CHECK_ERROR(grbda_aba(model, data, x, x, NULL, NULL, out), GRBDA_INVALID_ARGUMENT, "tau is NULL");
    CHECK_ERROR(grbda_aba(model, data, x, x, x, NULL, NULL), GRBDA_INVALID_ARGUMENT, "ydd is NULL");
    CHECK_ERROR(grbda_crba(model, data, x, NULL), GRBDA_INVALID_ARGUMENT, "M is NULL");
    CHECK_ERROR(grbda_rnea_derivatives(model, data, x, x, x, NULL, more, NULL, M), GRBDA_INVALID_ARGUMENT,
                "dtau_dyd is NULL");
    CHECK_ERROR(grbda_forward_kinematics(model, data, x, NULL, x), GRBDA_INVALID_ARGUMENT, "yd is NULL");
    CHECK_ERROR(grbda_data_create(model, NULL), GRBDA_INVALID_ARGUMENT, "data is NULL");
    CHECK_ERROR(grbda_data_clone(NULL, NULL), GRBDA_INVALID_ARGUMENT, "data is NULL");
    CHECK_ERROR(grbda_last_result(data, NULL), GRBDA_INVALID_ARGUMENT, "result is NULL");
    CHECK(out[0] == 5);
    grbda_data_destroy(NULL);
    grbda_model_destroy(NULL);
}

static void test_order(const grbda_model* model, grbda_data* data, const char* robots) {
    const double x[1] = {0};
    double out[9];
    CHECK_OK(grbda_aba(model, data, x, x, x, NULL, out));
    CHECK_ERROR(grbda_frame_pose(model, data, 1, out, NULL), GRBDA_INVALID_ARGUMENT, "forward_kinematics");
    CHECK_ERROR(grbda_motor_forces(model, data, x, out), GRBDA_INVALID_ARGUMENT,
                "grbda_motor_jacobian() first");
    CHECK_OK(grbda_forward_kinematics(model, data, x, NULL, NULL));
    CHECK_ERROR(grbda_frame_pose(model, data, 7, out, NULL), GRBDA_INVALID_ARGUMENT, "7");
    CHECK_ERROR(grbda_frame_velocity(model, data, 0, (grbda_axes)4, out), GRBDA_INVALID_ARGUMENT,
                "axes is 4");

    char path[1000];
    grbda_model* other = NULL;
    snprintf(path, sizeof path, "%s/tello/tello.urdf", robots);
    CHECK_OK(grbda_load_file(path, NULL, &other));
    double* const q = numbers(grbda_nq(other));
    CHECK_ERROR(grbda_aba(other, data, q, q, q, NULL, q), GRBDA_INVALID_ARGUMENT, "model");
    free(q);
    grbda_model_destroy(other);
}

void test_errors(const char* robots) {
    test_loading(robots);
    grbda_model* model = NULL;
    grbda_data* data = NULL;
    CHECK_OK(grbda_load_text(pendulum, NULL, NULL, &model));
    CHECK_OK(grbda_data_create(model, &data));
    test_queries(model);
    test_null(model, data);
    test_order(model, data, robots);

    const double q[1] = {0.3}, yd[1] = {2};
    double tau[1];
    CHECK_OK(grbda_passive_forces(model, data, q, yd, tau));
    CHECK(fabs(tau[0] + 0.5 * yd[0]) < 1e-12);  // the damper of the file
    grbda_data_destroy(data);
    grbda_model_destroy(model);
}

/// Counts a failure unless the call failed with this status, and all outputs are NaN.
static void check_failure(grbda_status status, grbda_status expected, const double* out, int n) {
    CHECK(status == expected);
    CHECK(strstr(grbda_last_error(), grbda_status_name(expected)) != NULL);
    for (int i = 0; i < n; ++i) CHECK(isnan(out[i]));
}

static void test_fold(void) {
    // a crank of 1 m with a rod of 2.5 m to a rocker of 1 m, 2.5 m away from it: the crank cannot turn the
    // rocker over
    static const char text[] =
        "<robot name='r'><link name='base'/>" LINK("crank", "1") LINK("rocker", "1")
        "<joint name='a' type='continuous' independent='true'><parent link='base'/><child link='crank'/>"
        "<axis xyz='0 1 0'/></joint><joint name='b' type='continuous'><parent link='base'/><child link='rocker'/>"
        "<origin xyz='2.5 0 0'/><axis xyz='0 1 0'/></joint>"
        "<loop name='rod' type='distance' length='1.8'><predecessor link='crank'><origin xyz='1 0 0'/></predecessor>"
        "<successor link='rocker'><origin xyz='0 0 0.5'/></successor></loop></robot>";
    grbda_model* model = NULL;
    grbda_data* data = NULL;
    CHECK_OK(grbda_load_text(text, NULL, NULL, &model));
    if (!model) return;
    CHECK_OK(grbda_data_create(model, &data));
    double q[2], out[2];
    const double far[1] = {3};
    CHECK_OK(grbda_neutral(model, q));
    CHECK(grbda_integrate(model, data, q, far, out) == GRBDA_FOLD);
    CHECK(strstr(grbda_last_error(), "grbda_integrate: fold: ") != NULL);
    CHECK(strstr(grbda_last_error(), "'a'") != NULL && strstr(grbda_last_error(), "'b'") != NULL);
    CHECK_OK(grbda_integrate(model, data, q, (const double[1]){0.01}, out));
    grbda_data_destroy(data);
    grbda_model_destroy(model);
}

/// A robot without joints has empty vectors, for which NULL is valid.
static void test_empty(void) {
    grbda_model* model = NULL;
    grbda_data* data = NULL;
    double position[3] = {1, 1, 1};
    CHECK_OK(grbda_load_text("<robot name='stone'><link name='base'/></robot>", NULL, NULL, &model));
    CHECK_OK(grbda_data_create(model, &data));
    CHECK(grbda_nq(model) == 0 && grbda_joint_count(model) == 0 && grbda_motor_count(model) == 0);
    CHECK_OK(grbda_neutral(model, NULL));
    CHECK_OK(grbda_aba(model, data, NULL, NULL, NULL, NULL, NULL));
    CHECK_OK(grbda_crba(model, data, NULL, NULL));
    CHECK_OK(grbda_forward_kinematics(model, data, NULL, NULL, NULL));
    CHECK_OK(grbda_frame_pose(model, data, 0, NULL, position));
    CHECK(position[0] == 0 && position[1] == 0 && position[2] == 0);
    grbda_data_destroy(data);
    grbda_model_destroy(model);
}

void test_numerical_errors(void) {
    test_empty();
    grbda_model* model = NULL;
    grbda_data* data = NULL;
    // both joints turn the arm alike: one combination of them moves no mass
    static const char massless[] =
        "<robot name='r'><link name='base'/><link name='ghost'/>" LINK("arm", "2")
        "<joint name='shoulder' type='continuous'><parent link='base'/><child link='ghost'/><axis xyz='0 1 0'/></joint>"
        "<joint name='wrist' type='continuous'><parent link='ghost'/><child link='arm'/><axis xyz='0 1 0'/></joint>"
        "</robot>";
    CHECK_OK(grbda_load_text(massless, NULL, NULL, &model));
    CHECK_OK(grbda_data_create(model, &data));
    double q[2] = {0.1, 0.2}, x[2] = {0.3, 0.4}, out[2] = {0, 0}, A[4], B[4], C[4];
    const double infinite[2] = {0.1, INFINITY};
    check_failure(grbda_aba(model, data, q, x, x, NULL, out), GRBDA_SINGULAR_INERTIA, out, 2);
    CHECK(strstr(grbda_last_error(), "'shoulder'") != NULL);
    check_failure(grbda_aba_derivatives(model, data, q, x, x, NULL, out, A, B, C), GRBDA_SINGULAR_INERTIA, C,
                  4);
    grbda_result result;
    CHECK_OK(grbda_last_result(data, &result));
    CHECK(result.status == GRBDA_SINGULAR_INERTIA && result.cluster == 0);
    check_failure(grbda_rnea(model, data, infinite, x, x, NULL, out), GRBDA_NOT_FINITE, out, 2);
    check_failure(grbda_spanning_velocity(model, data, q, infinite, out), GRBDA_NOT_FINITE, out, 2);
    out[0] = out[1] = 0;
    check_failure(grbda_passive_forces(model, data, q, infinite, out), GRBDA_NOT_FINITE, out, 2);
    check_failure(grbda_crba(model, data, infinite, A), GRBDA_NOT_FINITE, A, 4);
    CHECK_OK(grbda_rnea(model, data, q, x, x, NULL, out));  // an error leaves data usable
    grbda_data_destroy(data);
    grbda_model_destroy(model);
    test_fold();
}
