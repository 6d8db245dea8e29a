# How every target is compiled: standard, warnings, sanitizers, and the tools that make a build quick where they exist.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(KGYM_SANITIZE "" CACHE STRING "Comma-separated sanitizers, such as 'address,undefined' or 'thread'; empty for none")

find_program(KGYM_CCACHE ccache)
if(KGYM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the checkout count as relative, so that what one clone compiled serves every other.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${KGYM_CCACHE}")
  # Not for the assembler: ccache cannot see what .incbin reads.
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

find_program(KGYM_MOLD mold)
if(KGYM_MOLD AND NOT KGYM_SANITIZE)
  add_link_options(-fuse-ld=mold)
endif()

add_library(kgym_options INTERFACE)
target_include_directories(kgym_options INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_options(kgym_options INTERFACE -Wall -Wextra -Werror)
target_compile_definitions(kgym_options INTERFACE
  _GLIBCXX_ASSERTIONS               # A wrong index stops the process in every build: the judge reads hostile input.
  JSON_USE_IMPLICIT_CONVERSIONS=0)  # A Json becomes another type only where the code says so.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 at -O2 reports overlaps inside std::string that are not there (GCC bug 105651).
  # It also takes a coroutine frame's own operator delete for the wrong one.
  target_compile_options(kgym_options INTERFACE -Wno-restrict -Wno-mismatched-new-delete)
else()
  # Clang, which the fuzzers need, does not know GCC's warnings by name, takes a macro of libseccomp and a header of GCC 12
  # amiss, and has no use for most options where it assembles.
  target_compile_options(kgym_options INTERFACE -Wno-unknown-warning-option -Wno-missing-field-initializers
    -Wno-deprecated-declarations -Wno-unused-command-line-argument)
endif()

if(KGYM_SANITIZE)
  add_compile_options(-fsanitize=${KGYM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KGYM_SANITIZE})
  # Instrumented code makes GCC lose track of what is initialized, and warns about fences that Asio uses rightly.
  target_compile_options(kgym_options INTERFACE -Wno-maybe-uninitialized -Wno-tsan)
endif()

# Links the C++ runtime into `target`, so that the file runs on machines with an older or no libstdc++.
function(kgym_static_runtime target)
  if(NOT KGYM_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()
