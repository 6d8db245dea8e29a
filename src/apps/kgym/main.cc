#include <boost/asio/io_context.hpp>
#include <iostream>
#include "base/files.h"
#include "judge/judge.h"
using namespace kgym; using namespace kgym::judge;
static Awaitable<void> Run(Executor ex, int argc, char** argv) {
  JudgeConfig config; ConfigFields fields(config);
  Problem p; Submission s;
  p.name = argv[1]; p.source = *ReadFile(argv[1]); s.name = argv[2]; s.source = *ReadFile(argv[2]); 
  int repeats=1;
  for (int i=3;i<argc;++i) { std::string a=argv[i]; if (a.starts_with("repeat=")) repeats=std::stoi(a.substr(7)); else if (a.starts_with("backend=")) s.backend=a.substr(8); else { auto st=fields.Override(a); if(!st.ok()) std::cerr<<st.error().message<<"\n"; } }
  auto judge = co_await Judge::Start(ex, config);
  if (!judge.ok()) { std::cerr << judge.error().message << "\n"; co_return; }
  for (int i=0;i<repeats;++i) {
    Judged j = co_await (*judge)->Evaluate(p, s);
    if (auto* v = std::get_if<Verdict>(&j)) { Json json=v->ToJson(); if (i+1<repeats) { std::cout << json["outcome"] << " " << DumpJson(json["stages"]) << " speedup " << json["speedup"] << json["speedup_interval"] << "\n"; } else { std::cout << DumpJson(json, 1) << "\n"; } }
    else std::cout << "problem: " << std::get<ProblemFault>(j).message << "\n" << std::get<ProblemFault>(j).traceback;
  }
  co_await (*judge)->Close();
}
int main(int argc, char** argv) { boost::asio::io_context io; Spawn(io.get_executor(), Run(io.get_executor(), argc, argv)); io.run(); }
