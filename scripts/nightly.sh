#!/usr/bin/env bash
# Runs the checks that take too long for each push, with a different seed each day, which it prints: the seed of random
# mechanisms, of tests tagged [.long] and of the fuzzers.
# A failed stage does not stop the others: the last lines name the failed stages.
#   lint       clang-tidy on all sources
#   tests      every test and example as scripts/test.sh --all runs them
#   plain      a build without a preset, by Makefiles: static and shared libraries, GCC and Clang
#   laws       every law on all 300 random mechanisms of the seed, and tests tagged [.long], on shared libraries; builds benchmarks
#   sanitize   every law under the address and undefined behaviour sanitizers, with the cases of a push
#   threads    batches, simulations of many states and the viewer of running programs under ThreadSanitizer
#   fuzz       every reader on broken files, 60 s each
#   static     static libraries and the Python package with Clang, and all tests
#   docs       the site, with the reference of the Python package that `static` has built
#   acados     a problem solved by acados itself with generated code
#   solvers    the adapters of Crocoddyl and Aligator in these solvers themselves
#   elsewhere  names and numbers of Pinocchio, MuJoCo and Drake
#   view       the viewer's page: its engine compared with the native one, and every robot in Chromium
#   packages   Debian packages, and programs built against them in a system of their own
#   pip        the Python package by `pip install .` with all libraries from PyPI
#   wheel      wheels as they are published, and programs that use them
# Usage: nightly.sh [--seed N] [STAGE…]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

seed=$(date +%Y%m%d)
if [[ ${1:-} == --seed ]]; then
    seed=$2
    shift 2
fi
stages=("$@")
[[ ${#stages[@]} -gt 0 ]] || stages=(lint tests plain laws sanitize threads fuzz static docs acados solvers elsewhere view packages pip wheel)

tests() {  # build folder, options of ctest
    local folder=build/$1
    shift
    ctest --test-dir "$folder" --output-on-failure --parallel "$(nproc)" --timeout 7200 "$@"
}

long() {  # build folder; runs the hidden tests of its programs
    local program failed=0
    for program in "build/$1"/tests/test_*; do
        [[ -x $program && -f $program ]] || continue
        [[ $("$program" --list-test-names-only '[.long]') ]] || continue
        echo "== $(basename "$program") [.long]"
        "$program" '[.long]' || failed=1
    done
    return "$failed"
}

plain() {  # compiler, shared libraries
    local folder=build/plain-$1-$2
    echo "== $folder"
    cmake -S . -B "$folder" -G "Unix Makefiles" -D CMAKE_CXX_COMPILER="$1" -D BUILD_SHARED_LIBS="$2" -D GRBDA_BUILD_TESTS=OFF \
        -D GRBDA_BUILD_EXAMPLES=ON > /dev/null || return
    if ! cmake --build "$folder" --parallel "$(nproc)" > "$folder/build.log"; then
        tail -50 "$folder/build.log"
        return 1
    fi
    "$folder/examples/grbda_demo" robots/mit_humanoid/mit_humanoid.urdf &&
        "$folder/tools/grbda" info robots/digit_leg/digit_leg.{urdf,yaml}
}

stage() {
    case $1 in
        lint) scripts/lint.sh --all ;;
        tests) scripts/test.sh --all ;;
        plain)
            local compiler shared failed=0
            for compiler in g++ clang++; do
                for shared in OFF ON; do
                    plain "$compiler" "$shared" || failed=1
                done
            done
            return "$failed"
            ;;
        laws)
            scripts/build.sh laws --preset dev -D GRBDA_ALL_TESTS=ON -D GRBDA_BUILD_BENCHMARKS=ON ||
                return
            local failed=0
            GRBDA_TEST_PERCENT=100 tests laws || failed=1
            GRBDA_TEST_PERCENT=100 long laws || failed=1
            return "$failed"
            ;;
        sanitize)
            scripts/build.sh sanitize-all --preset sanitize -D GRBDA_BUILD_FUZZERS=OFF -D GRBDA_ALL_TESTS=ON &&
                tests sanitize-all
            ;;
        threads)
            scripts/build.sh threads --preset sanitize -D GRBDA_BUILD_FUZZERS=OFF -D GRBDA_SANITIZE=thread \
                -- test_batch test_simulation test_viewer &&
                tests threads --tests-regex '^(batch|simulation|viewer)$'
            ;;
        fuzz) scripts/fuzz.sh 60 ;;
        static)
            scripts/python_environment.sh &&
                scripts/build.sh static --preset clang -D BUILD_SHARED_LIBS=OFF -D GRBDA_BUILD_PYTHON=ON &&
                tests static &&
                PYTHONPATH=build/static/python /usr/bin/python3 -m pytest -q python/tests/test_torch.py  # with Debian's numpy
            ;;
        docs) scripts/docs.sh && grep -q aba_derivatives build/docs/docs_python_reference.html ;;
        acados)
            scripts/build.sh release --preset release -- grbda_tool &&
                python3 -m venv build/acados-venv &&
                build/acados-venv/bin/pip install --quiet --requirement requirements/acados.txt &&
                build/acados-venv/bin/python tests/generate/acados_swing_up.py build/release/tools/grbda examples/mpc/four_bar.urdf build/acados
            ;;
        solvers) scripts/solvers_test.sh ;;
        elsewhere)
            scripts/python_environment.sh && scripts/build.sh python --preset python -- grbda_python &&
                /usr/bin/python3 -m venv build/elsewhere-venv &&
                build/elsewhere-venv/bin/pip install --quiet --requirement requirements/elsewhere.txt &&
                PYTHONPATH=build/python/python build/elsewhere-venv/bin/python -m pytest -q python/tests/test_elsewhere.py
            ;;
        view) scripts/view.sh --release && scripts/view_test.sh ;;
        packages)
            scripts/python_environment.sh &&
                scripts/package.sh -D GRBDA_BUILD_PYTHON=ON -D Python_EXECUTABLE="$PWD/build/python-venv/bin/python" &&
                scripts/package_test.sh
            ;;
        pip) scripts/pip_test.sh ;;
        wheel) scripts/wheel.sh ;;
        *) echo "no stage $1" >&2; return 2 ;;
    esac
}

scripts/install_dependencies.sh --clang --lint --docs --readers --python --packages --solvers --torch || exit 1
echo "Seed $seed"
export GRBDA_TEST_SEED=$seed
failed=()
for name in "${stages[@]}"; do
    echo
    echo "==== $name ($SECONDS s)"
    stage "$name" || failed+=("$name")
done
echo
if [[ ${#failed[@]} -gt 0 ]]; then
    echo "==== Failed with seed $seed: ${failed[*]} ($SECONDS s)"
    exit 1
fi
echo "==== Passed with seed $seed ($SECONDS s)"
