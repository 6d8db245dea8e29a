// Lines that become ready in any order and are written in theirs, each as soon as all before it are out.
//
// So a long run that is stopped leaves a file whose lines are whole, and are the first of the input.
//
// Threads: main.
#pragma once

#include <cstddef>
#include <fstream>
#include <map>
#include <string>

#include "base/result.h"

namespace kgym::app {

class OrderedLines {
 public:
  /// Into `file`, where one is named, and to standard output, where `print`.
  static Result<OrderedLines> Open(const std::string& file, bool print);

  /// Line number `index`, from 0.
  void Put(std::size_t index, std::string line);

 private:
  bool print_ = false;
  std::ofstream file_;
  std::size_t next_ = 0;
  std::map<std::size_t, std::string> waiting_;
};

}  // namespace kgym::app
