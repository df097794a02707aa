# The kernels on many states at a time (src/batch), once for each instruction set. Each object has a namespace of
# its own, and is optimised in every build type: a function of the standard library that is not inlined would be
# left to the linker, which may take it for the whole program (tests/isa_test.sh).

include(CheckCXXCompilerFlag)

if(GRBDA_SANITIZE)
    set(GRBDA_BATCH_OPTIMISATION -O1)  # otherwise several minutes for each object, and nobody installs it
else()
    set(GRBDA_BATCH_OPTIMISATION -O3)
endif()

function(grbda_batch_object file)
    get_filename_component(name ${file} NAME_WE)
    set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS
                 GRBDA_BATCH_NAMESPACE=library_${name} GRBDA_NO_EIGEN_VECTORS)
    set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS ${GRBDA_BATCH_OPTIMISATION} ${ARGN})
    set_property(SOURCE ${file} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endfunction()

grbda_batch_object(src/batch/portable.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    # the very sets that machine_runs() in src/batch/batch.cpp asks the processor for
    set(GRBDA_AVX2 -march=x86-64 -mavx2 -mfma -mbmi -mbmi2)
    set(GRBDA_AVX512 ${GRBDA_AVX2} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl)
    check_cxx_compiler_flag("${GRBDA_AVX512}" GRBDA_HAS_X86_ENGINES)
endif()
if(GRBDA_HAS_X86_ENGINES)
    target_sources(grbda PRIVATE src/batch/avx2.cpp src/batch/avx512.cpp)
    # GCC 12 copies structs by halves of these registers if not told, and what loads the whole then waits
    check_cxx_compiler_flag("-mmove-max=256 -mstore-max=256" GRBDA_HAS_MOVE_MAX)
    grbda_batch_object(src/batch/avx2.cpp ${GRBDA_AVX2} -mtune=haswell
                       $<$<BOOL:${GRBDA_HAS_MOVE_MAX}>:-mmove-max=256;-mstore-max=256>)
    grbda_batch_object(src/batch/avx512.cpp ${GRBDA_AVX512} -mprefer-vector-width=512)
    set_property(SOURCE src/batch/batch.cpp APPEND PROPERTY COMPILE_DEFINITIONS GRBDA_X86_ENGINES)
endif()
