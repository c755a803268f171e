#!/usr/bin/env bash
# From a fresh clone to a phase map: installs what the build needs, builds the program, sweeps
# a scenario of the library and runs another. Takes about three minutes on two cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

step() { echo "== $*"; }

step "Packages"
cmake/packages.sh build

step "Build (release)"
mkdir -p build results
log=build/quickstart.log
launcher=()
if command -v ccache > /dev/null; then
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
if ! {
  cmake --preset release -DBUILD_TESTING=OFF "${launcher[@]}" &&
    cmake --build --preset release --target basin
} > "$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "quickstart.sh: the build failed; all of its output is in $PWD/$log" >&2
  exit 1
fi
basin=build/release/experiments/basin

# A file of the same name that holds something else (status 3), as after an update, is kept
# under another name.
step "Does a retry storm end? A map over load and outage: basin sweep retry-storm"
map=results/retry-storm.h5
status=0
"$basin" sweep retry-storm -o "$map" || status=$?
if [[ $status -eq 3 ]]; then
  kept=results/retry-storm.$(date +%Y%m%d-%H%M%S).h5
  mv "$map" "$kept"
  echo "$map is of another scenario or version: kept as $kept"
  status=0
  "$basin" sweep retry-storm -o "$map" || status=$?
fi
[[ $status -eq 0 ]] || exit "$status"

step "How bursty is real traffic? A trace: basin run bursty-trace"
"$basin" run bursty-trace -o results/bursty-trace.h5

cat << END

The program     $PWD/$basin
The phase map   $PWD/$map
The trajectory  $PWD/results/bursty-trace.h5
Both files open in xarray, h5py, ncdump, R and MATLAB. Next:
  $basin list    the scenarios that ship with it
  $basin help    what else it does
END
