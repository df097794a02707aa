#include <grbda/c.h>
#include <stdio.h>
#include <stdlib.h>

// Lets a robot fall for a second and prints where its last frame moves. Usage: fall ROBOT_FILE…

static void check(grbda_status status) {
    if (status == GRBDA_OK) return;
    fprintf(stderr, "%s\n", grbda_last_error());
    exit(1);
}

int main(int argc, char** argv) {
    grbda_model* model;
    grbda_data* data;
    check(grbda_load((const char* const*)argv + 1, argc - 1, NULL, &model));
    check(grbda_data_create(model, &data));  // one for each thread

    const size_t nq = (size_t)grbda_nq(model), nv = (size_t)grbda_nv(model);
    double* const q = calloc(nq + 4 * nv, sizeof(double));  // all joints
    if (!q) return 1;
    double *const yd = q + nq, *const ydd = yd + nv, *const tau = ydd + nv, *const move = tau + nv;
    check(grbda_neutral(model, q));

    const double step = 1e-3;
    const int frame = grbda_frame_count(model) - 1;
    for (int i = 0; i <= 1000; ++i) {
        if (i % 250 == 0) {
            double position[3];
            check(grbda_forward_kinematics(model, data, q, yd, NULL));
            check(grbda_frame_pose(model, data, frame, NULL, position));
            printf("%.2f s  %s at %6.3f %6.3f %6.3f m\n", i * step, grbda_frame_name(model, frame),
                   position[0], position[1], position[2]);
        }
        check(grbda_passive_forces(model, data, q, yd, tau));  // dampers and springs of the file
        check(grbda_aba(model, data, q, yd, tau, NULL, ydd));
        for (size_t j = 0; j < nv; ++j) move[j] = step * (yd[j] += step * ydd[j]);
        check(grbda_integrate(model, data, q, move, q));  // loops stay closed
    }
    free(q);
    grbda_data_destroy(data);
    grbda_model_destroy(model);
    return 0;
}
