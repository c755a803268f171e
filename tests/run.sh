#!/usr/bin/env bash
# Builds Basin and runs its tests; installs what that needs.
#   tests/run.sh         the release build and the quick tests
#   tests/run.sh --all   the slow tests too, sanitizers, clang, the same bits from both
#                        compilers, the fuzzer
#   tests/run.sh --tidy  clang-tidy alone
# Stops at the first stage that fails and shows its output. Logs are kept in build/logs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all=no
case "${1-}" in
  '') ;;
  --all) all=yes ;;
  --tidy) all=tidy ;;
  *)
    echo "tests/run.sh: '$1' is no option (--all, --tidy)" >&2
    exit 2
    ;;
esac

jobs=$(nproc)
logs=$PWD/build/logs
mkdir -p "$logs"

# stage <name> <function>: a heading, the time it took, its output only if it fails. Lines
# with which ctest closes always show.
stage() {
  local name=$1 log=$logs/${2//_/-}.log begin=$SECONDS
  echo "== $name"
  # Not as a condition: bash would ignore set -e inside of it.
  set +e
  (
    set -e
    "$2"
  ) > "$log" 2>&1 < /dev/null
  local status=$?
  set -e
  grep -E '^[0-9]+% tests passed|^Total Test time' "$log" || true
  if [[ $status -ne 0 ]]; then
    grep -vE '^ *[0-9]+/[0-9]+ Test .* Passed |^ +Start +[0-9]+: ' "$log" | tail -n 200
    echo "== $name FAILED after $((SECONDS - begin)) s; all of its output is in $log"
    exit 1
  fi
  echo "   $((SECONDS - begin)) s"
}

configure() {
  local launcher=()
  if command -v ccache > /dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  cmake --preset "$1" "${launcher[@]}"
}

build() {
  configure "$1"
  cmake --build --preset "$1" -j "$jobs"
}

packages() { cmake/packages.sh build test; }
release_build() { build release; }
quick_tests() { ctest --preset release -j "$jobs"; }
all_tests() { ctest --preset all -j "$jobs"; }

asan() {
  build asan
  ctest --preset asan -j "$jobs"
}

# GCC 12's thread sanitizer does not start where the kernel spreads addresses widely; tests
# start while building too, to be listed.
tsan() {
  local fixed_addresses=()
  if setarch -R true 2> /dev/null; then
    fixed_addresses=(setarch -R)
  fi
  configure tsan
  "${fixed_addresses[@]}" cmake --build --preset tsan -j "$jobs"
  "${fixed_addresses[@]}" ctest --preset tsan -j "$jobs"
}

clang() {
  build clang
  ctest --preset clang -j "$jobs"
}

# One sweep, hashed over all arrays, from both compilers and from a libm that does without
# FMA.
same_bits() {
  local scenario=tests/end_to_end/small_sweep.toml
  local files=("$logs"/{gcc,clang,no-fma}.h5)
  rm -f "${files[@]}"
  build/release/experiments/basin sweep $scenario -o "${files[0]}"
  build/clang/experiments/basin sweep $scenario -o "${files[1]}"
  GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4 \
    build/release/experiments/basin sweep $scenario -o "${files[2]}"
  local hashes
  hashes=$(/usr/bin/python3 tests/end_to_end/hash_arrays.py "${files[@]}")
  echo "$hashes"
  [[ $(sort -u <<< "$hashes" | wc -l) -eq 1 ]]
}

# A minute of broken scenario files, from those of the library on.
fuzz() {
  configure fuzz
  cmake --build --preset fuzz -j "$jobs" --target scenario_reader_fuzz
  mkdir -p build/fuzz/corpus
  (
    cd build/fuzz # where a crashing input would be written
    tests/fuzz/scenario_reader_fuzz -max_total_time=60 -print_final_stats=1 \
      -dict=../../tests/fuzz/scenario.dict corpus ../../experiments/scenarios
  )
}

# Bugs and names in all but the tests, and every header compiled alone.
tidy() {
  configure tidy
  cmake --build --preset tidy -j "$jobs" --target \
    basin_engine basin_models basin_analysis basin_experiments all_verify_interface_header_sets
}

begin=$SECONDS
stage "Packages" packages
if [[ $all == tidy ]]; then
  stage "clang-tidy" tidy
  exit
fi
stage "Build (release)" release_build
if [[ $all == no ]]; then
  stage "Quick tests" quick_tests
else
  stage "All tests" all_tests
  stage "Address and undefined-behaviour sanitizers" asan
  stage "Thread sanitizer" tsan
  stage "Build and tests with clang" clang
  stage "The same bits from gcc and clang, with and without FMA" same_bits
  stage "Fuzzing the scenario reader" fuzz
fi
echo "== Everything passed in $((SECONDS - begin)) s"
