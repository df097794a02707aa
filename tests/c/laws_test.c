#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

#ifdef GRBDA_COUNT_ALLOCATIONS
long allocations_of_this_thread(void);
#endif

// Each function of the interface against an independent law, at a random state of a robot.

static const double rounding = 1e-9;    // relative; mass matrices of light links are ill conditioned
static const double truncation = 2e-5;  // of central differences with `small`
static const double small = 1e-5;

/// A robot at a state, with space for results.
typedef struct State {
    grbda_model* model;
    grbda_data* data;
    int nq, nv, bodies;
    double *q, *yd, *ydd, *tau, *wrenches;
    double *a, *b, *c;      // [max(nq, nv, nv_tree, 6 bodies)]
    double *A, *B, *C, *D;  // [max(nv, 6) × nv]
} State;

static void multiply(const double* A, const double* x, int rows, int columns, double* y) {
    for (int i = 0; i < rows; ++i) y[i] = 0;
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) y[i] += A[j * rows + i] * x[j];
}

/// out = Aᵀ x
static void multiply_transposed(const double* A, const double* x, int rows, int columns, double* y) {
    for (int j = 0; j < columns; ++j) {
        y[j] = 0;
        for (int i = 0; i < rows; ++i) y[j] += A[j * rows + i] * x[i];
    }
}

/// Moves q from the neutral configuration as far along a random direction as the loops allow.
static void move_at_random(State* s, unsigned* seed) {
    CHECK_OK(grbda_neutral(s->model, s->q));
    draw_all(seed, s->a, s->nv);
    for (double length = 0.3; length > 1e-3; length /= 2) {
        for (int i = 0; i < s->nv; ++i) s->b[i] = length * s->a[i];
        if (grbda_integrate(s->model, s->data, s->q, s->b, s->c) != GRBDA_OK) continue;
        memcpy(s->q, s->c, sizeof(double) * (size_t)s->nq);
        return;
    }
    fail(__FILE__, __LINE__, "the robot cannot move");
}

static State make_state(const char* const* files, int count, const grbda_load_options* options) {
    State s = {0};
    CHECK_OK(grbda_load(files, count, options, &s.model));
    CHECK_OK(grbda_data_create(s.model, &s.data));
    s.nq = grbda_nq(s.model), s.nv = grbda_nv(s.model), s.bodies = grbda_body_count(s.model);
    const int most = s.nq + s.nv + grbda_nv_tree(s.model) + 6 * s.bodies;
    double** const vectors[] = {&s.q, &s.yd, &s.ydd, &s.tau, &s.wrenches, &s.a, &s.b, &s.c};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) *vectors[i] = numbers(most);
    double** const matrices[] = {&s.A, &s.B, &s.C, &s.D};
    for (size_t i = 0; i < 4; ++i) *matrices[i] = numbers((s.nv + 6) * s.nv);
    unsigned seed = 7;
    move_at_random(&s, &seed);
    draw_all(&seed, s.yd, s.nv);
    draw_all(&seed, s.ydd, s.nv);
    draw_all(&seed, s.tau, s.nv);
    draw_all(&seed, s.wrenches, 6 * s.bodies);
    return s;
}

static void destroy_state(State* s) {
    double* const all[] = {s->q, s->yd, s->ydd, s->tau, s->wrenches, s->a,
                           s->b, s->c,  s->A,   s->B,   s->C,        s->D};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) free(all[i]);
    grbda_data_destroy(s->data);
    grbda_model_destroy(s->model);
}

/// aba inverts rnea, and both agree with M ydd + bias.
static void test_dynamics(State* s) {
    const int n = s->nv;
    CHECK_OK(grbda_rnea(s->model, s->data, s->q, s->yd, s->ydd, s->wrenches, s->a));
    CHECK_OK(grbda_aba(s->model, s->data, s->q, s->yd, s->a, s->wrenches, s->b));
    CHECK(gap(s->b, s->ydd, n) < 1e3 * rounding);
    CHECK_OK(grbda_bias(s->model, s->data, s->q, s->yd, s->wrenches, s->b));
    CHECK_OK(grbda_crba(s->model, s->data, s->q, s->A));
    multiply(s->A, s->ydd, n, n, s->c);
    for (int i = 0; i < n; ++i) s->c[i] += s->b[i];
    CHECK(gap(s->c, s->a, n) < rounding);
    for (int j = 0; j < n; ++j) {  // column j of M
        memset(s->c, 0, sizeof(double) * (size_t)n);
        s->c[j] = 1;
        CHECK_OK(grbda_rnea(s->model, s->data, s->q, s->yd, s->c, s->wrenches, s->a));
        for (int i = 0; i < n; ++i) s->a[i] -= s->b[i];
        CHECK(gap(s->A + j * n, s->a, n) < rounding);
    }
}

