/* Copies between plain arrays and vectors or matrices, which are plain here, too: column by column. */
#ifndef GRBDA_STUB_BLASFEO_D_AUX_H
#define GRBDA_STUB_BLASFEO_D_AUX_H

#include "acados/utils/external_function_generic.h"

static inline void blasfeo_pack_dvec(int m, double* x, int step, struct blasfeo_dvec* y, int yi) {
    int i;
    for (i = 0; i < m; ++i) y->pa[yi + i] = x[i * step];
}
static inline void blasfeo_unpack_dvec(int m, struct blasfeo_dvec* x, int xi, double* y, int step) {
    int i;
    for (i = 0; i < m; ++i) y[i * step] = x->pa[xi + i];
}
static inline void blasfeo_pack_dmat(int m, int n, double* A, int lda, struct blasfeo_dmat* B, int bi, int bj) {
    int i, j;
    for (j = 0; j < n; ++j)
        for (i = 0; i < m; ++i) B->pA[(bj + j) * B->m + bi + i] = A[j * lda + i];
}

#endif
