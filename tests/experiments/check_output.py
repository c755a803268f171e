#!/usr/bin/python3
"""Opens Basin's output files as its users do and checks that everything has a label.

    check_output.py FILE...             any output file of basin
    check_output.py --synthetic FOLDER  those that write_sample_files writes; also compares values

Exit code 0 if all is well. Needs xarray, netCDF4, h5netcdf, h5py and ncdump.
"""

import argparse
import itertools
import math
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import xarray as xr

ENGINES = ("netcdf4", "h5netcdf")
FIXED = ("arm", "replication", "time")
PHASES = "stable draining vulnerable spontaneous overloaded"
ATTRIBUTES = """Conventions title basin_version semantics_version git_revision build_flags
    compiler scenario scenario_hash resolved_scenario command_line seed_string generator
    created host horizon""".split()


class Wrong(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def check_h5py(path):
    with h5py.File(path, "r") as file:
        for name, item in file.items():
            expect(isinstance(item, h5py.Dataset), f"{name} is no dataset of the root group")
            expect("long_name" in item.attrs, f"{name} has no long_name")
            if item.attrs.get("CLASS") == b"DIMENSION_SCALE":
                continue
            for axis, dimension in enumerate(item.dims):
                expect(len(dimension) == 1, f"{name} has no scale on axis {axis}")
                scale = dimension[0]
                expect(scale.shape == (item.shape[axis],), f"scale of {name}, axis {axis}")
            if item.dtype.kind == "f":
                expect(math.isnan(item.attrs["_FillValue"]), f"{name} is not filled with NaN")
                expect(math.isnan(item.fillvalue), f"{name} is not filled with NaN")
                expect("units" in item.attrs, f"{name} has no units")
            if item.chunks:
                expect(item.shuffle and item.compression == "gzip" and item.fletcher32,
                       f"filters of {name}")
                expect(item.chunks == (1,) * (item.ndim - 1) + item.shape[-1:],
                       f"{name}: a chunk is one trajectory")
            item[...]  # all of it can be read, checksums included
        for name in ATTRIBUTES:
            expect(name in file.attrs, f"no attribute {name}")
        expect(text(file.attrs["scenario_hash"]).startswith("sha1:"), "scenario_hash")
        expect(file.attrs["semantics_version"].dtype.kind == "i", "semantics_version")
        if "seed" in file.attrs:
            expect(str(file.attrs["seed"]) == text(file.attrs["seed_string"]), "seed")


def check_ncdump(path):
    done = subprocess.run(["ncdump", "-h", path], capture_output=True, text=True)
    expect(done.returncode == 0, f"ncdump: {done.stderr}")
    expect("phony" not in done.stdout, "ncdump finds a dimension without a name")
    for name in ("byte status", "byte phase", "string message", "string arm(arm)"):
        expect(name in done.stdout, f"ncdump -h shows no {name}")
    done = subprocess.run(["ncdump", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    expect(done.returncode == 0, f"ncdump cannot read the data: {done.stderr}")


def axes_of(data):
    return list(data["status"].dims)


def check_xarray(data):
    axes = axes_of(data)
    for name in data.dims:
        expect(name in data.coords, f"dimension {name} has no values")
        coordinate = data[name]
        expect(coordinate.dims == (name,), f"coordinate {name} is not its own dimension")
        # Were it a method of xarray's, data.name would be that.
        expect(isinstance(getattr(data, name), xr.DataArray), f"data.{name} is no coordinate")
        expect(coordinate.dtype.kind not in "mM", f"{name} has become a date")
        for i, value in enumerate(coordinate.values):
            found = coordinate.to_series().index.get_indexer([value])[0]
            expect(found == i and coordinate.sel({name: value}).size == 1,
                   f"sel({name}={value!r})")
    for name in axes:
        expect("." in data[name].attrs["long_name"] or name.startswith(
            data[name].attrs["long_name"]), f"long_name of {name} is no key")
        if data[name].dtype.kind == "f":
            expect(data[name].attrs.get("units"), f"axis {name} has no units")
    expect(data["arm"].values[0] == "control", "the first arm is the control")
    expect(list(data["replication"].values) == list(range(data.sizes["replication"])),
           "replications count from 0")

    shapes = {
        "status": axes, "message": axes, "phase": axes, "decided": axes,
        "replication_phase": axes + ["replication"],
    }
    for phase in PHASES.split() + ["within_rto"]:
        for end in ("", "_low", "_high"):
            shapes[f"p_{phase}{end}"] = axes
    for time in ("recovery_time", "drain_time"):
        for end in ("_p10", "_p50", "_p90"):
            shapes[time + end] = axes
    for name in ("stuck", "truncated", "recovery_time", "drain_time", "peak_depth",
                 "goodput_ratio", "mean_goodput"):
        shapes[name] = axes + ["arm", "replication"]
    if "time" in data.dims:
        expect(data["time"].attrs["units"] == "s", "units of time")
        for end in ("_mean", "_p10", "_p90"):
            shapes["depth" + end] = axes + ["arm", "time"]
            shapes["retries_pending" + end] = axes + ["arm", "time"]
    if "depth" in data:
        shapes["depth"] = shapes["goodput"] = axes + ["arm", "replication", "time"]
    for name, dimensions in shapes.items():
        expect(name in data, f"no variable {name}")
        expect(list(data[name].dims) == dimensions, f"{name} has dimensions {data[name].dims}")
    expect(data["decided"].dtype == bool, "decided is no bool")
    expect(data["phase"].attrs["flag_meanings"] == PHASES, "flag_meanings of phase")
    expect(list(data["phase"].attrs["flag_values"]) == [0, 1, 2, 3, 4], "flag_values of phase")
    expect(data["status"].attrs["flag_meanings"] == "missing done failed excluded inferred", "flags of status")

    # What each cell must hold, given what became of it.
    status = data["status"].values
    expect(np.isin(status, (0, 1, 2)).all(), "values of status")
    messages = np.vectorize(lambda message: message not in ("", None))(data["message"].values)
    expect((messages == (status == 2)).all(), "failed cells have a message, others none")
    missing = data["status"] == 0
    for name in ("phase", "p_stable", "peak_depth", "stuck", "truncated", "replication_phase"):
        expect(data[name].isnull().where(missing, True).all(), f"{name} of a missing cell")
    judged = data["phase"].notnull()
    total = sum(data[f"p_{phase}"] for phase in PHASES.split())
    expect((abs(total.where(judged, 1) - 1) < 1e-9).all(), "probabilities do not add up to 1")
    for low in [name for name in data.data_vars if name.endswith("_low")]:
        middle = data[low[:-len("_low")]]
        high = data[low[:-len("_low")] + "_high"]
        ordered = (data[low] <= middle) & (middle <= high)
        expect(ordered.where(middle.notnull(), True).all(), f"interval of {middle.name}")


def check_file(path):
    check_h5py(path)
    check_ncdump(path)
    views = []
    for engine in ENGINES:
        try:
            with xr.open_dataset(path, engine=engine) as data:
                data.load()
                check_xarray(data)
                views.append(data)
        except Wrong as wrong:
            raise Wrong(f"{engine}: {wrong}") from wrong
    first, second = views
    expect(set(first.variables) == set(second.variables), "the engines differ in variables")
    for name in first.variables:
        if name == "message":
            continue  # compared in check_xarray; the engines differ in "" and None
        np.testing.assert_array_equal(first[name].values, second[name].values, err_msg=name)
    for name in ATTRIBUTES:
        expect(str(first.attrs[name]) == str(second.attrs[name]), f"attribute {name} differs")
    return first


# The formulas of synthetic_cells.h.
def check_synthetic_values(data, cells_differ=True):
    axes = axes_of(data)
    sizes = [data.sizes[axis] for axis in axes]
    total = math.prod(sizes)
    for cell, place in enumerate(itertools.product(*map(range, sizes))):
        here = data.isel(dict(zip(axes, place)))
        status = 0 if total > 3 and cell == 1 else 2 if total > 3 and cell == 2 else 1
        expect(int(here["status"]) == status, f"status of cell {place}")
        if status != 1:
            continue
        expect(int(here["phase"]) == cell % 5, f"phase of cell {place}")
        expect(bool(here["decided"]) == (cell % 2 == 0), f"decided in cell {place}")
        expect(np.isposinf(here["recovery_time_p90"]), "an infinite quantile")
        expect(float(here["drain_time_p50"]) == 4, "a finite quantile")
        expect(np.isnan(here["p_within_rto"]), "no recovery time objective")
        expect(np.isposinf(here["latency_p999"]).all(), "latency_p999 is infinite")
        expect(np.isnan(here["mean_wait"]).all(), "mean_wait is NaN")
        expect(np.isposinf(here["recovery_time"].sel(arm="triggered")).all(), "not recovered")
        expect((here["stuck"].sel(arm="triggered") == 1).all(), "stuck")
        expect((here["stuck"].sel(arm="control") == 0).all(), "not stuck")
        arm = np.arange(data.sizes["arm"])[:, None]
        replication = np.arange(data.sizes["replication"])[None, :]
        for number, name in ((0, "mean_base_rate"), (14, "peak_depth"), (27, "wasted")):
            np.testing.assert_array_equal(
                here[name].values, 1000 * number + 100 * cell + 10 * arm + replication, name)
        is_last = cell + 1 == total
        if "time" in data.dims:
            sample = np.arange(data.sizes["time"])
            wanted = (1000 * cell + 100 * arm[:, :, None] + 10 * replication[:, :, None] +
                      sample[None, None, :]).astype(float)
            if is_last:
                wanted[1, 0, 2:] = np.nan
            for number, name in ((0, "depth"), (8, "goodput")):
                values = wanted + 10000 * number
                np.testing.assert_allclose(here[name + "_mean"], values.mean(1), rtol=1e-6)
                count = data.sizes["replication"]
                ordered = np.sort(values, axis=1)
                ordered[np.isnan(values).any(1)[:, None, :].repeat(count, 1)] = np.nan
                for percent in (10, 90):
                    rank = -(-percent * count // 100) - 1
                    np.testing.assert_array_equal(here[f"{name}_p{percent}"], ordered[:, rank])
                if name in data:
                    np.testing.assert_array_equal(here[name], values)
        expect(int(here["truncated"].sum()) == (1 if is_last else 0), "truncated runs")


def check_synthetic(folder):
    def load(name):
        try:
            return check_file(os.path.join(folder, name))
        except Wrong as wrong:
            raise Wrong(f"{name}: {wrong}") from wrong

    for name in ("no_axes.h5", "one_axis.h5", "all_trajectories.h5", "no_trajectories.h5",
                 "one_replication.h5", "awkward_names.h5"):
        check_synthetic_values(load(name))

    data = load("no_axes.h5")
    expect(dict(data.sizes) == {"arm": 2, "replication": 3, "time": 5}, "a run has no axes")
    expect(data.attrs["summary"] == "Größe, 大きさ", "unicode in an attribute")
    expect(data["depth_mean"].sel(time=10, arm="control").size == 1, "sel by time and arm")

    data = load("one_axis.h5")
    expect(list(data["rate"].values) == [0.1, 0.2, 0.3, 0.4, 0.5], "values of rate")
    expect(data["rate"].attrs == {"long_name": "arrivals.rate", "units": "1/s"}, "rate")
    expect(data["phase"].sel(rate=0.4) == 3, "sel on a stepped grid")
    expect(data["message"].sel(rate=0.3).item() == "zu viele Aufträge", "the message")

    data = load("all_trajectories.h5")
    expect(list(data["broker"].values) == ["sqs-standard", "große Schlange", "列"], "broker")
    expect(list(data["arm"].values) == ["control", "triggered", "unamplified"], "arms")
    expect(data["depth"].sel(rate=0.2, broker="列", arm="unamplified", replication=1,
                             time=20) == 1000 * 5 + 200 + 10 + 4, "one number by its labels")

    backwards = load("backwards.h5")
    for name in data.variables:
        np.testing.assert_array_equal(data[name], backwards[name], f"{name} depends on the order")

    data = load("no_trajectories.h5")
    expect(axes_of(data) == ["rate", "broker", "duration"], "three axes, in order")
    expect("time" not in data.dims, "no trajectories, no time")

    data = load("one_replication.h5")
    expect(len(data.attrs["scenario"]) == 100001, "a scenario of 100 kB")
    expect(data.attrs["title"] == "" and "summary" not in data.attrs, "an empty title")

    data = load("awkward_names.h5")
    expect(axes_of(data) == ["consumers_count", "x_time", "x_phase", "incident_é_duration",
                             "incident_b_duration", "replication_axis"], "awkward names")

    data = load("all_missing.h5")
    expect((data["status"] == 0).all(), "all cells are missing")
    expect(np.isnan(data["depth_mean"]).all(), "what was never written is NaN")

    check_that_faults_are_found(os.path.join(folder, "one_axis.h5"))


def check_that_faults_are_found(path):
    """A checker that finds no fault in a faulty file proves nothing."""
    def detach(file):
        file["phase"].dims[0].detach_scale(file["rate"])

    def drop_units(file):
        del file["peak_depth"].attrs["units"]

    def add_bare_array(file):
        file["bare"] = np.zeros(3)
        file["bare"].attrs["long_name"] = "no scale"

    def spoil_probability(file):
        file["p_stable"][0] = 0.25

    def drop_attribute(file):
        del file.attrs["seed_string"]

    def fill_missing(file):
        file["peak_depth"][1, 0, 0] = 7.0

    for spoil in (detach, drop_units, add_bare_array, spoil_probability, drop_attribute,
                  fill_missing):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(path, os.path.join(folder, "spoiled.h5"))
            with h5py.File(copy, "r+") as file:
                spoil(file)
            try:
                check_file(copy)
            except Exception:
                continue
            raise Wrong(f"{spoil.__name__} goes unnoticed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--synthetic", metavar="FOLDER")
    parser.add_argument("files", nargs="*", metavar="FILE")
    arguments = parser.parse_args()
    if not arguments.files and not arguments.synthetic:
        parser.error("which files?")
    try:
        for path in arguments.files:
            try:
                check_file(path)
            except Wrong as wrong:
                raise Wrong(f"{path}: {wrong}") from wrong
        if arguments.synthetic:
            check_synthetic(arguments.synthetic)
    except (Wrong, AssertionError) as wrong:
        print(f"check_output.py: {wrong}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
