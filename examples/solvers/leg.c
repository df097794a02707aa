/* planar_leg_linkage in a vertical plane: from hanging down to a raised foot. */
#include <stdio.h>

#include "tracking.h"

int main(int count, char** words) {
    static struct problem p = {.nodes = 50,
                               .h = 0.02,
                               .start = {-1.5707963267948966, 0.9},
                               .goal = {0.5, 2.2},
                               .weights = {1, 1, 0.01, 0.01, 0.1, 0.1},
                               .last_weights = {100, 100, 1, 1},
                               /* the linkage stays off its dead centres at 0 and half a turn */
                               .low = {-1e20, 0.3, -1e20, -1e20, -0.25, -0.25},
                               .high = {1e20, 2.8, 1e20, 1e20, 0.25, 0.25}};
    const double guess[NQ] = {-1.5707963267948966, 0.9, -0.9, 0.9};
    double u[NU];
    if (hold(p.goal, guess, p.goal + NX) != ROBOT_OK || hold(p.start, guess, u) != ROBOT_OK ||
        roll_out(&p, u, guess) != ROBOT_OK)
        return fprintf(stderr, "the first guess failed\n"), 1;
    return plan_and_track(count, words, &p, "base_to_thigh,thigh_to_driver,driver_to_foot,thigh_to_support");
}
