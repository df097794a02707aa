#include "version.hpp"

#include "grbda/batch/batch_data.hpp"
#include "grbda/version.hpp"
#include "words.hpp"

// GRBDA_BUILT_BY, GRBDA_BUILD_TYPE, GRBDA_PROCESSOR and GRBDA_BUILD_OPTIONS come from tools/CMakeLists.txt.

namespace grbda::tool {
namespace {

/// The widest registers that the compiler may use outside the engines of a batch.
const char* built_for() {
#if defined(__AVX512F__)
    return " with AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
    return " with AVX2 and FMA";
#elif defined(__AVX2__)
    return " with AVX2";
#elif defined(__AVX__)
    return " with AVX";
#else
    return "";
#endif
}

std::string engines_here() {
    std::vector<std::string> names;
    for (const Simd simd : {Simd::scalar, Simd::portable, Simd::avx2, Simd::avx512})
        if (runs_here(simd)) names.emplace_back(to_string(simd));
    return join_words(names, ", ") + "; takes " + to_string(widest_simd());
}

}  // namespace

std::string version_text() {
    return std::string("grbda " GRBDA_VERSION) +                         //
           "\ncompiler         " GRBDA_BUILT_BY ", " GRBDA_BUILD_TYPE +  //
           "\ninstruction set  " GRBDA_PROCESSOR + built_for() +         //
           "\nbatch engines    " + engines_here() +                      //
           "\noptions          " GRBDA_BUILD_OPTIONS;
}

}  // namespace grbda::tool