/// Column j of the derivative of rnea or aba with respect to y or yd, by central differences.
static void difference_column(State* s, int inverse, int along_velocity, int j, double* column) {
    const int n = s->nv;
    double* const q = numbers(s->nq);
    double* const yd = numbers(n);
    double* const step = numbers(n);
    for (int side = 0; side < 2; ++side) {
        const double h = side == 0 ? -small : small;
        step[j] = along_velocity ? 0 : h;
        memcpy(yd, s->yd, sizeof(double) * (size_t)n);
        if (along_velocity) yd[j] += h;
        CHECK_OK(grbda_integrate(s->model, s->data, s->q, step, q));
        double* const f = side == 0 ? s->a : s->b;
        if (inverse)
            CHECK_OK(grbda_rnea(s->model, s->data, q, yd, s->ydd, s->wrenches, f));
        else
            CHECK_OK(grbda_aba(s->model, s->data, q, yd, s->tau, s->wrenches, f));
    }
    for (int i = 0; i < n; ++i) column[i] = (s->b[i] - s->a[i]) / (2 * small);
    free(q);
    free(yd);
    free(step);
}

static void check_derivative(State* s, int inverse, int along_velocity, const double* derivative) {
    const int n = s->nv;
    for (int j = 0; j < n; ++j) difference_column(s, inverse, along_velocity, j, s->D + j * n);
    CHECK(gap(s->D, derivative, n * n) < truncation);
}

static void test_derivatives(State* s) {
    const int n = s->nv;
    CHECK_OK(grbda_rnea_derivatives(s->model, s->data, s->q, s->yd, s->ydd, s->wrenches, s->A, s->B, s->C));
    CHECK_OK(grbda_crba(s->model, s->data, s->q, s->D));
    CHECK(gap(s->C, s->D, n * n) < rounding);
    check_derivative(s, 1, 0, s->A);
    check_derivative(s, 1, 1, s->B);
    CHECK_OK(
        grbda_aba_derivatives(s->model, s->data, s->q, s->yd, s->tau, s->wrenches, s->c, s->A, s->B, s->C));
    CHECK_OK(grbda_aba(s->model, s->data, s->q, s->yd, s->tau, s->wrenches, s->a));
    CHECK(gap(s->c, s->a, n) < rounding);
    check_derivative(s, 0, 0, s->A);
    check_derivative(s, 0, 1, s->B);
    CHECK_OK(grbda_crba(s->model, s->data, s->q, s->D));
    for (int j = 0; j < n; ++j) {  // M times column j of its inverse
        multiply(s->D, s->C + j * n, n, n, s->a);
        memset(s->b, 0, sizeof(double) * (size_t)n);
        s->b[j] = 1;
        CHECK(gap(s->a, s->b, n) < rounding);
    }
}

