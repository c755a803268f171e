# Fails unless the example in the comment of engine/agenda.h and the code that the test
# runs are the same. Run as: cmake -DHEADER=<agenda.h> -DTEST=<mm1_example_test.cc> -P
file(READ "${HEADER}" header)
file(READ "${TEST}" test)
string(REGEX MATCH "complete:\n//\n(.*)\n#pragma once" found "${header}")
set(in_header "\n${CMAKE_MATCH_1}")
string(REGEX MATCH "--- example begins\n(.*)\n  // --- example ends" found "${test}")
set(in_test "\n${CMAKE_MATCH_1}")
# The header's comment marks, and the indentation of both.
string(REGEX REPLACE "\n// +" "\n" in_header "${in_header}")
string(REGEX REPLACE "\n +" "\n" in_test "${in_test}")
if(in_test STREQUAL "\n" OR NOT in_header STREQUAL in_test)
  message(FATAL_ERROR "the example of ${HEADER}\n${in_header}\ndiffers from ${TEST}\n${in_test}")
endif()
