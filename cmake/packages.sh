#!/usr/bin/env bash
# Installs the Debian packages that Basin needs; says nothing if they are all there.
#   cmake/packages.sh build        to build the program
#   cmake/packages.sh build test   to run its tests, sanitizers, fuzzer and checks too
# The names are those of Debian 12 (bookworm).
set -euo pipefail

build=(
  cmake
  g++
  git
  libboost-dev # Math, odeint, SHA-1
  libboost-program-options-dev
  libboost-random-dev
  libeigen3-dev
  libfmt-dev
  libhdf5-dev # with the C++ and high-level libraries
  librandom123-dev
  libtomlplusplus-dev
  ninja-build
  nlohmann-json3-dev
  pkg-config
)

test=(
  ccache
  clang
  clang-tidy
  libbenchmark-dev
  libclang-rt-dev # clang's sanitizers and libFuzzer
  libgmock-dev
  libgtest-dev
  llvm # symbols in sanitizer reports
  munge
  netcdf-bin
  parallel
  python3
  python3-h5netcdf
  python3-h5py
  python3-netcdf4
  python3-xarray
  slurm-client
  slurmctld # with slurmd and munge: a cluster of one node, which a test starts
  slurmd
)

wanted=()
for set in "$@"; do
  case "$set" in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    *)
      echo "packages.sh: no set of packages is called '$set' (build, test)" >&2
      exit 2
      ;;
  esac
done

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "packages.sh: this is no Debian system. Basin needs what these Debian 12 packages hold:" >&2
  printf '  %s\n' "${wanted[@]}" >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo > /dev/null; then
    echo "packages.sh: packages are missing, and installing them takes root or sudo. As root:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" < /dev/null >> "$log" 2>&1
}
if ! apt update || ! apt install --no-install-recommends "${missing[@]}"; then
  tail -n 30 "$log" >&2
  echo "packages.sh: apt-get could not install: ${missing[*]}" >&2
  echo "(a name that is not found belongs to another release; these are Debian 12's)" >&2
  exit 1
fi
