#include "judge/card_peaks.h"

namespace kgym::judge {
namespace {

struct Peak {
  const char* name;  // Part of NVML's; the first row that fits counts.
  double gb_per_s;
};

// NVIDIA's data sheets of each card, memory bandwidth, as of 2025. Where a name covers several, the fastest.
constexpr Peak kPeaks[] = {
    {"B300", 8000},         {"B200", 8000},      {"GB200", 8000},       {"H200", 4800},    {"GH200", 4900},
    {"H100 PCIe", 2039},    {"H100 NVL", 3938},  {"H100", 3352},        {"H800", 3352},    {"H20", 4000},
    {"A100-SXM4-80", 2039}, {"A100 80GB", 1935}, {"A100", 1555},        {"A800", 2039},    {"L40S", 864},
    {"L40", 864},           {"L4", 300},         {"A40", 696},          {"A10", 600},      {"V100", 900},
    {"RTX 5090", 1792},     {"RTX 4090", 1008},  {"RTX 3090 Ti", 1008}, {"RTX 3090", 936}, {"T4", 320},
};

constexpr double kUnknown = 10000;

// Medians of kernels of 47 to 130 us, one kernel a call; scripts/gpu_accuracy.py prints what they rest on.
constexpr struct {
  const char* name;
  double ms;
} kEventCosts[] = {{"H100", 0.0022}};

}  // namespace

double PeakMemoryGbPerS(const std::string& name) {
  for (const Peak& peak : kPeaks) {
    if (name.find(peak.name) != std::string::npos) return peak.gb_per_s;
  }
  return kUnknown;
}

double EventCostMs(const std::string& name) {
  for (const auto& cost : kEventCosts) {
    if (name.find(cost.name) != std::string::npos) return cost.ms;
  }
  return 0;
}

}  // namespace kgym::judge
