// What an operator adds to a judge: one folder with backends, toolkits and workflows.
//
//   backends/NAME.yaml     a backend's declaration, and beside it the Python adapter that it may name
//   toolkits/NAME.py       a toolkit
//   workflows/NAME.yaml    a workflow
//
// The folder is trusted to be sound: it is the operator's. What needs no Python is checked here; an error names the
// file, the key, the value and what is expected. docs/extending.md has the formats.
//
// Threads: any; reads small files once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kgym::judge {

struct Extensions {
  /// One file, read.
  struct File {
    std::string name;  // Without its ending.
    std::string path;
    std::string text;
    Json json;  // Of a YAML file.
  };

  Json backends = Json::array();  // As the zygote is told of them: see backends/declared.py.
  std::vector<File> toolkits;
  std::vector<File> workflows;  // Not yet checked: that needs the toolkits' types.
  std::string hash;             // Of all files; empty where there is no folder.

  /// Nothing at all where `folder` is empty.
  static Result<Extensions> Read(const std::filesystem::path& folder);
};

/// A workflow's file: its name, and what its YAML says.
Result<Extensions::File> ReadWorkflowFile(const std::filesystem::path& path);

}  // namespace kgym::judge
