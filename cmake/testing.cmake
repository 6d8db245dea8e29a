# kgym_test(<name> SOURCES <file>... LIBRARIES <target>...): a GoogleTest program whose tests ctest lists one by one.
# Target `tests` builds all of them.
find_package(GTest REQUIRED)
include(GoogleTest)
add_custom_target(tests)

function(kgym_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE kgym_options ${test_LIBRARIES} GTest::gmock GTest::gtest_main)
  # What is tested is optimized; optimizing the tests themselves would take a third of a build's time.
  target_compile_options(${name} PRIVATE -O0)
  add_dependencies(tests ${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 120 LABELS cpp)
endfunction()

# kgym_bench(<name>_bench SOURCES <file>... LIBRARIES <target>...): a Google Benchmark program; `make bench` runs those
# whose names end in _bench.
find_package(benchmark REQUIRED)

function(kgym_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 bench "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${bench_SOURCES})
  target_link_libraries(${name} PRIVATE kgym_options ${bench_LIBRARIES} benchmark::benchmark benchmark::benchmark_main)
endfunction()
