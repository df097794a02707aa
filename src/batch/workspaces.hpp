#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "engine.hpp"
#include "threads/threads.hpp"
#include "model/workspace.hpp"

// The threads of a batch, and their workspaces.

namespace grbda {

struct BatchData::Workspaces {
    Workspaces(const Model& model, int threads, Simd which);

    /// Computes states [0, states): part(slot, begin, end) returns
    /// the outcome of a range, on the thread of that slot.
    template <class Part>
    BatchResult run(std::ptrdiff_t states, const Part& part);
    /// Creates a workspace for single states for each slot.
    void make_single(const Model& model);

    Simd simd;
    const batch::Engine& engine;
    int nq, nv;
    std::size_t bodies, layout;
    std::vector<std::unique_ptr<void, void (*)(void*)>> slots;  ///< one for each thread
    std::vector<Workspace<double>> single;                      ///< the same, created when a call needs them
    std::unique_ptr<Threads> pool;                              ///< null for one thread
};

namespace batch {

/// Throws if the batch was made for another model, or if the number of statuses is not the number of states.
void require_batch(const Model& model, const BatchData::Workspaces& workspaces, std::ptrdiff_t states,
                   std::span<Status> statuses);

/// Adds the outcome of other states.
inline void add(BatchResult& sum, const BatchResult& part) {
    const std::ptrdiff_t failures = sum.failures + part.failures;
    if (!part.ok() && (sum.ok() || part.state < sum.state)) sum = part;
    sum.failures = failures;
}

}  // namespace batch

/// Threads take further ranges when they are done. Ranges are whole groups
/// of lanes: the same states are side by side whichever thread takes them.
template <class Part>
BatchResult BatchData::Workspaces::run(std::ptrdiff_t states, const Part& part) {
    if (!pool) return part(std::size_t{0}, std::ptrdiff_t{0}, states);
    constexpr std::ptrdiff_t piece = 16;
    std::atomic<std::ptrdiff_t> next = 0;
    std::vector<BatchResult> results(slots.size());
    const auto work = [&](std::size_t slot) {
        for (;;) {
            const std::ptrdiff_t begin = next.fetch_add(piece);
            if (begin >= states) return;
            batch::add(results[slot], part(slot, begin, std::min(begin + piece, states)));
        }
    };
    pool->run(work);
    BatchResult total;
    for (const BatchResult& one : results) batch::add(total, one);
    return total;
}

}  // namespace grbda