/// Velocity and acceleration of a frame are rates of its pose; the Jacobian maps yd to its twist.
static void test_frame(State* s, int frame) {
    double place[3], turn[9], twist[6], local[6], acceleration[6], rate[6], before[6], after[6];
    const int n = s->nv;
    CHECK_OK(grbda_forward_kinematics(s->model, s->data, s->q, s->yd, s->ydd));
    CHECK_OK(grbda_frame_pose(s->model, s->data, frame, turn, place));
    CHECK_OK(grbda_frame_velocity(s->model, s->data, frame, GRBDA_WORLD_ALIGNED, twist));
    CHECK_OK(grbda_frame_velocity(s->model, s->data, frame, GRBDA_LOCAL, local));
    CHECK_OK(grbda_frame_acceleration(s->model, s->data, frame, GRBDA_WORLD_ALIGNED, acceleration));
    CHECK_OK(grbda_frame_jacobian(s->model, s->data, frame, GRBDA_WORLD_ALIGNED, s->A));
    multiply(s->A, s->yd, 6, n, rate);
    CHECK(gap(rate, twist, 6) < rounding);
    multiply(turn, local, 3, 3, rate);
    multiply(turn, local + 3, 3, 3, rate + 3);
    CHECK(gap(rate, twist, 6) < rounding);

    double sides[2][3];
    for (int side = 0; side < 2; ++side) {
        const double h = side == 0 ? -small : small;
        for (int i = 0; i < n; ++i) s->a[i] = h * s->yd[i] + h * h / 2 * s->ydd[i];
        for (int i = 0; i < n; ++i) s->b[i] = s->yd[i] + h * s->ydd[i];
        CHECK_OK(grbda_integrate(s->model, s->data, s->q, s->a, s->c));
        CHECK_OK(grbda_forward_kinematics(s->model, s->data, s->c, s->b, NULL));
        CHECK_OK(grbda_frame_pose(s->model, s->data, frame, NULL, sides[side]));
        CHECK_OK(
            grbda_frame_velocity(s->model, s->data, frame, GRBDA_WORLD_ALIGNED, side == 0 ? before : after));
    }
    for (int i = 0; i < 3; ++i) rate[i] = (sides[1][i] - sides[0][i]) / (2 * small);
    CHECK(gap(rate, twist, 3) < truncation);
    for (int i = 0; i < 6; ++i) rate[i] = (after[i] - before[i]) / (2 * small);
    CHECK(gap(rate, acceleration, 6) < truncation);
}

/// A wrench w on a frame of a body reduces tau of rnea by Jᵀ w.
static void test_frame_wrench(State* s, int frame) {
    double wrench[6] = {1, -2, 3, -0.4, 0.5, 0.6};
    const int n = s->nv;
    int body = -1;
    CHECK_OK(grbda_frame_body(s->model, frame, &body));
    if (body >= s->bodies) return;  // a rod: the moment about its line has no effect
    CHECK_OK(grbda_forward_kinematics(s->model, s->data, s->q, NULL, NULL));
    CHECK_OK(grbda_frame_jacobian(s->model, s->data, frame, GRBDA_LOCAL, s->A));
    memset(s->c, 0, sizeof(double) * 6 * (size_t)s->bodies);
    CHECK_OK(grbda_add_frame_wrench(s->model, s->data, frame, GRBDA_LOCAL, wrench, s->c));
    CHECK_OK(grbda_rnea(s->model, s->data, s->q, s->yd, s->ydd, s->c, s->a));
    CHECK_OK(grbda_rnea(s->model, s->data, s->q, s->yd, s->ydd, NULL, s->b));
    for (int i = 0; i < n; ++i) s->b[i] -= s->a[i];
    multiply_transposed(s->A, wrench, 6, n, s->a);
    CHECK(gap(s->b, s->a, n) < rounding);
}

/// difference inverts integrate, close_loops restores what was perturbed, and velocities are rates of
/// positions.
static void test_configuration(State* s) {
    const int n = s->nv, joints = grbda_joint_count(s->model);
    for (int i = 0; i < n; ++i) s->a[i] = 0.01 * s->yd[i];
    CHECK_OK(grbda_integrate(s->model, s->data, s->q, s->a, s->c));
    CHECK_OK(grbda_closure_residual(s->model, s->data, s->c));
    CHECK_OK(grbda_difference(s->model, s->data, s->q, s->c, s->b));
    CHECK(gap(s->b, s->a, n) < rounding);

    memcpy(s->b, s->c, sizeof(double) * (size_t)s->nq);
    int dependent = 0;
    for (int i = 0; i < joints; ++i) {
        grbda_joint joint;
        CHECK_OK(grbda_get_joint(s->model, i, &joint));
        if (joint.y_size > 0 || joint.q_size != 1) continue;
        s->b[joint.q_begin] += 1e-3;
        ++dependent;
    }
    grbda_result result;
    if (dependent > 0) {
        CHECK(grbda_closure_residual(s->model, s->data, s->b) == GRBDA_NOT_CONVERGED);
        CHECK_OK(grbda_last_result(s->data, &result));
        CHECK(result.status == GRBDA_NOT_CONVERGED && result.cluster >= 0 && result.residual > 1e-10);
    }
    CHECK_OK(grbda_close_loops(s->model, s->data, s->b));
    CHECK(gap(s->b, s->c, s->nq) < rounding);

    double* const before = numbers(s->nq);
    double* const after = numbers(s->nq);
    for (int i = 0; i < n; ++i) s->a[i] = small * s->yd[i];
    CHECK_OK(grbda_integrate(s->model, s->data, s->q, s->a, after));
    for (int i = 0; i < n; ++i) s->a[i] = -small * s->yd[i];
    CHECK_OK(grbda_integrate(s->model, s->data, s->q, s->a, before));
    CHECK_OK(grbda_spanning_velocity(s->model, s->data, s->q, s->yd, s->b));
    for (int i = 0; i < joints; ++i) {
        grbda_joint joint;
        CHECK_OK(grbda_get_joint(s->model, i, &joint));
        if (joint.q_size != 1) continue;
        const double rate = (after[joint.q_begin] - before[joint.q_begin]) / (2 * small);
        CHECK(gap(&rate, s->b + joint.v_begin, 1) < truncation);
        if (joint.y_size > 0) CHECK(gap(s->yd + joint.y_begin, s->b + joint.v_begin, 1) < rounding);
    }
    free(before);
    free(after);
}

