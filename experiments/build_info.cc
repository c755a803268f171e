#include "experiments/build_info.h"

#include "build_revision.h"

namespace basin {

const BuildInfo& build_info() {
  static constexpr BuildInfo info{.version = BASIN_VERSION,
                                  .git_revision = BASIN_GIT_REVISION,
                                  .flags = BASIN_BUILD_FLAGS,
                                  .compiler = BASIN_COMPILER};
  return info;
}

}  // namespace basin
