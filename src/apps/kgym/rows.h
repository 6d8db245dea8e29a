// Many submissions at once: a folder of files, or JSON lines.
//
// A row that cannot be read is kept, with what is wrong with it: nothing is lost, and the order is that of the input.
//
//   folder   <level>__<problem>__<what>.py; a first line `# backend: triton` names the backend
//   JSONL    {"problem": name | "problem_source": text, "submission": source | "submission_path": path beside the file,
//   "id", "backend", "entry",
//             "workload", "sizes"}
//
// Threads: main. Reads files.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "apps/kgym/input.h"

namespace kgym::app {

struct Row {
  std::string id;
  int number = 0;  // Of the line, or of the file in its folder; from 1.
  std::variant<Task, Error> content;
};

/// Whether this names many submissions: a folder, or a file that ends in .jsonl.
bool IsRows(const std::filesystem::path& path);

/// An error where not one row can be told.
Result<std::vector<Row>> ReadRows(const std::filesystem::path& path, const EvalOptions& options);

}  // namespace kgym::app
