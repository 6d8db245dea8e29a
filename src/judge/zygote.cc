#include "judge/zygote.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/ids.h"
#include "base/log.h"
#include "base/text.h"
#include "judge/cgroup_folder.h"
#include "judge/claims.h"
#include "judge/seccomp_policy.h"

namespace kgym::judge {
namespace {

constexpr Duration kStartLimit = 120s;  // A cold import of torch from a slow disk.
constexpr Duration kForkLimit = 30s;
constexpr int kSocketFd = 3;  // Where the zygote finds its socket.

// Users that no system gives to anybody (below 2^31, above what containers are given).
constexpr std::uint64_t kFirstUid = 0x70000000, kUids = 0x08000000;

// Open descriptors of a host. Also how many may be on their way through sockets, of all hosts of one user, before a
// host can send no more: so a reference host, which has to send its arena, has more than those who may wish to prevent
// it.
constexpr int kFiles = 1024, kReferenceFiles = 8192;

/// What a zygote's environment holds; nothing of the judge's own is passed on but where tools are found.
std::vector<std::string> Environment(const std::vector<std::string>& more) {
  std::vector<std::string> environment = {
      "LANG=C.UTF-8", "PYTHONUTF8=1", "HOME=/tmp", "OMP_WAIT_POLICY=PASSIVE", "OPENBLAS_NUM_THREADS=1",
      "MKL_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1",
      // Memory once had is kept: with glibc's defaults every big tensor is mapped and unmapped, and a call's time is
      // that of its page faults. The same for both sides.
      "MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=1099511627776", "MALLOC_TOP_PAD_=16777216"};
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  environment.insert(environment.end(), more.begin(), more.end());
  return environment;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Starts `python -I zygote.py 3` with `socket` as descriptor 3 and nothing else but stderr.
Result<pid_t> SpawnPython(const std::string& python, const std::string& script, int socket,
                          const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {python, "-I", "-B", script, std::to_string(kSocketFd)};
  std::vector<std::string> environment = Environment(more);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  posix_spawn_file_actions_adddup2(&actions, socket, kSocketFd);
  // Nothing else that happens to be open here: it outlives us by a moment, and would keep a server's port.
  posix_spawn_file_actions_addclosefrom_np(&actions, kSocketFd + 1);
  posix_spawnattr_t attributes;  // A process group of its own: an interrupt from the terminal is the judge's to handle.
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, python.c_str(), &actions, &attributes, Pointers(arguments).data(),
                                   Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  errno = error;
  if (error != 0) return SystemError("starting '" + python + "'");
  return pid;
}

/// A wish: where it cannot be had, measurements are a little less quiet.
void PinTo(pid_t pid, const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  ::sched_setaffinity(pid, sizeof set, &set);
}

/// Each host is another user, so that what the kernel counts for a user is its own. On a card they stay one: whether
/// drivers pass memory between users has not been tried.
std::uint64_t OutsideUid(const HostSpec& spec) { return spec.card.empty() ? kFirstUid + RandomU64() % kUids : 0; }

SeccompUse SeccompFor(HostKind kind) {
  return kind == HostKind::kBuilder ? SeccompUse::kBuild : SeccompUse::kFreezable;
}

}  // namespace

Zygote::Zygote(Executor executor, Fd socket, pid_t pid, Fd pidfd)
    : executor_(executor),
      channel_(executor, std::move(socket)),
      turn_(executor, 1),
      pid_(pid),
      pidfd_(std::move(pidfd)) {}

Zygote::~Zygote() {
  if (pidfd_.valid()) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
}

Awaitable<Result<std::unique_ptr<Zygote>>> Zygote::Start(Executor executor, const Runtime& runtime, Options options) {
  KGYM_CO_TRY(auto pair, MakeChannelPair());
  KGYM_CO_TRY(const pid_t pid, SpawnPython(options.python, runtime.folder() / "kgym_runner/zygote.py",
                                           pair.second.get(), options.environment));
  pair.second.reset();
  PinTo(pid, options.cpus);
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  std::unique_ptr<Zygote> zygote(new Zygote(executor, std::move(pair.first), pid, std::move(pidfd)));

  KGYM_CO_TRY(TempDir root, TempDir::Create("kgym-root-"));
  zygote->root_ = std::make_unique<TempDir>(std::move(root));
  zygote->prepared_ = {{"root", zygote->root_->path().string()}, {"strict", options.strict}};
  zygote->ground_ = {{"device", options.device}, {"arch", options.arch}, {"seeded", options.seeded}};
  Json request = {{"op", "prepare"}, {"sandbox", zygote->prepared_}, {"modules", options.modules}};
  request.update(zygote->ground_);
  KGYM_CO_TRY(const Fd declared, SealedMemfd("kgym-backends", DumpJson(options.backends)));
  std::vector<int> fds = {declared.get()};
  Result<Packet> answer = co_await zygote->Ask(request, std::move(fds), kStartLimit);
  if (!answer.ok())
    co_return Error{Concat(
        "'", options.python, "' does not run as the zygote (", answer.error().message,
        "). A Python from 3.10 on with torch is expected: ", "run scripts/setup.sh, or name one in KGYM_PYTHON")};
  KGYM_CO_TRY(Json body, ParseJson(answer->bytes, "the zygote's answer"));
  if (ClaimedText(body, "kind") == "backend") co_return Error{ClaimedText(body, "message")};
  if (!body.value("ok", false))
    co_return Error{ClaimedText(body, "message") +
                    ": run scripts/setup.sh, or name a Python that has it in KGYM_PYTHON"};
  for (const Json& sentence : ClaimedArray(body, "unprepared"))
    LogWarning("a zygote is slower than it could be: " + DumpJson(sentence));
  zygote->versions_ = body["versions"];
  zygote->sandbox_ = body["report"];
  zygote->backends_ = body["backends"];
  for (const Json& path : ClaimedArray(body, "shown"))
    zygote->shown_.push_back(path.is_string() ? path.get<std::string>() : "");
  co_return zygote;
}

Awaitable<Result<Packet>> Zygote::Ask(const Json& request, std::vector<int> fds, Duration limit) {
  const auto turn = co_await turn_.Acquire();
  KGYM_CO_TRY_VOID(channel_.Send(DumpJson(request), fds));
  if (!co_await WaitReadable(channel_, std::chrono::steady_clock::now() + limit))
    co_return Error{"no answer within " + FormatDuration(limit)};
  KGYM_CO_TRY(Packet packet, channel_.TryReceive());
  if (packet.bytes.empty()) co_return Error{"its process ended; what it printed stands above"};
  co_return std::move(packet);
}

Json Zygote::SandboxSpec(const HostSpec& spec, const std::vector<std::string>& cgroups) const {
  // Address space, which a fork of the zygote starts with in full, is not limited; private memory is, and the cgroup
  // sees all of it.
  const std::int64_t megabyte = 1 << 20;
  std::string fault;  // Where no program can be made the report of the host says so: it has none.
  std::string seccomp = SeccompProgramHex(SeccompFor(spec.kind), fault);
  if (!fault.empty()) LogWarning(fault);
  return {{"name", "kgym-" + std::string(ToString(spec.kind))},
          {"strict", spec.strict},
          {"cgroups", cgroups},
          {"memory_mb", spec.memory_bytes / megabyte},
          {"tmp_mb", spec.tmp_bytes / megabyte},
          {"shm_mb", spec.tmp_bytes / megabyte},
          {"files", spec.kind == HostKind::kReference ? kReferenceFiles : kFiles},
          {"processes", spec.processes},
          {"outside_uid", OutsideUid(spec)},
          {"seccomp_hex", std::move(seccomp)}};
}

Awaitable<Result<std::unique_ptr<Host>>> Zygote::Fork(HostSpec spec) {
  KGYM_CO_TRY(auto control, MakeChannelPair());
  KGYM_CO_TRY(auto work, MakeChannelPair());
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) co_return SystemError("pipe");
  Fd output(pipe_ends[0]), output_end(pipe_ends[1]);
  // Named after this process, so that a folder left behind by a judge that was killed tells whose it was.
  const std::string name = std::to_string(::getpid()) + "-" + std::to_string(pid_) + "-" + std::to_string(++forks_);
  const CgroupLimits limits{spec.memory_bytes, spec.processes};
  std::vector<std::string> cgroups = MakeCgroups(name, limits);
  Json request = {{"op", "fork"},
                  {"kind", std::string(ToString(spec.kind))},
                  {"card", spec.card},
                  {"cpus", spec.cpus},
                  {"threads", spec.threads},
                  {"sandbox", SandboxSpec(spec, cgroups)}};
  request.update(ground_);
  std::vector<int> ends = {control.second.get(), work.second.get(), output_end.get()};
  const Instant start = std::chrono::steady_clock::now();
  Result<Packet> answer = co_await Ask(request, std::move(ends), kForkLimit);
  if (!answer.ok()) {
    RemoveCgroups(executor_, std::move(cgroups));
    co_return Within("forking a host", answer.error());
  }
  KGYM_CO_TRY(Json body, ParseJson(answer->bytes, "the zygote's answer"));
  if (!body.value("ok", false) || answer->fds.size() != 1)
    co_return Error{"forking a host: " + ClaimedText(body, "message")};
  Host::Parts parts{spec.kind,
                    body["pid"].get<pid_t>(),
                    std::move(answer->fds[0]),
                    std::move(work.first),
                    std::move(control.first),
                    std::move(output),
                    std::move(cgroups),
                    spec.gate};
  auto host = std::make_unique<Host>(executor_, std::move(parts));
  control.second.reset();
  work.second.reset();
  output_end.reset();
  host->made.forked = std::chrono::steady_clock::now() - start;
  KGYM_CO_TRY_VOID(co_await host->Ready(kForkLimit));
  host->made.ready = std::chrono::steady_clock::now() - start;
  co_return host;
}

}  // namespace kgym::judge
