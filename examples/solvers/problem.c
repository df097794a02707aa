#include "problem.h"

#include <IpStdCInterface.h>
#include <string.h>

/* Entries of a sparse matrix: Ipopt asks for their places first, then, often, for their values. */
struct entries {
    Index *row, *column;
    Number* value;
    int count;
};

static void put(struct entries* e, int row, int column, double value) {
    if (e->value) {
        e->value[e->count] = value;
    } else if (e->row) {
        e->row[e->count] = row;
        e->column[e->count] = column;
    }
    ++e->count;
}

static int variables(const struct problem* p) { return p->nodes * WIDTH + NX; }

static int equations(const struct problem* p) { return p->nodes * (NX + (p->motors ? NU : 0)); }

static double weight_of(const struct problem* p, int i) {
    return i < p->nodes * WIDTH ? p->weights[i % WIDTH] : p->last_weights[i % WIDTH];
}

static Bool find_cost(Index n, Number* z, Bool fresh, Number* cost, UserDataPtr data) {
    const struct problem* const p = data;
    int i;
    (void)fresh;
    *cost = 0;
    for (i = 0; i < n; ++i)
        *cost += 0.5 * weight_of(p, i) * (z[i] - p->goal[i % WIDTH]) * (z[i] - p->goal[i % WIDTH]);
    for (i = 0; i < NX; ++i) *cost += p->last_slopes[i] * z[p->nodes * WIDTH + i];
    return TRUE;
}

static Bool find_gradient(Index n, Number* z, Bool fresh, Number* gradient, UserDataPtr data) {
    const struct problem* const p = data;
    int i;
    (void)fresh;
    for (i = 0; i < n; ++i) gradient[i] = weight_of(p, i) * (z[i] - p->goal[i % WIDTH]);
    for (i = 0; i < NX; ++i) gradient[p->nodes * WIDTH + i] += p->last_slopes[i];
    return TRUE;
}

/* Positions of the motors at x of a node, and their change with y, J [NU x NV], column by column. */
static int find_motors(const struct problem* p, const double* z, int node, double* theta, double* J) {
    double q[NQ];
    const int status = robot_configuration(z + node * WIDTH, p->references + node * NQ, q);
    return status != ROBOT_OK ? status : p->motors(q, theta, J);
}

/* The change from one x to the next that the step does not explain; then forces and speeds of the motors, in
   parts of their limit. The speed of a step is the change of position in it, whose derivatives are J of both
   ends. Where it returns FALSE, Ipopt shortens its step. */
static Bool find_equations(Index n, Number* z, Bool fresh, Index m, Number* value, UserDataPtr data) {
    const struct problem* const p = data;
    double theta[2][NU], J[NU * NV];
    int k, i;
    (void)n, (void)fresh, (void)m;
    for (k = 0; k < p->nodes; ++k, value += NX) {
        const double *const node = z + k * WIDTH, *const reference = p->references + k * NQ;
        if (robot_step(node, node + NX, reference, reference, p->h, value) != ROBOT_OK) return FALSE;
        for (i = 0; i < NX; ++i) value[i] -= node[WIDTH + i];
    }
    if (!p->motors) return TRUE;
    if (find_motors(p, z, 0, theta[0], J) != ROBOT_OK) return FALSE;
    for (k = 0; k < p->nodes; ++k, value += NU) {
        if (find_motors(p, z, k + 1, theta[(k + 1) % 2], J) != ROBOT_OK) return FALSE;
        for (i = 0; i < NU; ++i)
            value[i] = p->per_force[i] * z[k * WIDTH + NX + i] +
                       p->per_speed[i] / p->h * (theta[(k + 1) % 2][i] - theta[k % 2][i]);
    }
    return TRUE;
}

static Bool put_motors(const struct problem* p, const double* z, struct entries* e) {
    double theta[NU], J[2][NU * NV] = {{0}};
    int k, m, j;
    if (e->value && find_motors(p, z, 0, theta, J[0]) != ROBOT_OK) return FALSE;
    for (k = 0; k < p->nodes; ++k) {
        const double *const here = J[k % 2], *const there = J[(k + 1) % 2];
        if (e->value && find_motors(p, z, k + 1, theta, J[(k + 1) % 2]) != ROBOT_OK) return FALSE;
        for (m = 0; m < NU; ++m) {
            const int row = p->nodes * NX + k * NU + m;
            const double per_change = p->per_speed[m] / p->h;
            put(e, row, k * WIDTH + NX + m, p->per_force[m]);
            for (j = 0; j < NV; ++j) {
                put(e, row, k * WIDTH + j, -per_change * here[NU * j + m]);
                put(e, row, (k + 1) * WIDTH + j, per_change * there[NU * j + m]);
            }
        }
    }
    return TRUE;
}

static Bool put_jacobian(const struct problem* p, const double* z, struct entries* e) {
    int k, i, j;
    for (k = 0; k < p->nodes; ++k) {
        double next[NX], J[NX * ROBOT_COLUMNS] = {0};
        const double* const reference = p->references + k * NQ;
        if (e->value && robot_step_jacobian(z + k * WIDTH, z + k * WIDTH + NX, reference, reference, p->h,
                                            next, J) != ROBOT_OK)
            return FALSE;
        for (i = 0; i < NX; ++i) {
            for (j = 0; j < WIDTH; ++j) put(e, k * NX + i, k * WIDTH + j, J[NX * j + i]);
            put(e, k * NX + i, (k + 1) * WIDTH + i, -1);
        }
    }
    return p->motors ? put_motors(p, z, e) : TRUE;
}

static Bool find_jacobian(Index n, Number* z, Bool fresh, Index m, Index count, Index* row, Index* column,
                          Number* value, UserDataPtr data) {
    struct entries e = {row, column, value, 0};
    (void)n, (void)fresh, (void)m, (void)count;
    return put_jacobian(data, z, &e);
}

