#include "judge/probe/gpu_image.h"

#include <map>
#include <string>

namespace kgym::judge::probe {
namespace {

std::map<std::string, std::string>& Images() {
  static std::map<std::string, std::string> images;
  return images;
}

PyObject* Kernels(PyObject*, PyObject*) {
  return Guarded([] { return Py_BuildValue("{s:s,s:s}", "occupy", kOccupyPtx, "checksum", kChecksumPtx); });
}

PyObject* UseImage(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    const char *name = nullptr, *image = nullptr;
    Py_ssize_t size = 0;
    if (!PyArg_ParseTuple(args, "sy#:gpu_use_image", &name, &image, &size)) return nullptr;
    Images()[name].assign(image, static_cast<std::size_t>(size));
    Py_RETURN_NONE;
  });
}

}  // namespace

const void* ImageOr(const char* name, const char* ptx) {
  const auto found = Images().find(name);
  return found == Images().end() ? ptx : found->second.data();
}

PyMethodDef kGpuImageMethods[] = {
    {"gpu_kernels", Kernels, METH_NOARGS, "gpu_kernels() -> dict[str, str]\n\nThe PTX of the probe's own kernels."},
    {"gpu_use_image", UseImage, METH_VARARGS,
     "gpu_use_image(name: str, image: bytes) -> None\n\nWhat was compiled of one of gpu_kernels()."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace kgym::judge::probe
