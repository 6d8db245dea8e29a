// How far a long command is, on standard error: one line that is written over on a terminal, a line a step elsewhere.
//
// Threads: main.
#pragma once

#include <string_view>

namespace kgym::app {

class Progress {
 public:
  /// `total`: steps that will be counted; 0 where only stages are told.
  explicit Progress(int total);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What goes on now. Shown on a terminal only.
  void Stage(std::string_view what);

  /// One step is done.
  void Step(std::string_view what);

  /// A line that stays, whatever comes after it.
  void Say(std::string_view line);

  /// Takes the line away, so that something else can be written.
  void Clear();

 private:
  void Over(std::string_view line);

  int total_;
  int done_ = 0;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace kgym::app
