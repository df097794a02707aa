/* The places of vectors and matrices that acados passes to generic functions, for tests without acados. */
#ifndef GRBDA_STUB_EXTERNAL_FUNCTION_GENERIC_H
#define GRBDA_STUB_EXTERNAL_FUNCTION_GENERIC_H

struct blasfeo_dvec {
    int m;
    double* pa;
};
struct blasfeo_dmat {
    int m, n;
    double* pA;
};

struct blasfeo_dvec_args {
    struct blasfeo_dvec* x;
    int xi;
};
struct blasfeo_dmat_args {
    struct blasfeo_dmat* A;
    int ai, aj;
};

#endif
