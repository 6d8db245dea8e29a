#include "gpu_card.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/clock.h"
#include "judge/statistics.h"

namespace kgym::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kMb = 1 << 20;
constexpr Duration kSampleEvery = 200ms, kLookEvery = 250ms, kStandsStill = 2s, kSettleLimit = 20s;

/// NVML's utilisation of one card: per cent of its last sample period.
class Utilisation {
 public:
  explicit Utilisation(const std::string& uuid) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    const auto by_uuid = reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "nvmlDeviceGetHandleByUUID"));
    rates_ = reinterpret_cast<int (*)(void*, unsigned*)>(dlsym(library, "nvmlDeviceGetUtilizationRates"));
    if (!init || !by_uuid || init() != 0 || by_uuid(uuid.c_str(), &device_) != 0) device_ = nullptr;
  }

  std::optional<double> Share() const {
    unsigned gpu_and_memory[2] = {};
    if (device_ == nullptr || rates_ == nullptr || rates_(device_, gpu_and_memory) != 0) return std::nullopt;
    return gpu_and_memory[0] / 100.0;
  }

 private:
  void* device_ = nullptr;
  int (*rates_)(void*, unsigned*) = nullptr;
};

/// The number after `key` in a file of lines such as "Private_Dirty:  12 kB"; nothing where it cannot be read.
std::optional<double> KbOf(const fs::path& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) return std::strtod(line.c_str() + key.size(), nullptr);
  }
  return std::nullopt;
}

/// Private memory of a process, in KB: nobody else maps these pages. Where the exact account is closed to us, what is
/// anonymous, which counts pages still shared with the zygote, too.
std::optional<double> PrivateKb(const fs::path& process, std::string& by) {
  const auto clean = KbOf(process / "smaps_rollup", "Private_Clean:");
  const auto dirty = KbOf(process / "smaps_rollup", "Private_Dirty:");
  if (clean && dirty) return *clean + *dirty;
  by = "status";
  return KbOf(process / "status", "RssAnon:");
}

/// pid -> parent, of all processes that can be seen.
std::map<pid_t, pid_t> Parents() {
  std::map<pid_t, pid_t> parents;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (const auto parent = KbOf(entry.path() / "status", "PPid:"))
      parents[static_cast<pid_t>(std::stol(name))] = static_cast<pid_t>(*parent);
  }
  return parents;
}

/// Hosts are the judge's great-grandchildren: zygote, supervisor, host.
std::vector<pid_t> Hosts() {
  const std::map<pid_t, pid_t> parents = Parents();
  const auto above = [&parents](pid_t pid) {
    const auto found = parents.find(pid);
    return found == parents.end() ? pid_t{0} : found->second;
  };
  std::vector<pid_t> hosts;
  for (const auto& [pid, parent] : parents) {
    if (above(above(parent)) == ::getpid()) hosts.push_back(pid);
  }
  return hosts;
}

}  // namespace

struct BusyMeter::Samples {
  double sum = 0;
  std::size_t count = 0;
  bool stopped = false;
};

BusyMeter::BusyMeter(Executor executor, const std::optional<judge::Card>& card) : samples_(new Samples) {
  if (!card) return;
  const auto sample = [](std::shared_ptr<Samples> samples, std::string uuid) -> Awaitable<void> {
    const Utilisation utilisation(uuid);
    while (!samples->stopped) {
      if (const auto share = utilisation.Share()) samples->sum += *share, ++samples->count;
      co_await SleepFor(kSampleEvery);
    }
  };
  Spawn(executor, sample(samples_, card->uuid));
}

BusyMeter::~BusyMeter() { samples_->stopped = true; }

std::optional<double> BusyMeter::Stop() {
  samples_->stopped = true;
  if (samples_->count == 0) return std::nullopt;
  return samples_->sum / static_cast<double>(samples_->count);
}

Json Taken::ToJson() const {
  Json json = {{"hosts", hosts}, {"judge_mb", judge_mb}, {"descriptors", descriptors}, {"private_by", private_by}};
  json["card_mb"] = card_mb ? Json(*card_mb) : Json();
  json["host_private_mb"] = host_private_mb ? Json(*host_private_mb) : Json();
  return json;
}

Taken Look(const std::optional<judge::Card>& card) {
  Taken taken;
  if (card) {
    const Result<judge::CardState> state = judge::StateOf(*card);
    if (state.ok()) taken.card_mb = static_cast<double>(state->used_bytes) / kMb;
  }
  taken.private_by = "smaps_rollup";
  std::vector<double> private_mb;
  for (const pid_t pid : Hosts()) {
    ++taken.hosts;
    const auto kb = PrivateKb(fs::path("/proc") / std::to_string(pid), taken.private_by);
    if (kb) private_mb.push_back(*kb / 1024);
  }
  if (!private_mb.empty()) taken.host_private_mb = judge::Median(private_mb);
  taken.judge_mb = KbOf("/proc/self/status", "VmRSS:").value_or(0) / 1024;
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/fd", error), end; at != end; ++at) ++taken.descriptors;
  return taken;
}

Awaitable<Taken> LookWhenSettled(const std::optional<judge::Card>& card) {
  const Instant start = std::chrono::steady_clock::now();
  Instant changed = start;
  std::size_t hosts = Hosts().size();
  for (Instant now = start; now - changed < kStandsStill && now - start < kSettleLimit;) {
    co_await SleepFor(kLookEvery);
    now = std::chrono::steady_clock::now();
    const std::size_t seen = Hosts().size();
    if (seen != hosts) changed = now;
    hosts = seen;
  }
  co_return Look(card);
}

}  // namespace kgym::bench
