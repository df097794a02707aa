/* The functions of problem.h that need no solver. */
#include <string.h>
#include <time.h>

#include "problem.h"

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int hold(const double* x, const double* reference, double* u) {
    double still[NX] = {0}, next[NX], J[NX * ROBOT_COLUMNS], B[NV][NV];
    const double none[NU] = {0};
    int status, i, j, k;
    memcpy(still, x, NV * sizeof *still);
    status = robot_step_jacobian(still, none, reference, reference, 1e-3, next, J);
    for (i = 0; i < NV; ++i) {
        u[i] = -next[NV + i];
        for (j = 0; j < NV; ++j) B[i][j] = J[NX * (NX + j) + NV + i];
    }
    for (k = 0; k < NV; ++k) /* elimination without pivots: B is h times the inverse mass matrix */
        for (i = 0; i < NV; ++i) {
            const double factor = B[i][k] / B[k][k];
            if (i == k) continue;
            for (j = k; j < NV; ++j) B[i][j] -= factor * B[k][j];
            u[i] -= factor * u[k];
        }
    for (k = 0; k < NV; ++k) u[k] /= B[k][k];
    return status;
}

int roll_out(struct problem* p, const double* u, const double* reference) {
    int k, status = robot_configuration(p->start, reference, p->references);
    memcpy(p->z, p->start, sizeof p->start);
    for (k = 0; k < p->nodes && status == ROBOT_OK; ++k) {
        double *const node = p->z + k * WIDTH, *const q = p->references + k * NQ;
        memcpy(node + NX, u, NU * sizeof *u);
        status = robot_step(node, node + NX, q, q, p->h, node + WIDTH);
        if (status == ROBOT_OK) status = robot_configuration(node + WIDTH, q, q + NQ);
    }
    return status;
}

int update_references(struct problem* p) {
    int k, status = ROBOT_OK;
    for (k = 0; k <= p->nodes && status == ROBOT_OK; ++k) {
        double q[NQ], *const reference = p->references + k * NQ;
        status = robot_configuration(p->z + k * WIDTH, reference, q);
        if (status == ROBOT_OK) memcpy(reference, q, sizeof q);
    }
    return status;
}

/* Moves `count` numbers to the front by `by`; the last `by` numbers stay where they are, too. */
static void move(double* values, int count, int by) {
    memmove(values, values + by, (size_t)(count - by) * sizeof *values);
}

void shift(struct problem* p) {
    const int variables = p->nodes * WIDTH + NX;
    move(p->z, variables, WIDTH);
    move(p->low_multipliers, variables, WIDTH);
    move(p->high_multipliers, variables, WIDTH);
    move(p->multipliers, p->nodes * NX, NX);
    move(p->references, (p->nodes + 1) * NQ, NQ);
}
