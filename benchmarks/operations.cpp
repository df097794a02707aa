#include <cstddef>
#include <string>
#include <utility>

#include "counting.hpp"
#include "groups.hpp"
#include "methods.hpp"

// operations/ROBOT/METHOD: a call and the number of its floating-point operations. operations/peak: the
// peak rates of this core, with one number or a whole vector in each instruction, and in a chain of
// operations that wait for one another.

namespace grbda::benchmarks {
namespace {

using benchmark::Counter;
using counting::Count;
using counting::Operations;

Count count_of(const std::string& name, const Subject& subject) {
    const State& state = subject.states.front();
    if (name == "aba") return counting::count_aba(subject.model, state.q, state.yd, state.tau);
    if (name == "rnea") return counting::count_rnea(subject.model, state.q, state.yd, state.ydd);
    return counting::count_crba(subject.model, state.q);
}

void report(benchmark::State& timer, const Count& count) {
    const Operations& operations = count.operations;
    const auto number = [](long long n) { return static_cast<double>(n); };
    timer.counters["flops"] = number(operations.flops());
    timer.counters["instructions"] = number(operations.instructions());
    timer.counters["additions"] = number(operations.additions);
    timer.counters["multiplications"] = number(operations.multiplications);
    timer.counters["divisions"] = number(operations.divisions);
    timer.counters["roots"] = number(operations.roots);
    timer.counters["sincos"] = number(operations.sincos);
    timer.counters["chain"] = count.chain;
    timer.counters["flops_per_second"] =
        Counter(number(operations.flops()), Counter::kIsIterationInvariantRate);
}

void add_operations(const std::string& robot_name, const std::string& name) {
    const auto run = [=](benchmark::State& timer) {
        const Subject& subject = robot(robot_name);
        if (method(name).time(timer, subject)) report(timer, count_of(name, subject));
    };
    benchmark::RegisterBenchmark(("operations/" + robot_name + "/" + name).c_str(), run);
}

#if defined(__x86_64__) || defined(__aarch64__)

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

/// Independent sums: enough to hide the latency of one, but few enough to stay in registers.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr std::size_t chains = 24;
#else
constexpr std::size_t chains = 12;
#endif

/// Keeps the compiler from combining several of them into one vector, and from leaving the register.
template <class T>
[[gnu::always_inline]] inline void keep_in_register(T& x) {
#if defined(__x86_64__)
    asm("" : "+v"(x));
#else
    asm("" : "+w"(x));
#endif
}

/// Multiply-adds on `lanes` numbers at once; one instruction each if the machine has it.
template <class T, std::size_t... chain>
void time_peak(benchmark::State& timer, std::size_t lanes, std::index_sequence<chain...>) {
    constexpr std::size_t rounds = 1000;
    T factor = T{} + 0.999, summand = T{} + 0.001;  // converges to 1: no overflow, no denormals
    keep_in_register(factor);
    keep_in_register(summand);
    T x[sizeof...(chain)]{};
    for (auto iteration : timer) {
        (void)iteration;
        for (std::size_t round = 0; round < rounds; ++round)
            ((x[chain] = x[chain] * factor + summand, keep_in_register(x[chain])), ...);
    }
    T sum = (x[chain] + ...);
    benchmark::DoNotOptimize(sum);
    const auto flops = static_cast<double>(2 * lanes * sizeof...(chain) * rounds);
    timer.counters["lanes"] = static_cast<double>(lanes);
    timer.counters["flops_per_second"] = Counter(flops, Counter::kIsIterationInvariantRate);
}

void add_peak() {
    using Vector [[gnu::vector_size(vector_bytes)]] = double;
    constexpr std::make_index_sequence<chains> all;
    benchmark::RegisterBenchmark("operations/peak/chain", [](benchmark::State& timer) {
        time_peak<double>(timer, 1, std::index_sequence<0>{});
    });
    benchmark::RegisterBenchmark("operations/peak/scalar",
                                 [all](benchmark::State& timer) { time_peak<double>(timer, 1, all); });
    benchmark::RegisterBenchmark("operations/peak/simd", [all](benchmark::State& timer) {
        time_peak<Vector>(timer, vector_bytes / sizeof(double), all);
    });
}

#else

void add_peak() {}

#endif

}  // namespace

void register_operations() {
    add_peak();
    for (const std::string& name : robot_names())
        for (const char* which : recursions) add_operations(name, which);
}

}  // namespace grbda::benchmarks
