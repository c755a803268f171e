"""Prints one SHA-256 over all arrays of each HDF5 file: names, shapes, types and values.

Attributes of the root group (times, host, command line) are left out; those of the arrays
are not. Usage: hash_arrays.py FILE...
"""

import hashlib
import sys

import h5py
import numpy


def hash_of(path):
    digest = hashlib.sha256()
    with h5py.File(path, "r") as file:
        for name in sorted(file):
            array = file[name]
            digest.update(f"{name} {array.shape} {array.dtype}".encode())
            values = array[()]
            if array.dtype.kind == "O":
                values = "\0".join(
                    text.decode() if isinstance(text, bytes) else str(text)
                    for text in numpy.ravel(values)
                ).encode()
                digest.update(values)
            else:
                digest.update(values.tobytes())
            for key in ("units", "long_name"):
                digest.update(str(array.attrs.get(key)).encode())
    return digest.hexdigest()


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(hash_of(path))