/// Motor forces that act as Jᵀ f = tau.
static void test_motors(State* s) {
    const int motors = grbda_motor_count(s->model);
    double* const J = numbers(motors * s->nv);
    double* const some = numbers(motors);
    double* const found = numbers(motors);
    unsigned seed = 3;
    draw_all(&seed, some, motors);
    CHECK_OK(grbda_motor_jacobian(s->model, s->data, s->q, J));
    multiply_transposed(J, some, motors, s->nv, s->a);
    CHECK_OK(grbda_motor_forces(s->model, s->data, s->a, found));
    multiply_transposed(J, found, motors, s->nv, s->b);
    CHECK(gap(s->b, s->a, s->nv) < rounding);
    CHECK_OK(grbda_spanning_velocity(s->model, s->data, s->q, s->yd, s->a));
    multiply(J, s->yd, motors, s->nv, found);
    for (int i = 0; i < motors; ++i) {
        int joint = -1, component = -1;
        grbda_joint description;
        CHECK_OK(grbda_get_motor(s->model, i, &joint, &component));
        CHECK_OK(grbda_get_joint(s->model, joint, &description));
        const double rate = s->a[description.v_begin + component];
        CHECK(fabs(found[i]) >= fabs(rate) * (1 - rounding));  // of the motor: a reduction is 1 or more
        CHECK(found[i] * rate >= -rounding);
    }
    free(J);
    free(some);
    free(found);
}

static void test_names(State* s) {
    for (int i = 0; i < grbda_joint_count(s->model); ++i) {
        int found = -1;
        CHECK_OK(grbda_find_joint(s->model, grbda_joint_name(s->model, i), &found));
        CHECK(found == i);
        grbda_joint joint;
        CHECK_OK(grbda_get_joint(s->model, i, &joint));
        CHECK(strcmp(joint.name, grbda_joint_name(s->model, i)) == 0);
        CHECK(joint.lower <= joint.upper && joint.parent < i);
    }
    for (int i = 0; i < grbda_frame_count(s->model); ++i) {
        int found = -1, body = -2;
        CHECK_OK(grbda_find_frame(s->model, grbda_frame_name(s->model, i), &found));
        CHECK(found == i);
        CHECK_OK(grbda_frame_body(s->model, i, &body));
        CHECK(body >= -1);
    }
    for (int i = 0; i < grbda_body_count(s->model); ++i) CHECK(grbda_body_name(s->model, i) != NULL);
    for (int i = 0; i < grbda_loop_count(s->model); ++i) CHECK(strlen(grbda_loop_name(s->model, i)) > 0);
    for (int i = 0; i < grbda_finding_count(s->model); ++i) CHECK(strlen(grbda_finding(s->model, i)) > 0);
    CHECK(strlen(grbda_robot_name(s->model)) > 0);
}

/// A copy keeps results while the original computes others.
static void test_data(State* s) {
    double first[3], second[3];
    CHECK_OK(grbda_forward_kinematics(s->model, s->data, s->q, s->yd, s->ydd));
    grbda_data* copy = NULL;
    CHECK_OK(grbda_data_clone(s->data, &copy));
    CHECK_OK(grbda_aba(s->model, s->data, s->q, s->yd, s->tau, NULL, s->a));
    CHECK_OK(grbda_frame_pose(s->model, copy, grbda_frame_count(s->model) - 1, NULL, first));
    CHECK_OK(grbda_forward_kinematics(s->model, s->data, s->q, NULL, NULL));
    CHECK_OK(grbda_frame_pose(s->model, s->data, grbda_frame_count(s->model) - 1, NULL, second));
    CHECK(memcmp(first, second, sizeof first) == 0);
    grbda_data_destroy(copy);
}

