#include "judge/probe/gpu_content.h"

#include <string>

#include "judge/probe/cuda_driver.h"
#include "judge/probe/gpu_image.h"

namespace kgym::judge::probe {

// The sum over all bytes of (value + 1) mixed with its place, modulo 2^64: threads may add in any order. A word of
// eight bytes at a time; the last few bytes one by one.
const char* const kChecksumPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry kgym_checksum(.param .u64 data, .param .u64 bytes, .param .u64 sum)
{
  .reg .pred %done, %rest;
  .reg .b32 %block, %width, %thread, %blocks;
  .reg .b64 %data, %bytes, %sum, %words, %index, %step, %at, %value, %mixed, %total;
  ld.param.u64 %data, [data];
  ld.param.u64 %bytes, [bytes];
  ld.param.u64 %sum, [sum];
  cvta.to.global.u64 %data, %data;
  cvta.to.global.u64 %sum, %sum;
  mov.u32 %block, %ctaid.x;
  mov.u32 %width, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %index, %block, %width;
  cvt.u64.u32 %at, %thread;
  add.u64 %index, %index, %at;
  mul.wide.u32 %step, %blocks, %width;
  shr.u64 %words, %bytes, 3;
  mov.u64 %total, 0;
  setp.ne.u64 %rest, %index, 0;
words:
  setp.ge.u64 %done, %index, %words;
  @%done bra tail;
  shl.b64 %at, %index, 3;
  add.u64 %at, %at, %data;
  ld.global.u64 %value, [%at];
  mul.lo.u64 %mixed, %index, 0x9E3779B97F4A7C15;
  xor.b64 %value, %value, %mixed;
  mul.lo.u64 %value, %value, 0xBF58476D1CE4E5B9;
  shr.u64 %mixed, %value, 29;
  xor.b64 %value, %value, %mixed;
  add.u64 %total, %total, %value;
  add.u64 %index, %index, %step;
  bra words;
tail:
  @%rest bra finish;
  shl.b64 %index, %words, 3;
single:
  setp.ge.u64 %done, %index, %bytes;
  @%done bra finish;
  add.u64 %at, %data, %index;
  ld.global.u8 %value, [%at];
  add.u64 %value, %value, 1;
  add.u64 %mixed, %index, 1;
  mul.lo.u64 %mixed, %mixed, 0x94D049BB133111EB;
  mul.lo.u64 %value, %value, %mixed;
  add.u64 %total, %total, %value;
  add.u64 %index, %index, 1;
  bra single;
finish:
  red.global.add.u64 [%sum], %total;
  ret;
}
)";

namespace {

constexpr unsigned kBlocks = 1024, kThreads = 256;

/// The kernel and the eight bytes that it adds to; made at first use, for the life of the process.
struct Checksum {
  const Driver* driver = nullptr;
  CuFunction kernel = nullptr;
  CuDevicePtr sum = 0;
  std::string error;

  Checksum() {
    driver = Driver::Get(error);
    if (driver == nullptr) return;
    CuModule module = nullptr;
    if (int code = driver->ModuleLoadData(&module, ImageOr("checksum", kChecksumPtx)); code != 0) {
      error = driver->Describe("cuModuleLoadData", code);
    } else if (code = driver->ModuleGetFunction(&kernel, module, "kgym_checksum"); code != 0) {
      error = driver->Describe("cuModuleGetFunction", code);
    } else if (code = driver->MemAlloc(&sum, 8); code != 0) {
      error = driver->Describe("cuMemAlloc", code);
    }
  }

  int Compute(std::uint64_t address, std::uint64_t bytes, std::uint64_t& found) const {
    CuDevicePtr target = sum;
    void* parameters[] = {&address, &bytes, &target};
    int code = driver->CtxSynchronize();
    if (code == 0) code = driver->MemsetD8(sum, 0, 8);
    if (code == 0) code = driver->LaunchKernel(kernel, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr);
    if (code == 0) code = driver->MemcpyDtoH(&found, sum, 8);
    return code;
  }
};

PyObject* ComputeChecksum(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    unsigned long long address = 0, bytes = 0;
    if (!PyArg_ParseTuple(args, "KK:gpu_checksum", &address, &bytes)) return nullptr;
    static const Checksum checksum;
    if (!checksum.error.empty()) return Fail(checksum.error);
    std::uint64_t found = 0;
    if (int code = checksum.Compute(address, bytes, found); code != 0)
      return Fail(checksum.driver->Describe("reading GPU memory", code));
    return PyLong_FromUnsignedLongLong(found);
  });
}

PyObject* Fill(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    unsigned long long address = 0, bytes = 0;
    int byte = 0;
    if (!PyArg_ParseTuple(args, "KKi:gpu_fill", &address, &bytes, &byte)) return nullptr;
    std::string error;
    const Driver* driver = Driver::Get(error);
    if (driver == nullptr) return Fail(error);
    int code = driver->CtxSynchronize();
    if (code == 0) code = driver->MemsetD8(address, static_cast<unsigned char>(byte), bytes);
    if (code == 0) code = driver->CtxSynchronize();
    if (code != 0) return Fail(driver->Describe("filling GPU memory", code));
    Py_RETURN_NONE;
  });
}

}  // namespace

PyMethodDef kGpuContentMethods[] = {
    {"gpu_checksum", ComputeChecksum, METH_VARARGS,
     "gpu_checksum(address: int, bytes: int) -> int\n\n64 bits of what lies there, once all streams are done."},
    {"gpu_fill", Fill, METH_VARARGS, "gpu_fill(address: int, bytes: int, byte: int) -> None"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace kgym::judge::probe
