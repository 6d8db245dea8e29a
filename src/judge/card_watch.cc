#include "judge/card_watch.h"

#include <algorithm>

#include "base/text.h"

namespace kgym::judge {
namespace {

// nvmlMemoryErrorType_t and nvmlEccCounterType_t.
constexpr int kCorrected = 0, kUncorrected = 1, kSinceDriverLoad = 0;

// Of one look: a card that reports without end must not keep anybody.
constexpr int kMostEvents = 1000;

// NVIDIA's catalogue of Xids: those whose cause may be the program. 8 and 109: a kernel that does not end or yield; 13,
// 31, 69: illegal instructions and accesses; 32, 68: a broken command stream; 43, 45: a context that is being ended,
// for such an error or because its process was killed; 137: an access to memory of another card.
constexpr int kOfPrograms[] = {8, 13, 31, 32, 43, 45, 68, 69, 109, 137};

struct Meaning {
  int xid;
  const char* words;
};
constexpr Meaning kMeanings[] = {
    {48, "a double-bit ECC error"},
    {62, "its power controller halted"},
    {63, "a row of its memory is to be replaced"},
    {64, "a row of its memory could not be replaced"},
    {74, "an error of NVLink"},
    {79, "it has fallen off the bus"},
    {92, "many single-bit ECC errors"},
    {94, "a contained ECC error"},
    {95, "an uncontained ECC error"},
    {119, "its system processor does not answer"},
    {120, "its system processor failed"},
};

std::string Words(int xid) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.xid == xid) return Concat("Xid ", xid, " (", meaning.words, ")");
  }
  return Concat("Xid ", xid);
}

std::uint64_t Grown(std::uint64_t before, std::uint64_t after) { return after > before ? after - before : 0; }

}  // namespace

bool IsOfAProgram(int xid) { return std::ranges::find(kOfPrograms, xid) != std::end(kOfPrograms); }

std::string CardErrors::Fault() const {
  if (lost) return "the card is lost: the driver does not reach it any more";
  std::vector<std::string> words;
  for (const int xid : xids) {
    if (!IsOfAProgram(xid)) words.push_back(Words(xid));
  }
  if (uncorrected > 0) words.push_back(Concat(uncorrected, " uncorrectable ECC error(s)"));
  return words.empty() ? "" : "the card reported " + Join(words, ", ");
}

void CardErrors::AddTo(Json& facts) const {
  if (!xids.empty()) facts["xid"] = xids;
  if (corrected + uncorrected > 0) facts["ecc_errors"] = {{"corrected", corrected}, {"uncorrected", uncorrected}};
}

CardErrors Between(const CardReports& before, const CardReports& after) {
  CardErrors errors;
  for (const auto& [xid, count] : after.xids) {
    const auto known = before.xids.find(xid);
    if (known == before.xids.end() || count > known->second) errors.xids.push_back(xid);
  }
  errors.corrected = Grown(before.corrected, after.corrected);
  errors.uncorrected =
      std::max(Grown(before.uncorrected, after.uncorrected), Grown(before.double_bit, after.double_bit));
  errors.lost = after.lost;
  return errors;
}

CardWatch::CardWatch(const Card& card, const NvmlLibrary& nvml) : nvml_(nvml) {
  const Result<NvmlDevice> own = DeviceByUuid(nvml, card.uuid);
  const Result<NvmlDevice> whole = card.parent.empty() ? own : DeviceByUuid(nvml, card.parent);
  if (!own.ok() || !whole.ok()) {
    missing_ = own.ok() ? whole.error().message : own.error().message;
    return;
  }
  device_ = *whole;
  if (!card.parent.empty() && nvml.GpuInstance != nullptr) nvml.GpuInstance(*own, &instance_);
  missing_ = Register();
  Look();
}

CardWatch::~CardWatch() {
  if (events_ != nullptr) nvml_.EventSetFree(events_);
}

std::string CardWatch::Register() {
  if (nvml_.EventSetCreate == nullptr || nvml_.EventSetFree == nullptr || nvml_.EventSetWait == nullptr ||
      nvml_.SupportedEvents == nullptr || nvml_.RegisterEvents == nullptr)
    return "this driver is too old to tell of Xids";
  unsigned long long types = 0;
  int code = nvml_.SupportedEvents(device_, &types);
  types &= kNvmlXid | kNvmlDoubleBitError;
  if (code == kNvmlOk && types == 0) return "the driver does not tell of Xids on this card";
  if (code == kNvmlOk) code = nvml_.EventSetCreate(&events_);
  if (code == kNvmlOk) code = nvml_.RegisterEvents(device_, types, events_);
  return code == kNvmlOk ? "" : Concat("the driver does not tell of Xids: ", nvml_.ErrorString(code));
}

const CardReports& CardWatch::Look(Duration patience) {
  if (device_ == nullptr) return reports_;
  reports_.lost = false;
  if (missing_.empty()) TakeEvents(patience);
  TakeCounters();
  return reports_;
}

void CardWatch::TakeEvents(Duration patience) {
  for (int taken = 0; taken < kMostEvents; ++taken) {
    NvmlEvent event;
    const int code = nvml_.EventSetWait(events_, &event, taken == 0 ? static_cast<unsigned>(ToMs(patience)) : 0);
    reports_.lost = reports_.lost || code == kNvmlLost;
    if (code != kNvmlOk) return;  // Usually that there is none.
    if (!Concerns(event)) continue;
    if (event.type == kNvmlXid) ++reports_.xids[static_cast<int>(event.data)];
    if (event.type == kNvmlDoubleBitError) ++reports_.double_bit;
  }
}

bool CardWatch::Concerns(const NvmlEvent& event) const {
  return instance_ == kNvmlNoInstance || event.gpu_instance == kNvmlNoInstance || event.gpu_instance == instance_;
}

void CardWatch::TakeCounters() {
  if (nvml_.EccErrors == nullptr) return;
  const auto read = [this](int type, std::uint64_t& count) {
    unsigned long long value = 0;
    const int code = nvml_.EccErrors(device_, type, kSinceDriverLoad, &value);
    if (code == kNvmlOk) count = value;  // Else the card has no ECC, or keeps none.
    reports_.lost = reports_.lost || code == kNvmlLost;
  };
  read(kCorrected, reports_.corrected);
  read(kUncorrected, reports_.uncorrected);
}

}  // namespace kgym::judge
