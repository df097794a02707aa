/* Optimal control of the robot in robot.h by multiple shooting and Ipopt: x and u of all nodes are variables,
   and the generated step connects them. Only robots with plain joints, whose x is (y, yd). */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "robot.h"

enum {
    NX = ROBOT_NX,
    NU = ROBOT_NU,
    NV = ROBOT_NV,
    NQ = ROBOT_NQ,
    WIDTH = NX + NU, /* x and u of one node */
    MOST_NODES = 100,
    MOST_VARIABLES = MOST_NODES * WIDTH + NX,
    MOST_EQUATIONS = MOST_NODES * (NX + NU)
};

struct problem {
    int nodes;                                /* steps of the horizon */
    double h;                                 /* length of a step, s */
    double start[NX];                         /* x of the first node */
    double goal[WIDTH], weights[WIDTH];       /* cost of each node: 1/2 sum of weight (value - goal)^2 */
    double last_weights[NX], last_slopes[NX]; /* of the last x: 1/2 weight (x - goal)^2 + slope x */
    double low[WIDTH], high[WIDTH];           /* bounds of x after the start, and of u */
    int (*motors)(const double*, double*,
                  double*);                   /* robot_motors, if motors have limits of speed, or NULL */
    double per_force[NU], per_speed[NU];      /* |per_force u + per_speed theta'| <= 1 for each motor */
    double references[(MOST_NODES + 1) * NQ]; /* closed configurations from which loops are followed */

    double z[MOST_VARIABLES];           /* the plan: x_0 u_0 x_1 u_1 ... x_nodes */
    double multipliers[MOST_EQUATIONS]; /* of the equations, the lower and the upper bounds */
    double low_multipliers[MOST_VARIABLES], high_multipliers[MOST_VARIABLES];
    int iterations; /* of the last solve */
    double cost, seconds;
};

/* Seconds of a clock that only runs forward. */
double now(void);

/* Forces u [NU] that hold x = (y, 0) still, if there are as many as degrees of freedom. Returns a status. */
int hold(const double* x, const double* reference, double* u);

/* Fills the plan with the motion from the start under constant forces u, and its references from the closed
   configuration `reference`. Returns a status. */
int roll_out(struct problem* p, const double* u, const double* reference);

/* Makes the configurations of the plan the references. Returns a status. */
int update_references(struct problem* p);

/* Solves from the plan in p. hessian: "exact" or "limited-memory". Returns Ipopt's status: 0 if solved. */
int solve(struct problem* p, const char* hessian);

/* At most that many iterations from the plan and the multipliers in p, with exact Hessians: one tick of a
 * controller. */
int improve(struct problem* p, int iterations);

/* Moves plan, multipliers and references one node ahead; the last node is doubled. */
void shift(struct problem* p);

#endif
