#include "experiments/axis_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace basin {
namespace {

// Public attributes of xarray's Dataset and DataArray, sorted (xarray 2023.1).
constexpr std::array<std::string_view, 170> xarray_names{
    // clang-format off
    "T", "all", "any", "apply", "argmax", "argmin", "argsort", "as_numpy", "assign",
    "assign_attrs", "assign_coords", "astype", "attrs", "bfill", "broadcast_equals",
    "broadcast_like", "chunk", "chunks", "chunksizes", "clip", "close", "coarsen",
    "combine_first", "compute", "conj", "conjugate", "convert_calendar", "coords",
    "copy", "count", "cumprod", "cumsum", "cumulative_integrate", "curvefit", "data",
    "data_vars", "diff", "differentiate", "dims", "dot", "drop", "drop_dims",
    "drop_duplicates", "drop_indexes", "drop_isel", "drop_sel", "drop_vars", "dropna",
    "dt", "dtype", "dtypes", "dump_to_store", "encoding", "equals", "expand_dims",
    "ffill", "fillna", "filter_by_attrs", "from_cdms2", "from_dataframe", "from_dict",
    "from_iris", "from_series", "get", "get_axis_num", "get_index", "groupby",
    "groupby_bins", "head", "identical", "idxmax", "idxmin", "imag", "indexes", "info",
    "integrate", "interp", "interp_calendar", "interp_like", "interpolate_na", "isel",
    "isin", "isnull", "item", "items", "keys", "load", "load_store", "loc", "map",
    "map_blocks", "max", "mean", "median", "merge", "min", "name", "nbytes", "ndim",
    "notnull", "pad", "persist", "pipe", "plot", "polyfit", "prod", "quantile", "query",
    "rank", "real", "reduce", "reindex", "reindex_like", "rename", "rename_dims",
    "rename_vars", "reorder_levels", "resample", "reset_coords", "reset_index", "roll",
    "rolling", "rolling_exp", "round", "searchsorted", "sel", "set_close", "set_coords",
    "set_index", "set_xindex", "shape", "shift", "size", "sizes", "sortby", "squeeze",
    "stack", "std", "str", "sum", "swap_dims", "tail", "thin", "to_array", "to_cdms2",
    "to_dask_dataframe", "to_dataframe", "to_dataset", "to_dict", "to_index", "to_iris",
    "to_masked_array", "to_netcdf", "to_numpy", "to_pandas", "to_series",
    "to_stacked_array", "to_unstacked_dataset", "to_zarr", "transpose", "unify_chunks",
    "unstack", "update", "values", "var", "variable", "variables", "weighted", "where",
    "xindexes",
    // clang-format on
};
static_assert(std::ranges::is_sorted(xarray_names));

// Letters, digits and underscores stay, and so does all of UTF-8 beyond ASCII.
std::string with_underscores(std::string_view key) {
  std::string result{key};
  for (char& character : result) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x80 && std::isalnum(byte) == 0) {
      character = '_';
    }
  }
  return result;
}

std::string last_part(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return with_underscores(dot == std::string_view::npos ? key : key.substr(dot + 1));
}

bool contains(std::span<const std::string> names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_reserved(const std::string& name, std::span<const std::string> taken) {
  return name.empty() || std::ranges::binary_search(xarray_names, name) ||
         contains(taken, name);
}

}  // namespace

std::vector<std::string> axis_names(std::span<const std::string> keys,
                                    std::span<const std::string> taken) {
  std::vector<std::string> short_names;
  for (const std::string& key : keys) {
    short_names.push_back(last_part(key));
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_shared = std::ranges::count(short_names, short_names[i]) > 1;
    const bool use_key = is_shared || is_reserved(short_names[i], taken);
    std::string name = use_key ? with_underscores(keys[i]) : short_names[i];
    // Rare: a key of one part that is reserved, or "a.b_c" beside "a_b.c".
    while (is_reserved(name, taken) || contains(names, name) ||
           (use_key && contains(short_names, name))) {
      name += "_axis";
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace basin
