# Writes the scenarios of the library into a source file, so that the program carries them.
# Run as: cmake -DFOLDER=<scenarios> -DOUTPUT=<file.cc> -P
cmake_minimum_required(VERSION 3.25)
file(GLOB paths "${FOLDER}/*.toml")
list(SORT paths)
set(source "// Written at build time from experiments/scenarios.\n")
string(APPEND source "#include \"experiments/library.h\"\n\nnamespace basin {\n\n")
string(APPEND source "const std::vector<LibraryScenario>& library_scenarios() {\n")
string(APPEND source "  static const std::vector<LibraryScenario> all = {\n")
foreach(path IN LISTS paths)
  cmake_path(GET path STEM name)
  file(READ "${path}" text)
  # Compilers take string literals of 64 KiB, scenarios are far shorter.
  string(APPEND source "      {\"${name}\", R\"basin_toml(${text})basin_toml\"},\n")
endforeach()
string(APPEND source "  };\n  return all;\n}\n\n}  // namespace basin\n")
file(WRITE "${OUTPUT}" "${source}")