/* Adds the second derivatives by y of the limits of the motors at a node, times their multipliers: central
   differences of J, whose change with y is symmetric. */
static Bool add_motors(const struct problem* p, const double* z, int node, const double* multipliers,
                       double* H) {
    const double distance = 1e-5;
    double weights[NU], theta[NU], J[2][NU * NV], x[NX];
    int i, j, m;
    for (m = 0; m < NU; ++m) {
        const double before = node > 0 ? multipliers[(node - 1) * NU + m] : 0;
        const double after = node < p->nodes ? multipliers[node * NU + m] : 0;
        weights[m] = (before - after) * p->per_speed[m] / p->h / (2 * distance);
    }
    for (i = 0; i < NV; ++i) {
        double q[NQ];
        for (j = 0; j < 2; ++j) {
            memcpy(x, z + node * WIDTH, sizeof x);
            x[i] += j == 0 ? -distance : distance;
            if (robot_configuration(x, p->references + node * NQ, q) != ROBOT_OK ||
                p->motors(q, theta, J[j]) != ROBOT_OK)
                return FALSE;
        }
        for (j = 0; j <= i; ++j)
            for (m = 0; m < NU; ++m)
                H[ROBOT_COLUMNS * j + i] += weights[m] * (J[1][NU * j + m] - J[0][NU * j + m]);
    }
    return TRUE;
}

/* Lower triangles of the nodes, the last of which has no u. */
static Bool put_hessian(const struct problem* p, const double* z, double scale, const double* multipliers,
                        struct entries* e) {
    int k, i, j;
    for (k = 0; k <= p->nodes; ++k) {
        double H[ROBOT_COLUMNS * ROBOT_COLUMNS] = {0};
        const double *const reference = p->references + k * NQ, *const node = z + k * WIDTH;
        const int last = k == p->nodes, at = k * WIDTH;
        if (e->value && !last &&
            robot_step_hessian(node, node + NX, reference, reference, p->h, multipliers + k * NX, H))
            return FALSE;
        if (e->value && p->motors && !add_motors(p, z, k, multipliers + p->nodes * NX, H)) return FALSE;
        for (i = 0; i < (last ? NX : WIDTH); ++i)
            for (j = 0; j <= i; ++j)
                put(e, at + i, at + j,
                    H[ROBOT_COLUMNS * j + i] + (i == j ? scale * weight_of(p, at + i) : 0));
    }
    return TRUE;
}

static Bool find_hessian(Index n, Number* z, Bool fresh, Number scale, Index m, Number* multipliers,
                         Bool fresh_too, Index count, Index* row, Index* column, Number* value,
                         UserDataPtr data) {
    struct entries e = {row, column, value, 0};
    (void)n, (void)fresh, (void)m, (void)fresh_too, (void)count;
    return put_hessian(data, z, scale, multipliers, &e);
}

static Bool count_iterations(Index mode, Index iteration, Number cost, Number infeasible, Number dual,
                             Number mu, Number norm, Number size, Number dual_length, Number length,
                             Index trials, UserDataPtr data) {
    struct problem* const p = data;
    (void)mode, (void)cost, (void)infeasible, (void)dual, (void)mu, (void)norm, (void)size;
    (void)dual_length, (void)length, (void)trials;
    p->iterations = iteration;
    return TRUE;
}

static IpoptProblem create(struct problem* p) {
    static Number low[MOST_VARIABLES], high[MOST_VARIABLES], least[MOST_EQUATIONS], most[MOST_EQUATIONS];
    struct entries jacobian = {0}, hessian = {0};
    IpoptProblem problem;
    int i;
    for (i = 0; i < variables(p); ++i) {
        low[i] = i < NX ? p->start[i] : p->low[i % WIDTH];
        high[i] = i < NX ? p->start[i] : p->high[i % WIDTH];
    }
    for (i = 0; i < equations(p); ++i) {
        most[i] = i < p->nodes * NX ? 0 : 1;
        least[i] = -most[i];
    }
    put_jacobian(p, p->z, &jacobian);
    put_hessian(p, p->z, 0, p->multipliers, &hessian);
    problem =
        CreateIpoptProblem(variables(p), low, high, equations(p), least, most, jacobian.count, hessian.count,
                           0, find_cost, find_equations, find_gradient, find_jacobian, find_hessian);
    AddIpoptStrOption(problem, "sb", "yes");
    AddIpoptIntOption(problem, "print_level", 0);
    AddIpoptNumOption(problem, "bound_relax_factor", 0);
    SetIntermediateCallback(problem, count_iterations);
    return problem;
}

static int run(IpoptProblem problem, struct problem* p) {
    const double begin = now();
    const int status =
        IpoptSolve(problem, p->z, NULL, &p->cost, p->multipliers, p->low_multipliers, p->high_multipliers, p);
    p->seconds = now() - begin;
    FreeIpoptProblem(problem);
    return status;
}

int solve(struct problem* p, const char* hessian) {
    const IpoptProblem problem = create(p);
    AddIpoptStrOption(problem, "hessian_approximation", (char*)hessian);
    return run(problem, p);
}

int improve(struct problem* p, int iterations) {
    const IpoptProblem problem = create(p);
    AddIpoptStrOption(problem, "warm_start_init_point", "yes");
    AddIpoptNumOption(problem, "warm_start_bound_push", 1e-6);
    AddIpoptNumOption(problem, "warm_start_mult_bound_push", 1e-6);
    AddIpoptNumOption(problem, "mu_init", 1e-4);
    AddIpoptIntOption(problem, "max_iter", iterations);
    return run(problem, p);
}