/// Calls every function that has a grbda_data.
static void call_all(State* s, double* J, double* motors, double* loops) {
    const grbda_model* const m = s->model;
    grbda_data* const d = s->data;
    double six[9];
    CHECK_OK(grbda_neutral(m, s->c));
    CHECK_OK(grbda_close_loops(m, d, s->c));
    CHECK_OK(grbda_closure_residual(m, d, s->q));
    memset(s->a, 0, sizeof(double) * (size_t)s->nv);
    CHECK_OK(grbda_integrate(m, d, s->q, s->a, s->c));
    CHECK_OK(grbda_difference(m, d, s->q, s->c, s->a));
    CHECK_OK(grbda_spanning_velocity(m, d, s->q, s->yd, s->a));
    CHECK_OK(grbda_aba(m, d, s->q, s->yd, s->tau, s->wrenches, s->a));
    CHECK_OK(grbda_rnea(m, d, s->q, s->yd, s->ydd, s->wrenches, s->a));
    CHECK_OK(grbda_bias(m, d, s->q, s->yd, NULL, s->a));
    CHECK_OK(grbda_passive_forces(m, d, s->q, s->yd, s->a));
    CHECK_OK(grbda_crba(m, d, s->q, s->A));
    CHECK_OK(grbda_rnea_derivatives(m, d, s->q, s->yd, s->ydd, s->wrenches, s->A, s->B, s->C));
    CHECK_OK(grbda_aba_derivatives(m, d, s->q, s->yd, s->tau, s->wrenches, s->a, s->A, s->B, s->C));
    CHECK_OK(grbda_motor_jacobian(m, d, s->q, J));
    CHECK(grbda_motor_forces(m, d, s->b, motors) == GRBDA_OK);  // of zero forces
    CHECK_OK(grbda_constraint_forces(m, d, s->q, s->yd, s->ydd, s->wrenches, NULL, loops, s->c));
    CHECK_OK(grbda_forward_kinematics(m, d, s->q, s->yd, s->ydd));
    CHECK_OK(grbda_frame_pose(m, d, 0, six, s->a));
    CHECK_OK(grbda_frame_velocity(m, d, 0, GRBDA_LOCAL, six));
    CHECK_OK(grbda_frame_acceleration(m, d, 0, GRBDA_LOCAL, six));
    CHECK_OK(grbda_frame_jacobian(m, d, 0, GRBDA_LOCAL, s->A));
    CHECK_OK(grbda_add_frame_wrench(m, d, 0, GRBDA_LOCAL, s->tau, s->c));
}

/// No algorithm allocates in its second call.
static void test_allocations(State* s) {
    double* const J = numbers(grbda_motor_count(s->model) * s->nv);
    double* const motors = numbers(grbda_motor_count(s->model));
    double* const loops = numbers(6 * grbda_loop_count(s->model));
    memset(s->b, 0, sizeof(double) * (size_t)s->nv);
    call_all(s, J, motors, loops);
#ifdef GRBDA_COUNT_ALLOCATIONS
    const long before = allocations_of_this_thread();
    void* volatile memory = malloc(1);  // so that the compiler keeps it
    free(memory);
    CHECK(allocations_of_this_thread() == before + 1);
    const long made = allocations_of_this_thread();
    call_all(s, J, motors, loops);
    CHECK(allocations_of_this_thread() == made);
#endif
    free(J);
    free(motors);
    free(loops);
}

void test_laws(const char* const* files, int count, const grbda_load_options* options) {
    State s = make_state(files, count, options);
    double gravity[3];
    CHECK_OK(grbda_gravity(s.model, gravity));
    if (options && options->gravity) CHECK(memcmp(gravity, options->gravity, sizeof gravity) == 0);
    test_names(&s);
    test_dynamics(&s);
    test_derivatives(&s);
    const int frames = grbda_frame_count(s.model);
    for (int frame = 0; frame < frames; frame += 1 + frames / 5) {
        test_frame(&s, frame);
        test_frame_wrench(&s, frame);
    }
    test_configuration(&s);
    test_motors(&s);
    test_data(&s);
    test_allocations(&s);
    destroy_state(&s);
}
