#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

// Tests of the C interface. Usage: test_c FOLDER_OF_ROBOTS

int failures = 0;

void fail(const char* file, int line, const char* text) {
    ++failures;
    printf("%s:%d: %s\n    last error: %s\n", file, line, text, grbda_last_error());
}

double gap(const double* a, const double* b, int n) {
    double most = 0, scale = 1;
    for (int i = 0; i < n; ++i) {
        if (!isfinite(a[i]) || !isfinite(b[i])) return HUGE_VAL;
        most = fmax(most, fabs(a[i] - b[i]));
        scale = fmax(scale, 1 + fabs(b[i]));
    }
    return most / scale;
}

double draw(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

void draw_all(unsigned* seed, double* x, int n) {
    for (int i = 0; i < n; ++i) x[i] = draw(seed);
}

double* numbers(int n) {
    double* const x = calloc(n > 0 ? (size_t)n : 1, sizeof(double));
    if (!x) {
        printf("no memory\n");
        exit(2);
    }
    return x;
}

/// Path of a file of a robot, "FOLDER/robot/robot.extension".
static const char* robot_file(char* path, const char* folder, const char* name, const char* extension) {
    snprintf(path, 1000, "%s/%s/%s.%s", folder, name, name, extension);
    return path;
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const char* const robots = argv[1];
    char path[1000], side_path[1000];
    const char* files[2] = {path, side_path};

    const grbda_load_options floating = {.floating_base = 1};
    const double moon[3] = {0.1, -0.2, -1.62};
    const grbda_load_options other = {.keep_rotors = 1, .keep_rods = 1, .gravity = moon};
    static const char* const each[] = {"four_bar",     "slider_crank",     "planar_leg_linkage", "tello",
                                       "mit_humanoid", "stewart_platform", "double_pendulum",    "delta"};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; ++i) {
        printf("%s\n", each[i]);
        robot_file(path, robots, each[i], "urdf");
        test_laws(files, 1, NULL);
        test_laws(files, 1, &other);
    }
    printf("digit_leg\n");
    robot_file(path, robots, "digit_leg", "urdf");
    robot_file(side_path, robots, "digit_leg", "yaml");
    test_laws(files, 2, NULL);
    test_laws(files, 2, &floating);

    test_weight(robot_file(path, robots, "four_bar", "urdf"));
    test_power(path);
    test_power(robot_file(path, robots, "planar_leg_linkage", "urdf"));
    test_errors(robots);
    test_numerical_errors();
    test_threads(robot_file(path, robots, "mit_humanoid", "urdf"));

    CHECK(strcmp(grbda_version(), GRBDA_TEST_VERSION) == 0);
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
