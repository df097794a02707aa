/* Multiple shooting by Ipopt on generated steps: x and u of all nodes are variables. A program defines NODES,
   WEIGHTS of x and u, LAST_WEIGHTS of the last x, and which reference a state has. */
#include <IpStdCInterface.h>
#include <stdio.h>
#include <stdlib.h>

#include "robot.h"

enum {
    WIDTH = ROBOT_NX + ROBOT_NU,
    VARIABLES = NODES * WIDTH + ROBOT_NX,
    EQUATIONS = NODES * ROBOT_NX,
    ENTRIES = NODES * (ROBOT_NX * WIDTH + ROBOT_NX),
    CURVATURES = NODES * (WIDTH * (WIDTH + 1) / 2) + ROBOT_NX
};

static const double step = 0.02, half_turn = 3.14159265358979323846;
static const double weights[WIDTH] = WEIGHTS, last_weights[ROBOT_NX] = LAST_WEIGHTS;
static double goal[WIDTH], z[VARIABLES];
static int iterations;

static const double* reference_of(const double* x);

static double weight_of(int i) { return i < NODES * WIDTH ? weights[i % WIDTH] : last_weights[i % WIDTH]; }

static Bool find_cost(Index n, Number* z, Bool fresh, Number* cost, UserDataPtr data) {
    int i;
    (void)n, (void)fresh, (void)data;
    *cost = 0;
    for (i = 0; i < VARIABLES; ++i)
        *cost += 0.5 * weight_of(i) * (z[i] - goal[i % WIDTH]) * (z[i] - goal[i % WIDTH]);
    return TRUE;
}

static Bool find_gradient(Index n, Number* z, Bool fresh, Number* gradient, UserDataPtr data) {
    int i;
    (void)n, (void)fresh, (void)data;
    for (i = 0; i < VARIABLES; ++i) gradient[i] = weight_of(i) * (z[i] - goal[i % WIDTH]);
    return TRUE;
}

/* by how much steps miss the next state; FALSE makes Ipopt shorten its step */
static Bool find_gaps(Index n, Number* z, Bool fresh, Index m, Number* gaps, UserDataPtr data) {
    int k, i;
    (void)n, (void)fresh, (void)m, (void)data;
    for (k = 0; k < NODES; ++k, z += WIDTH, gaps += ROBOT_NX) {
        if (robot_step(z, z + ROBOT_NX, reference_of(z), reference_of(z), step, gaps) != ROBOT_OK)
            return FALSE;
        for (i = 0; i < ROBOT_NX; ++i) gaps[i] -= z[WIDTH + i];
    }
    return TRUE;
}

/* row by row of the gaps: by x and u of the node, then by its part of the next state */
static Bool find_jacobian(Index n, Number* z, Bool fresh, Index m, Index entries, Index* row, Index* column,
                          Number* value, UserDataPtr data) {
    int k, i, j, at = 0;
    (void)n, (void)fresh, (void)m, (void)entries, (void)data;
    for (k = 0; k < NODES; ++k) {
        double next[ROBOT_NX], J[ROBOT_NX * ROBOT_COLUMNS];
        const double* const node = value ? z + k * WIDTH : NULL;
        if (node && robot_step_jacobian(node, node + ROBOT_NX, reference_of(node), reference_of(node), step,
                                        next, J) != ROBOT_OK)
            return FALSE;
        for (i = 0; i < ROBOT_NX; ++i)
            for (j = 0; j <= WIDTH; ++j, ++at)
                if (value) {
                    value[at] = j < WIDTH ? J[ROBOT_NX * j + i] : -1;
                } else {
                    row[at] = k * ROBOT_NX + i;
                    column[at] = k * WIDTH + (j < WIDTH ? j : WIDTH + i);
                }
    }
    return TRUE;
}

/* lower triangles of the nodes, then the diagonal of the last state */
static Bool find_hessian(Index n, Number* z, Bool fresh, Number scale, Index m, Number* multipliers,
                         Bool fresh_too, Index entries, Index* row, Index* column, Number* value,
                         UserDataPtr data) {
    int k, i, j, at = 0;
    (void)n, (void)fresh, (void)m, (void)fresh_too, (void)entries, (void)data;
    for (k = 0; k < NODES; ++k) {
        double H[ROBOT_COLUMNS * ROBOT_COLUMNS];
        const double* const node = value ? z + k * WIDTH : NULL;
        if (node && robot_step_hessian(node, node + ROBOT_NX, reference_of(node), reference_of(node), step,
                                       multipliers + k * ROBOT_NX, H) != ROBOT_OK)
            return FALSE;
        for (i = 0; i < WIDTH; ++i)
            for (j = 0; j <= i; ++j, ++at)
                if (value) {
                    value[at] = H[ROBOT_COLUMNS * j + i] + (i == j ? scale * weights[i] : 0);
                } else {
                    row[at] = k * WIDTH + i;
                    column[at] = k * WIDTH + j;
                }
    }
    for (i = 0; i < ROBOT_NX; ++i, ++at)
        if (value)
            value[at] = scale * last_weights[i];
        else
            row[at] = column[at] = NODES * WIDTH + i;
    return TRUE;
}

static Bool count(Index mode, Index iteration, Number cost, Number infeasible, Number dual, Number mu,
                  Number norm, Number size, Number dual_length, Number length, Index trials,
                  UserDataPtr data) {
    (void)mode, (void)cost, (void)infeasible, (void)dual, (void)mu, (void)norm, (void)size;
    (void)dual_length, (void)length, (void)trials, (void)data;
    iterations = iteration;
    return TRUE;
}

/* from the guess in z, with a fixed start and limited inputs; prints status, cost and number of iterations */
static int solve(const double* start, double limit, char* hessian) {
    static double low[VARIABLES], high[VARIABLES], zeros[EQUATIONS];
    IpoptProblem problem;
    double cost = 0;
    int i, status;
    for (i = 0; i < VARIABLES; ++i) {
        const int is_input = i % WIDTH >= ROBOT_NX;
        low[i] = i < ROBOT_NX ? start[i] : is_input ? -limit : -1e20;
        high[i] = i < ROBOT_NX ? start[i] : is_input ? limit : 1e20;
    }
    problem = CreateIpoptProblem(VARIABLES, low, high, EQUATIONS, zeros, zeros, ENTRIES, CURVATURES, 0,
                                 find_cost, find_gaps, find_gradient, find_jacobian, find_hessian);
    AddIpoptStrOption(problem, "hessian_approximation", hessian);
    AddIpoptStrOption(problem, "sb", "yes");
    AddIpoptIntOption(problem, "print_level", 0);
    AddIpoptNumOption(problem, "bound_relax_factor", 0);
    SetIntermediateCallback(problem, count);
    status = IpoptSolve(problem, z, NULL, &cost, NULL, NULL, NULL, NULL);
    FreeIpoptProblem(problem);
    printf("%d %.9f %d\n", status, cost, iterations);
    return status;
}
