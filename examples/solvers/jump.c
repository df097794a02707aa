/* A leg stretches as fast as its motor allows. The motor drives the knee by a four-bar, whose ratio changes
   as the leg stretches. Three plans on the same model differ in their limits:

   - "motors": the motor's force, and its line of force and speed, through J_m;
   - "box": largest force and speed of the knee as in a serial model, the motor's by the ratio at q = 0;
   - "small box": the same by the worst ratios of the motion, below the line.

   Each plan is then followed by a motor that yields no more than it can. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem.h"

enum { KNEE = 0, MOTOR = 1 }; /* inputs: order of the joints in q */

static const double most_force = 5, stall_force = 12, no_load_speed = 120; /* N m and rad/s of the motor */

struct jump {
    struct problem problem;
    const char* name;
    double load;    /* largest part of the motor's limits that the plan needs */
    double reached; /* speed that the motor reaches by following it, m/s */
};

/* Part of its limits that the motor needs for a force while it drives. */
static double load_of(double force, double speed) {
    return fmax(fabs(force) / most_force, fabs(force / stall_force + speed / no_load_speed));
}

static double allowed(double force, double speed) {
    const double line = stall_force * (1 - speed / no_load_speed);
    return fmax(fmin(force, fmin(most_force, line)), -most_force);
}

/* Ratio of the motor's speed to the knee's at q. */
static double ratio(const double* q, double* J) {
    double theta[NU];
    return robot_motors(q, theta, J) == ROBOT_OK ? J[MOTOR] / J[KNEE] : NAN;
}

/* Ratios at q = 0, and the least and the most on the way from the lowest to the highest position. */
static void find_ratios(const struct problem* p, double* home, double* least, double* most) {
    double q[NQ] = {0}, J[NU];
    int k;
    *home = *least = *most = ratio(q, J);
    for (k = 0; k <= 100; ++k) {
        const double x = p->low[0] + k * (p->high[0] - p->low[0]) / 100;
        double closed[NQ], r;
        r = robot_configuration(&x, q, closed) == ROBOT_OK ? ratio(closed, J) : NAN;
        *least = fmin(*least, r);
        *most = fmax(*most, r);
    }
}

/* The largest box below the motor's limits has its corner where force and line meet. */
static double corner_speed(void) { return no_load_speed * (1 - most_force / stall_force); }

static void set_box(struct problem* p, double effort, double velocity) {
    p->low[NX + KNEE] = -effort;
    p->high[NX + KNEE] = effort;
    p->per_speed[KNEE] = 1 / velocity;
}

/* From the squat; the guess is that nothing moves. */
static int plan(struct jump* jump) {
    struct problem* const p = &jump->problem;
    const double home[NQ] = {0};
    int k, status = robot_configuration(p->start, home, p->references);
    for (k = 0; k <= p->nodes; ++k) memcpy(p->z + k * WIDTH, p->start, sizeof p->start);
    for (k = 0; k < p->nodes; ++k) memcpy(p->references + (k + 1) * NQ, p->references, sizeof home);
    if (status != ROBOT_OK) return status;
    status = solve(p, "exact");
    return status != 0 ? status : update_references(p);
}

/* Finds and writes what the plan asks of the motor. */
static void record(struct jump* jump, FILE* file) {
    const struct problem* const p = &jump->problem;
    int k;
    for (k = 0; k < p->nodes; ++k) {
        const double *const node = p->z + k * WIDTH, *const q = p->references + k * NQ;
        double J[NU];
        const double force = node[NX + MOTOR] + node[NX + KNEE] / ratio(q, J), speed = J[MOTOR] * node[NV];
        jump->load = fmax(jump->load, load_of(force, speed));
        fprintf(file, "%s,%g,%g,%g,%g,%g", jump->name, k * p->h, 0.4 + node[0], node[NV], force, speed);
        fprintf(file, ",%g,%g,%g,%g\n", q[1], q[2], q[3], q[4]);
    }
}

/* Follows the forces of the plan, as far as the motor yields them, up to the last height of the plan. */
static void follow(struct jump* jump) {
    const struct problem* const p = &jump->problem;
    const double end = p->z[p->nodes * WIDTH];
    double x[NX], q[NQ];
    int k;
    memcpy(x, p->start, sizeof x);
    memcpy(q, p->references, sizeof q);
    for (k = 0; k < 2 * p->nodes && x[0] < end - 1e-6; ++k) {
        const double* const wanted = p->z + (k < p->nodes ? k : p->nodes - 1) * WIDTH + NX;
        double u[NU] = {0}, J[NU], next[NX], closed[NQ];
        const double force = wanted[MOTOR] + wanted[KNEE] / ratio(q, J);
        u[MOTOR] = allowed(force, J[MOTOR] * x[NV]);
        if (robot_step(x, u, q, q, p->h, next) != ROBOT_OK ||
            robot_configuration(next, q, closed) != ROBOT_OK)
            break;
        memcpy(x, next, sizeof x);
        memcpy(q, closed, sizeof q);
    }
    jump->reached = x[0] < end - 1e-6 ? NAN : x[NV];
}

static void set_up(struct problem* p) {
    p->nodes = 50;
    p->h = 0.005;
    p->start[0] = -0.11;
    p->last_slopes[NV] = -1; /* as fast as possible at the end */
    p->low[0] = p->start[0], p->high[0] = 0.08;
    p->low[NV] = 0, p->high[NV] = 1e20; /* no swing */
    p->motors = robot_motors;
}

static void set_limits(struct jump* jumps) {
    struct problem* const motors = &jumps[0].problem;
    double home, least, most;
    find_ratios(motors, &home, &least, &most);
    printf("ratio of motor to knee: %.2f at q = 0, from %.2f to %.2f in the motion\n", home, least, most);
    motors->low[NX + MOTOR] = -most_force;
    motors->high[NX + MOTOR] = most_force;
    motors->per_force[MOTOR] = 1 / stall_force;
    motors->per_speed[MOTOR] = 1 / no_load_speed;
    set_box(&jumps[1].problem, most_force * home, no_load_speed / home);
    set_box(&jumps[2].problem, most_force * least, corner_speed() / most);
}

static void report(const struct jump* jump, int status) {
    const struct problem* const p = &jump->problem;
    printf("%s: status %d, %d iterations, %.1f ms; ", jump->name, status, p->iterations, 1e3 * p->seconds);
    printf("plans %.3f m/s, needs %.0f %% of the motor, which reaches %.3f m/s\n",
           p->z[p->nodes * WIDTH + NV], 100 * jump->load, jump->reached);
}

int main(int count, char** words) {
    static struct jump jumps[3] = {{.name = "motors"}, {.name = "box"}, {.name = "small box"}};
    FILE* const file = fopen(count > 1 ? words[1] : "jump.csv", "w");
    int i, failed = 0;
    if (!file) return fprintf(stderr, "cannot write the motion\n"), 1;
    fprintf(file, "plan,time,height,speed,force,motor_speed,hip,knee,crank,rod\n");
    for (i = 0; i < 3; ++i) set_up(&jumps[i].problem);
    set_limits(jumps);
    for (i = 0; i < 3; ++i) {
        const int status = plan(&jumps[i]);
        record(&jumps[i], file);
        follow(&jumps[i]);
        report(&jumps[i], status);
        failed += status != 0;
    }
    return fclose(file) != 0 || failed > 0;
}
