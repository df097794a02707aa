#pragma once

#include <algorithm>
#include <cstddef>

#if defined(GRBDA_THREAD_SANITIZER)
#include <thread>
#include <vector>
#else
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace grbda {

#if defined(GRBDA_THREAD_SANITIZER)

/// Calls work(0) … work(count − 1) on as many threads. ThreadSanitizer does not see how TBB, which is not
/// compiled for it, passes data between threads.
class Threads {
public:
    explicit Threads(std::size_t count) : count_(count) {}
    static int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

    template <class Work>
    void run(const Work& work) {
        std::vector<std::thread> threads;
        threads.reserve(count_);
        for (std::size_t i = 0; i < count_; ++i) threads.emplace_back([&work, i] { work(i); });
        for (std::thread& thread : threads) thread.join();
    }

private:
    std::size_t count_;
};

#else

/// Calls work(0) … work(count − 1), on as many threads but at most one for each core.
class Threads {
public:
    explicit Threads(std::size_t count) : count_(count), arena_(std::min(static_cast<int>(count), cores())) {}
    static int cores() { return tbb::info::default_concurrency(); }

    template <class Work>
    void run(const Work& work) {
        arena_.execute([&] { tbb::parallel_for(std::size_t{0}, count_, work, tbb::simple_partitioner()); });
    }

private:
    std::size_t count_;
    tbb::task_arena arena_;
};

#endif

}  // namespace grbda
