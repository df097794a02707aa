/* Forward dynamics of one robot without any library: tello.h and tello.c are generated (CMakeLists.txt). */
#include <stdio.h>

#include "tello.h"

int main(void) {
    double q[TELLO_NQ] = {0}, yd[TELLO_NV] = {0}, tau[TELLO_NV], ydd[TELLO_NV];
    int status, i;
    if (tello_self_check() != 0) return 1;
    q[6] = 1; /* the base stands upright: a quaternion x y z w */
    for (i = 7; i < TELLO_NQ; ++i) q[i] = 0.05;
    status = tello_close(q);
    if (status == TELLO_OK) status = tello_bias(q, yd, tau); /* what holds it still */
    for (i = 0; i < 6; ++i) tau[i] = 0;                      /* nothing holds the base */
    if (status == TELLO_OK) status = tello_aba(q, yd, tau, ydd);
    if (status != TELLO_OK) return 2;
    printf("ydd =");
    for (i = 0; i < TELLO_NV; ++i) printf(" %.3f", ydd[i]);
    printf("\n");
    return 0;
}
