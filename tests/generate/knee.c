/* A leg bends its knee, a parallelogram, from 0.9 to -0.9 rad. On the way it is flat: two assembly modes
   cross there, and loops cannot be followed from one side to the other. Therefore each side has a reference.
   Prints status, cost and number of iterations, then the angle of the knee at the nodes.

   usage: knee exact | limited-memory */
#define NODES 50
#define WEIGHTS \
    { 1, 1, 0.01, 0.01, 1, 1 }
#define LAST_WEIGHTS \
    { 100, 100, 1, 1 }
#include "shooting.h"

static double references[2][ROBOT_NQ];

static const double* reference_of(const double* x) { return references[x[1] < 0]; }

/* a closed configuration: q are thigh, driver, foot and support, and all sides of a parallelogram turn alike
 */
static int put_reference(double driver, double* q) {
    q[0] = -1.5;
    q[1] = q[3] = driver;
    q[2] = -driver;
    return robot_close(q) == ROBOT_OK;
}

int main(int arguments, char** argument) {
    const double start[ROBOT_NX] = {-2.0, 0.9, 0, 0}, still[ROBOT_NV] = {0};
    double q[ROBOT_NQ];
    int i, k, status;
    if (arguments != 2 || !put_reference(0.3, references[0]) || !put_reference(-0.3, references[1])) return 2;
    goal[0] = -1.1;
    goal[1] = -0.9;
    if (robot_configuration(goal, references[0], q) != ROBOT_FOLD)
        return 3; /* not followed from the other side */
    if (robot_configuration(goal, references[1], q) != ROBOT_OK ||
        robot_rnea(q, still, still, goal + ROBOT_NX) != ROBOT_OK)
        return 1;
    for (k = 0; k <= NODES; ++k) {
        double* const node = z + k * WIDTH;
        for (i = 0; i < ROBOT_NV; ++i) node[i] = start[i] + (goal[i] - start[i]) * k / (NODES + 0.5);
        for (i = ROBOT_NX; k < NODES && i < WIDTH; ++i) node[i] = goal[i];
    }
    status = solve(start, 0.25, argument[1]);
    for (k = 0; k <= NODES; ++k) printf("%.6f\n", z[k * WIDTH + 1]);
    return status;
}
