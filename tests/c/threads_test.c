#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

// Two threads with one model compute what one computes, bit by bit, and each has its own last error.

enum { states = 200 };

typedef struct Job {
    const grbda_model* model;
    unsigned seed;
    double* results;  // [nv × states]
    int failed;
    char error[300];
} Job;

static void* work(void* argument) {
    Job* const job = argument;
    grbda_data* data = NULL;
    const int nq = grbda_nq(job->model), nv = grbda_nv(job->model);
    double* const q = numbers(nq);
    double* const x = numbers(3 * nv);
    job->failed = grbda_data_create(job->model, &data) != GRBDA_OK;
    for (int i = 0; i < states && !job->failed; ++i) {
        draw_all(&job->seed, x, 3 * nv);
        for (int j = 0; j < nv; ++j) x[j] *= 0.05;
        job->failed =
            grbda_neutral(job->model, q) != GRBDA_OK ||
            grbda_integrate(job->model, data, q, x, q) != GRBDA_OK ||
            grbda_aba(job->model, data, q, x + nv, x + 2 * nv, NULL, job->results + i * nv) != GRBDA_OK;
    }
    int index;
    char name[20];
    snprintf(name, sizeof name, "joint_%u", job->seed);
    if (grbda_find_joint(job->model, name, &index) != GRBDA_INVALID_ARGUMENT) job->failed = 1;
    snprintf(job->error, sizeof job->error, "%s", grbda_last_error());
    job->failed |= strstr(job->error, name) == NULL;
    grbda_data_destroy(data);
    free(q);
    free(x);
    return NULL;
}

void test_threads(const char* file) {
    grbda_model* model = NULL;
    CHECK_OK(grbda_load_file(file, NULL, &model));
    const int size = grbda_nv(model) * states;
    Job jobs[4];
    pthread_t threads[2];
    for (unsigned i = 0; i < 4; ++i) jobs[i] = (Job){model, 1 + i % 2, numbers(size), 0, ""};
    int index;
    CHECK(grbda_find_joint(model, "of_the_main_thread", &index) == GRBDA_INVALID_ARGUMENT);
    for (int i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
    for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(strstr(grbda_last_error(), "of_the_main_thread") != NULL);
    for (int i = 2; i < 4; ++i) work(&jobs[i]);
    for (int i = 0; i < 2; ++i) {
        CHECK(memcmp(jobs[i].results, jobs[i + 2].results, sizeof(double) * (size_t)size) == 0);
        CHECK(strcmp(jobs[i].error, jobs[i + 2].error) == 0);
    }
    CHECK(strcmp(jobs[0].error, jobs[1].error) != 0);
    for (int i = 0; i < 4; ++i) {
        CHECK(!jobs[i].failed);
        free(jobs[i].results);
    }
    grbda_model_destroy(model);
}
