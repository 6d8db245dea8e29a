# Third-party libraries, each behind one interface target. All are header-only or static archives: a program that holds
# libstdc++ statically must not load a C++ shared library, which would bring a second runtime.

find_package(Threads REQUIRED)

# Defines `target`, which links the archive `archive` and needs `header`; `package` is the Debian package that has both.
function(kgym_static_library target archive header package)
  find_library(${target}_ARCHIVE NAMES ${archive})
  find_path(${target}_INCLUDE NAMES ${header})
  if(NOT ${target}_ARCHIVE OR NOT ${target}_INCLUDE)
    message(FATAL_ERROR "${archive} or ${header} not found: install the package ${package} (scripts/setup.sh does).")
  endif()
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE "${${target}_ARCHIVE}")
  target_include_directories(${target} SYSTEM INTERFACE "${${target}_INCLUDE}")
endfunction()

# Defines `target` for a library that is headers only.
function(kgym_header_library target header package)
  find_path(${target}_INCLUDE NAMES ${header})
  if(NOT ${target}_INCLUDE)
    message(FATAL_ERROR "${header} not found: install the package ${package} (scripts/setup.sh does).")
  endif()
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "${${target}_INCLUDE}")
endfunction()

kgym_static_library(kgym_yaml libyaml-cpp.a yaml-cpp/yaml.h libyaml-cpp-dev)
kgym_static_library(kgym_seccomp libseccomp.a seccomp.h libseccomp-dev)
kgym_static_library(kgym_zstd libzstd.a zstd.h libzstd-dev)

kgym_header_library(kgym_json nlohmann/json.hpp nlohmann-json3-dev)
kgym_header_library(kgym_cli CLI/CLI.hpp libcli11-dev)

kgym_header_library(kgym_log spdlog/spdlog.h libspdlog-dev)
target_compile_definitions(kgym_log INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)

# Asio's coroutines as used here were written against 1.81; older ones lack parallel groups.
kgym_header_library(kgym_asio boost/asio.hpp libboost1.81-dev)
target_link_libraries(kgym_asio INTERFACE Threads::Threads)
