#pragma once

#include <stdio.h>

#include "grbda/c.h"

// Checks of the tests in C: each failure is printed and counted, and the test goes on.

extern int failures;

/// Counts a failure if the condition is false.
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) fail(__FILE__, __LINE__, #condition); \
    } while (0)
/// Counts a failure with the text of the error if the call fails.
#define CHECK_OK(call) CHECK((call) == GRBDA_OK)

void fail(const char* file, int line, const char* text);

/// Largest difference of two arrays, relative to 1 plus the largest entry; infinite if one has a NaN.
double gap(const double* a, const double* b, int n);

/// A number in (-1, 1) from a fixed sequence; `seed` is its state.
double draw(unsigned* seed);
void draw_all(unsigned* seed, double* x, int n);

/// Allocates n numbers; ends the test if there is no memory.
double* numbers(int n);

// The tests.
void test_laws(const char* const* files, int count, const grbda_load_options* options);
void test_weight(const char* four_bar);
void test_power(const char* file);
void test_errors(const char* robots);
void test_numerical_errors(void);
void test_threads(const char* file);
