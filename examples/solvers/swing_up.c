/* The swing-up of docs/mpc.md: a crank-rocker from hanging down to standing up, by a motor too weak to lift
 * it slowly. */
#include <stdio.h>

#include "tracking.h"

int main(int count, char** words) {
    const double quarter = 1.5707963267948966, home[NQ] = {0};
    static struct problem p = {.nodes = 60,
                               .h = 0.02,
                               .weights = {1, 0.01, 0.1},
                               .last_weights = {100, 1},
                               .low = {-1e20, -1e20, -0.6},
                               .high = {1e20, 1e20, 0.6}};
    p.start[0] = -quarter;
    p.goal[0] = quarter;
    if (hold(p.goal, home, p.goal + NX) != ROBOT_OK || roll_out(&p, p.goal + NX, home) != ROBOT_OK)
        return fprintf(stderr, "the first guess failed\n"), 1;
    return plan_and_track(count, words, &p, "crank,coupler,rocker");
}
