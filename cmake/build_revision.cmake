# Writes OUTPUT, a header with what is known about this build, if it would change.
# Run at each build, so that the revision follows HEAD without a new configure step:
#   cmake -DSOURCE=<folder> -DOUTPUT=<file> -DVERSION=… -DFLAGS=… -DCOMPILER=… -P
cmake_minimum_required(VERSION 3.25)
set(revision "unknown")
find_program(git git)
if(git)
  # A source tree that lies inside some other repository has no revision of its own.
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  file(REAL_PATH "${SOURCE}" source)
  if(NOT failed AND top STREQUAL source)
    execute_process(
      COMMAND ${git} --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=40 --exclude=*
      OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      set(revision "${described}")
    endif()
  endif()
endif()
string(STRIP "${FLAGS}" FLAGS)
string(REGEX REPLACE " +" " " FLAGS "${FLAGS}")
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// Written by cmake/build_revision.cmake.
#define BASIN_VERSION "@VERSION@"
#define BASIN_GIT_REVISION "@revision@"
#define BASIN_BUILD_FLAGS "@FLAGS@"
#define BASIN_COMPILER "@COMPILER@"
]])
