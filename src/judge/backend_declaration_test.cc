#include "judge/backend_declaration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/yaml_json.h"
#include "judge/extensions.h"

namespace kgym::judge {
namespace {

using testing::HasSubstr;

std::string Refusal(const std::string& yaml) {
  const Result<Json> read = ReadBackendDeclaration(*YamlToJson(yaml, "c.yaml"), "c.yaml", "c");
  return read.ok() ? "" : read.error().message;
}

TEST(BackendDeclaration, FillsInWhatIsNotSaid) {
  const Json row = *ReadBackendDeclaration({{"name", "c"}, {"devices", {"cpu", "cuda"}}}, "c.yaml", "c");
  EXPECT_EQ(row["speed_on"], row["devices"]);
  EXPECT_EQ(row["needs_build"], false);
  EXPECT_EQ(row["adapter"], nullptr);
  EXPECT_EQ(row["packages"], Json::array());
}

TEST(BackendDeclaration, NamesFileKeyValueAndWhatIsExpected) {
  EXPECT_EQ(Refusal("name: d\ndevices: [cpu]"), "c.yaml: name: \"d\" found; the file's own, 'c', is expected");
  EXPECT_EQ(Refusal("name: c\ndevices: [tpu]"), "c.yaml: devices: [\"tpu\"] found; a list of cpu and cuda is expected");
  EXPECT_THAT(Refusal("name: c"), HasSubstr("c.yaml: devices: [] found"));
  EXPECT_THAT(Refusal("name: c\ndevices: [cpu]\ntool: [gcc]"), HasSubstr("unknown key 'tool' (did you mean 'tools'?)"));
  EXPECT_THAT(Refusal("name: c\ndevices: [cpu]\nneeds_build: 1"), HasSubstr("needs_build: 1 found; true or false"));
  EXPECT_THAT(Refusal("name: c\ndevices: [cpu]\ntime_scale: {cpu: 0}"), HasSubstr("a number from 1 to 1000"));
  EXPECT_THAT(Refusal("name: c\ndevices: [cpu]\nkernels: [{module: a}]"), HasSubstr("a list of {module, class, call}"));
  EXPECT_THAT(Refusal("name: c\ndevices: [cpu]\nadapter: ../c.py"), HasSubstr("a Python file beside the declaration"));
  EXPECT_THAT(Refusal("name: c\ndevices: [cpu]\nadapter: absent.py"),
              HasSubstr("c.yaml: adapter: absent.py: No such file"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("a map with name and devices"));
}

TEST(Extensions, AreReadFromOneFolder) {
  const TempDir folder = *TempDir::Create("kgym-extensions-");
  const auto write = [&](const char* name, std::string_view text) {
    ASSERT_TRUE(MakeFolders((folder.path() / name).parent_path()).ok());
    ASSERT_TRUE(WriteFileAtomic(folder.path() / name, text).ok());
  };
  EXPECT_THAT(Extensions::Read(folder.path()).error().message, HasSubstr("backends, toolkits or workflows"));
  write("backends/c.yaml", "name: c\ndevices: [cpu]\nadapter: c.py");
  write("backends/c.py", "def install(context): ...");
  write("toolkits/a.py", "x = 1");
  write("workflows/w.yaml", "name: w");
  const Extensions first = *Extensions::Read(folder.path());
  EXPECT_EQ(first.backends[0]["adapter"]["source"], "def install(context): ...");
  ASSERT_EQ(first.toolkits.size(), 1U);
  EXPECT_EQ(first.toolkits[0].name, "a");
  write("backends/c.py", "def install(context): pass");
  EXPECT_NE(Extensions::Read(folder.path())->hash, first.hash) << "an adapter is part of what results rest on";
  write("workflows/w.yaml", "name: v");
  EXPECT_THAT(Extensions::Read(folder.path()).error().message,
              HasSubstr("w.yaml: name: \"v\" found; the file's own, 'w'"));
  write("workflows/w.yaml", "name: w");
  write("toolkits/Big.py", "");
  EXPECT_THAT(Extensions::Read(folder.path()).error().message, HasSubstr("the name 'Big'"));
  EXPECT_TRUE(Extensions::Read("")->hash.empty());
}

}  // namespace
}  // namespace kgym::judge
