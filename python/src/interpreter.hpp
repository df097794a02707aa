#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

#include <pybind11/pybind11.h>

// The interpreter's lock, signals and shutdown during long computations of C++.

namespace grbda::python {

namespace py = pybind11;

/// Releases the interpreter's lock during its lifetime, so that other threads of Python continue.
class Unlocked {
public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
    ~Unlocked();

    /// Runs Python's handlers of signals, at most every few milliseconds. Throws what a handler raises, such
    /// as KeyboardInterrupt; the lock is then taken.
    void answer_signals();

private:
    using Clock = std::chrono::steady_clock;

    PyThreadState* state_;  ///< null: this thread has the lock again
    Clock::time_point answered_ = Clock::now();
};

/// Calls part(begin, count) for one block of [0, total) after the other, and handles signals between blocks.
/// A block grows until it takes some milliseconds.
template <class F>
void in_blocks(Unlocked& unlocked, std::ptrdiff_t total, std::ptrdiff_t block, const F& part) {
    using Clock = std::chrono::steady_clock;
    std::ptrdiff_t begin = 0;
    do {
        const std::ptrdiff_t count = std::min(block, total - begin);
        const Clock::time_point started = Clock::now();
        part(begin, count);
        begin += count;
        if (Clock::now() - started < std::chrono::milliseconds(5)) block *= 2;
        unlocked.answer_signals();
    } while (begin < total);
}

/// Makes inspect.signature() work on a function whose docstring begins with its typed signature: the
/// docstring with the signature that CPython reads in front of it.
std::string with_text_signature(const std::string& documentation);
/// The same for all functions and methods of the module that pybind11 has made.
void add_text_signatures(const py::module_& module);

/// Makes all uses of objects of the module's classes raise TypeError if only __new__ has made the objects.
void refuse_hollow_objects(const py::module_& module);

}  // namespace grbda::python
