#include "judge/probe/gpu_occupy.h"

#include <algorithm>

#include "judge/probe/gpu_image.h"

namespace kgym::judge::probe {

// Every thread writes 16 bytes at a time, a grid apart, up to `quads` of them, and then waits until `ns` nanoseconds
// after its start.
const char* const kOccupyPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry kgym_occupy(.param .u64 scratch, .param .u64 quads, .param .u64 ns)
{
  .reg .pred %done, %early;
  .reg .b32 %block, %width, %thread, %blocks, %value;
  .reg .b64 %start, %now, %base, %quads, %ns, %index, %step, %at;
  mov.u64 %start, %globaltimer;
  ld.param.u64 %base, [scratch];
  ld.param.u64 %quads, [quads];
  ld.param.u64 %ns, [ns];
  cvta.to.global.u64 %base, %base;
  mov.u32 %block, %ctaid.x;
  mov.u32 %width, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %index, %block, %width;
  cvt.u64.u32 %at, %thread;
  add.u64 %index, %index, %at;
  mul.wide.u32 %step, %blocks, %width;
  cvt.u32.u64 %value, %start;
write:
  setp.ge.u64 %done, %index, %quads;
  @%done bra wait;
  shl.b64 %at, %index, 4;
  add.u64 %at, %at, %base;
  st.global.v4.u32 [%at], {%value, %value, %value, %value};
  add.u64 %index, %index, %step;
  bra write;
wait:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %early, %now, %ns;
  @%early bra wait;
  ret;
}
)";

namespace {

constexpr int kMaxBlock = 1024;
// A quarter more than the cache holds: its lines are not replaced in strict order.
constexpr double kFlush = 1.25;

}  // namespace

Occupier* Occupier::Get(std::string& error) {
  static Occupier occupier;
  static const std::string failed = occupier.Make();
  error = failed;
  return failed.empty() ? &occupier : nullptr;
}

std::string Occupier::Make() {
  std::string error;
  driver_ = Driver::Get(error);
  if (driver_ == nullptr) return error;
  const Driver& d = *driver_;
  int device = 0;
  if (int code = d.CtxGetDevice(&device); code != 0) return d.Describe("cuCtxGetDevice", code);
  const auto ask = [&](CuAttribute what, int& value) {
    return d.DeviceGetAttribute(&value, static_cast<int>(what), device);
  };
  int code = ask(CuAttribute::kMultiprocessors, multiprocessors_);
  if (code == 0) code = ask(CuAttribute::kThreadsPerMultiprocessor, threads_);
  if (code == 0) code = ask(CuAttribute::kL2Bytes, l2_bytes_);
  if (code != 0) return d.Describe("cuDeviceGetAttribute", code);
  CuModule module = nullptr;
  if (code = d.ModuleLoadData(&module, ImageOr("occupy", kOccupyPtx)); code != 0)
    return d.Describe("cuModuleLoadData", code);
  if (code = d.ModuleGetFunction(&kernel_, module, "kgym_occupy"); code != 0)
    return d.Describe("cuModuleGetFunction", code);
  scratch_bytes_ = static_cast<std::size_t>(kFlush * std::max(l2_bytes_, 4 << 20)) / 16 * 16;
  if (code = d.MemAlloc(&scratch_, scratch_bytes_); code != 0) return d.Describe("cuMemAlloc", code);
  return "";
}

int Occupier::Launch(long long ns, bool flush) {
  // Blocks of half a multiprocessor's threads where that is possible: two of them leave no slot free.
  const int per_multiprocessor = std::max(1, (threads_ + kMaxBlock - 1) / kMaxBlock);
  const auto block = static_cast<unsigned>(threads_ / per_multiprocessor);
  const auto grid = static_cast<unsigned>(multiprocessors_ * per_multiprocessor);
  std::uint64_t quads = flush ? scratch_bytes_ / 16 : 0, wait = static_cast<std::uint64_t>(std::max(0LL, ns));
  void* parameters[] = {&scratch_, &quads, &wait};
  return driver_->LaunchKernel(kernel_, grid, 1, 1, block, 1, 1, 0, nullptr, parameters, nullptr);
}

}  // namespace kgym::judge::probe
