# Flags every target of ours shares; nothing is set globally.
add_library(basin_flags INTERFACE)
target_compile_features(basin_flags INTERFACE cxx_std_20)
target_compile_options(basin_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch-enum
  # Clang's kind also warns of double to long double, which is how bits are kept here.
  $<$<CXX_COMPILER_ID:GNU>:-Wdouble-promotion>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false alarms in std::string at -O3 (GCC bug 105651)
  -ffp-contract=off  # one rounding per operation: same bits on every build
  $<$<BOOL:${BASIN_WERROR}>:-Werror>)
target_compile_definitions(basin_flags INTERFACE
  $<$<BOOL:${BASIN_CONTRACTS}>:BASIN_CONTRACTS=1>)
if(BASIN_SANITIZE)
  target_compile_options(basin_flags INTERFACE
    -fsanitize=${BASIN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(basin_flags INTERFACE -fsanitize=${BASIN_SANITIZE})
endif()

if(BASIN_FUZZ)
  target_compile_options(basin_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(basin_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# basin_library(<folder> [DEPENDS <folder>...] HEADERS <file>... SOURCES <file>...)
# DEPENDS lists the folders whose headers may be included directly; tests/layers checks it.
function(basin_library folder)
  cmake_parse_arguments(ARG "" "" "DEPENDS;SOURCES;HEADERS" ${ARGN})
  add_library(basin_${folder} STATIC)
  add_library(basin::${folder} ALIAS basin_${folder})
  target_sources(basin_${folder}
    PRIVATE ${ARG_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS})
  target_link_libraries(basin_${folder} PRIVATE basin_flags)
  foreach(dep IN LISTS ARG_DEPENDS)
    target_link_libraries(basin_${folder} PUBLIC basin::${dep})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY BASIN_FOLDERS ${folder})
  set_property(GLOBAL PROPERTY BASIN_MAY_INCLUDE_${folder} ${folder} ${ARG_DEPENDS})
endfunction()

# basin_test(<name> [DEPENDS <folder>...] [LABELS <label>...] SOURCES <file>...)
# One GoogleTest executable; its tests appear in ctest by their own names. A test whose
# suite's name ends in "Slow" gets the label slow, one that ends in "Threads" threads.
function(basin_test name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;SOURCES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE basin_flags GTest::gmock_main)
  target_compile_definitions(${name} PRIVATE BASIN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  foreach(dep IN LISTS ARG_DEPENDS)
    target_link_libraries(${name} PRIVATE basin::${dep})
  endforeach()
  gtest_discover_tests(${name} TEST_FILTER "-*Slow.*:*Threads.*" DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(${name} TEST_FILTER "*Slow.*" TEST_LIST ${name}_slow
    PROPERTIES LABELS slow DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(${name} TEST_FILTER "*Threads.*" TEST_LIST ${name}_threads
    PROPERTIES LABELS threads DISCOVERY_TIMEOUT 60)
endfunction()
