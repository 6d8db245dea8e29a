#include "judge/sandbox/spec.h"

#include <gtest/gtest.h>

namespace kgym::judge::sandbox {
namespace {

std::string ErrorOf(std::string_view json) {
  std::string error;
  EXPECT_FALSE(ParseSpec(json, error).has_value()) << json;
  return error;
}

TEST(Spec, EmptyObjectIsAllDefaults) {
  std::string error;
  const auto spec = ParseSpec("{}", error);
  ASSERT_TRUE(spec.has_value());
  EXPECT_FALSE(spec->strict);
  EXPECT_TRUE(spec->Wants("pid"));
  EXPECT_EQ(spec->uid, 65534u);
  EXPECT_EQ(spec->seccomp_fd, -1);
}

TEST(Spec, ReadsEveryKey) {
  std::string error;
  const auto spec = ParseSpec(R"({"strict": true, "name": "candidate", "namespaces": ["pid"], "root": "/run/kgym/root/",
      "read_only": ["/usr/", "/lib"], "devices": ["/dev/nvidia0"], "tmp_mb": 1, "shm_mb": 2, "cgroups": ["/sys/fs/cgroup/a"],
      "keep_fds": [5, 6], "uid": 7, "gid": 8, "outside_uid": 14, "memory_mb": 9, "memory_kind": "address_space", "files": 10, "file_mb": 11,
      "processes": 12, "seccomp_hex": "00ff", "seccomp_fd": 13})",
                              error);
  ASSERT_TRUE(spec.has_value()) << error;
  EXPECT_TRUE(spec->strict);
  EXPECT_TRUE(spec->Wants("pid"));
  EXPECT_FALSE(spec->Wants("user"));
  EXPECT_EQ(spec->root, "/run/kgym/root");
  EXPECT_EQ(spec->read_only, (std::vector<std::string>{"/usr", "/lib"}));
  EXPECT_EQ(spec->keep_fds, (std::vector<int>{5, 6}));
  EXPECT_EQ(spec->memory_kind, MemoryKind::kAddressSpace);
  EXPECT_EQ(spec->outside_uid, 14u);
  EXPECT_EQ(spec->processes, 12u);
  EXPECT_EQ(spec->seccomp_fd, 13);
}

TEST(Spec, MistakesAreNamed) {
  EXPECT_NE(ErrorOf("[]").find("not a JSON object"), std::string::npos);
  EXPECT_NE(ErrorOf("{").find("not a JSON object"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"memroy_mb": 1})").find("unknown key 'memroy_mb'"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"memory_mb": -1})").find("'memory_mb' is -1"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"memory_mb": 1.5})").find("whole number"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"memory_mb": 18446744073709551615})").find("whole number"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"namespaces": ["time"]})").find("out of user"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"read_only": ["usr"]})").find("absolute paths"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"read_only": ["/usr/../root"]})").find("absolute paths"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"root": "/"})").find("absolute path"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"keep_fds": [-1]})").find("descriptors"), std::string::npos);
}

}  // namespace
}  // namespace kgym::judge::sandbox
