# Fails where the program takes an exponential, a logarithm, a power or the gamma function
# from libm, whose bits depend on the machine (engine/portable_math.h says why). Sines,
# which only the theory of M/M/1 transients needs, stay.
# Run as: cmake -DROOT=<source> -DFOLDERS=<folder>,<folder>... -P
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" FOLDERS "${FOLDERS}")
set(found "")
foreach(folder IN LISTS FOLDERS)
  file(GLOB_RECURSE files "${ROOT}/${folder}/*.h" "${ROOT}/${folder}/*.cc")
  foreach(file IN LISTS files)
    file(STRINGS "${file}" lines
      REGEX "std::(exp2?|expm1|log2?|log10|log1p|pow|tgamma|lgamma)[fl]?\\(")
    foreach(line IN LISTS lines)
      string(APPEND found "  ${file}: ${line}\n")
    endforeach()
  endforeach()
endforeach()
if(found)
  message(FATAL_ERROR "functions whose bits depend on the machine:\n${found}")
endif()
