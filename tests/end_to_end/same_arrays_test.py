"""One sweep, one run: the same arrays from any number of threads, and twice.

The files are also opened as users would (check_output.py): xarray with both engines, h5py,
ncdump. Usage: same_arrays_test.py BASIN
"""

import pathlib
import subprocess
import sys
import tempfile

from hash_arrays import hash_of

HERE = pathlib.Path(__file__).resolve().parent
SCENARIO = HERE / "small_sweep.toml"
CHECK = HERE.parent / "experiments" / "check_output.py"


def write(basin, verb, threads, path):
    subprocess.run(
        [basin, verb, SCENARIO, "-o", path, "--threads", str(threads), "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return hash_of(path)


def main(basin):
    with tempfile.TemporaryDirectory() as folder:
        for verb in ("sweep", "run"):
            hashes = {}
            for number, threads in enumerate((1, 2, 7, 2)):
                path = f"{folder}/{verb}-{number}.h5"
                hashes[f"run {number}, {threads} threads"] = write(basin, verb, threads, path)
            if len(set(hashes.values())) != 1:
                sys.exit(f"{verb}: arrays differ: {hashes}")
            print(f"{verb}: {hashes.popitem()[1]}")
            subprocess.run(["/usr/bin/python3", CHECK, f"{folder}/{verb}-0.h5"], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
