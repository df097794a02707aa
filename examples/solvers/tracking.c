#include "tracking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBSTEPS = 20, ITERATIONS = 4, MOST_TICKS = 1000, OUT_OF_ITERATIONS = -1 };

/* time, q, x, u, and the time that the plan took */
static void write_header(FILE* file, const char* joints) {
    int i;
    fprintf(file, "time,%s", joints);
    for (i = 0; i < NX; ++i) fprintf(file, ",x%d", i);
    for (i = 0; i < NU; ++i) fprintf(file, ",u%d", i);
    fprintf(file, ",milliseconds\n");
}

static void write_row(FILE* file, double time, const double* q, const double* x, const double* u,
                      double seconds) {
    int i;
    fprintf(file, "%g", time);
    for (i = 0; i < NQ; ++i) fprintf(file, ",%.9g", q[i]);
    for (i = 0; i < NX; ++i) fprintf(file, ",%.9g", x[i]);
    for (i = 0; i < NU; ++i) fprintf(file, ",%.9g", u[i]);
    fprintf(file, ",%.4g\n", 1e3 * seconds);
}

/* The real robot: twenty short steps under constant forces. */
static int move_robot(double* x, double* q, const double* u, double h) {
    int k, status = ROBOT_OK;
    for (k = 0; k < SUBSTEPS && status == ROBOT_OK; ++k) {
        double next[NX], closed[NQ];
        status = robot_step(x, u, q, q, h / SUBSTEPS, next);
        if (status == ROBOT_OK) status = robot_configuration(next, q, closed);
        if (status != ROBOT_OK) break;
        memcpy(x, next, sizeof next);
        memcpy(q, closed, sizeof closed);
    }
    return status;
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double distance(const struct problem* p, const double* x) {
    double most = 0;
    int i;
    for (i = 0; i < NV; ++i) most = fmax(most, fabs(x[i] - p->goal[i]));
    return most;
}

/* One plan for each step, from where the robot is; the time is that of everything that a controller does. */
static int track(struct problem* p, FILE* file) {
    double q[NQ], seconds[MOST_TICKS];
    int tick, status, ticks = (int)(2 / p->h + 0.5), iterations = 0;
    if (ticks > MOST_TICKS) ticks = MOST_TICKS;
    memcpy(q, p->references, sizeof q);
    for (tick = 0; tick < ticks; ++tick) {
        const double begin = now();
        double u[NU];
        memcpy(p->z, p->start, sizeof p->start);
        if (update_references(p) != ROBOT_OK)
            return fprintf(stderr, "the plan leaves the assembly mode\n"), 1;
        status = improve(p, ITERATIONS);
        if (status != 0 && status != 1 && status != OUT_OF_ITERATIONS)
            return fprintf(stderr, "Ipopt failed with status %d\n", status), 1;
        memcpy(u, p->z + NX, sizeof u);
        iterations += p->iterations;
        seconds[tick] = now() - begin;
        if (file) write_row(file, tick * p->h, q, p->start, u, seconds[tick]);
        if (move_robot(p->start, q, u, p->h) != ROBOT_OK) return fprintf(stderr, "the robot failed\n"), 1;
        shift(p);
    }
    qsort(seconds, (size_t)ticks, sizeof *seconds, compare);
    printf("mpc: %d plans, %.1f iterations each, median %.2f ms, longest %.2f ms; %.1e rad from the goal\n",
           ticks, (double)iterations / ticks, 1e3 * seconds[ticks / 2], 1e3 * seconds[ticks - 1],
           distance(p, p->start));
    return 0;
}

int plan_and_track(int count, char** words, struct problem* p, const char* joints) {
    const char *hessian = "exact", *place = NULL;
    FILE* file = NULL;
    int i, k, status, receding = 0;
    for (i = 1; i < count; ++i) {
        if (strcmp(words[i], "mpc") == 0)
            receding = 1;
        else if (strcmp(words[i], "limited-memory") == 0)
            hessian = words[i];
        else if (strstr(words[i], ".csv"))
            place = words[i];
        else
            return fprintf(stderr, "usage: %s [mpc] [limited-memory] [FILE.csv]; found '%s'\n", words[0],
                           words[i]),
                   2;
    }
    status = solve(p, hessian);
    printf("plan: status %d, %d iterations, cost %.6f, %.1f ms\n", status, p->iterations, p->cost,
           1e3 * p->seconds);
    if (status != 0 || update_references(p) != ROBOT_OK) return 1;
    if (place && !(file = fopen(place, "w"))) return fprintf(stderr, "cannot write %s\n", place), 1;
    if (file) write_header(file, joints);
    for (k = 0; file && !receding && k < p->nodes; ++k)
        write_row(file, k * p->h, p->references + k * NQ, p->z + k * WIDTH, p->z + k * WIDTH + NX, 0);
    if (receding) status = track(p, file);
    if (file && fclose(file) != 0) return fprintf(stderr, "cannot write %s\n", place), 1;
    return status;
}
