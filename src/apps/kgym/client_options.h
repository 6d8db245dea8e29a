// What the commands that ask a server are told: which server, and of what.
//
// Threads: any; plain values.
#pragma once

#include <string>
#include <vector>

namespace kgym::app {

/// Which server, and who asks.
struct RemoteOptions {
  std::string url;              // Empty: http://127.0.0.1:8700.
  std::string token;            // Empty: the one that `kgym serve` keeps, where the server is on loopback.
  std::string patience = "5m";  // How long a server that is full, about to stop or was lost is asked again.
};

struct SubmitOptions {
  std::string workflow;             // In place of a problem and a submission.
  std::string input;                // JSON file with the workflow's input; empty: none.
  std::vector<std::string> fields;  // "seed=7", "submission=@leapfrog.py".
  std::string problem;              // Or, where `submission` is empty, a folder of submissions or a JSONL file.
  std::string submission;
  std::string backend = "cpp";
  std::string entry = "ModelNew";
  std::string suite = "builtin";
  std::string root;                 // Empty, and the built-in suite: the server looks names up.
  std::string workload;             // Empty: the one that suits the lane.
  std::vector<std::string> sizes;   // "rows=512".
  std::vector<std::string> set;     // "timing.budget=2s".
  std::vector<std::string> labels;  // "card=NVIDIA L4".
  std::string id;                   // Of one; of many, what their ids begin with. Empty: made up.
  std::string run;
  std::string priority;  // Empty: the server's default.
  bool wait = false;
  RemoteOptions remote;
  bool json = false;
};

struct StatusOptions {
  std::vector<std::string> ids;  // None: the newest.
  std::string run;
  std::string state;
  int limit = 20;
  RemoteOptions remote;
  bool json = false;
};

struct WaitOptions {
  std::vector<std::string> ids;
  std::string run;
  RemoteOptions remote;
  bool json = false;
};

struct CancelOptions {
  std::vector<std::string> ids;
  std::string run;
  RemoteOptions remote;
  bool json = false;
};

struct TopOptions {
  bool once = false;
  RemoteOptions remote;
  bool json = false;
};

}  // namespace kgym::app
