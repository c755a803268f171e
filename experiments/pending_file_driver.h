// The driver through which HDF5 reaches a pending file. For .cc files only.
//
// HDF5 1.10 does not survive a full disk: closing fails, its clean-up at exit then
// follows a dangling pointer, and its C++ classes install that clean-up before main().
// This driver reports no such error to HDF5, so that every file can be closed;
// PendingFile::error() tells of it instead.
#pragma once

#include <H5Cpp.h>

#include "experiments/pending_file.h"

namespace basin {

// To create an HDF5 file in a pending file, which must outlive it. The name that is given
// to HDF5 does not matter.
H5::FileAccPropList access_to(PendingFile& file);

}  // namespace basin
