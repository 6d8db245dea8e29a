#include "judge/library_names.h"

#include <algorithm>
#include <array>

namespace kgym::judge {
namespace {

enum class Does { kProducts, kMore, kAsNamed };  // As named: what a function is must be read from its name.

struct Library {
  std::string_view part;  // Of a path; with a slash in front and none behind, the beginning of a file's name.
  std::string_view name;
  Does does;
};

constexpr Library kLibraries[] = {
    {"/libtorch_cpu.", "torch", Does::kAsNamed},
    {"/libtorch.", "torch", Does::kAsNamed},
    {"/libmkl_", "MKL", Does::kAsNamed},
    {"/libopenblas", "OpenBLAS", Does::kProducts},
    {"/libscipy_openblas", "OpenBLAS", Does::kProducts},
    {"/libblas.", "BLAS", Does::kProducts},
    {"/libcblas.", "BLAS", Does::kProducts},
    {"/libblis", "BLIS", Does::kProducts},
    {"/libatlas", "ATLAS", Does::kProducts},
    {"/liblapack", "LAPACK", Does::kMore},
    {"/libdnnl.", "oneDNN", Does::kProducts},
    {"/libonednn.", "oneDNN", Does::kProducts},
    {"/libfftw", "FFTW", Does::kMore},
    {"/numpy/", "NumPy", Does::kMore},
    {"/numpy.libs/", "NumPy", Does::kMore},
    {"/scipy/", "SciPy", Does::kMore},
    {"/scipy.libs/", "SciPy", Does::kMore},
    {"/jaxlib/", "JAX", Does::kMore},
    {"/tensorflow/", "TensorFlow", Does::kMore},
    {"/onnxruntime/", "ONNX Runtime", Does::kMore},
    {"/torchinductor/", "Inductor", Does::kMore},  // What torch's compiler writes in a host, which has it write there.
};

// Of what torch's library brings along: how the functions of MKL and oneDNN begin.
constexpr std::array<std::string_view, 2> kMklNames = {"mkl_", "cblas_"};
constexpr std::array<std::string_view, 2> kDnnlNames = {"dnnl_", "_ZN4dnnl"};
// And how those for products do, of MKL, and what torch's own have in their names.
constexpr std::array<std::string_view, 2> kMklProducts = {"mkl_blas", "cblas_"};
constexpr std::array<std::string_view, 3> kTorchProducts = {"gemm", "cpublas", "convolution"};

constexpr std::string_view kProducts[] = {
    "_addmm_activation",
    "_conv_depthwise2d",
    "_convolution",
    "_grouped_mm",
    "_int_mm",
    "_scaled_grouped_mm",
    "_scaled_mm",
    "_slow_conv2d_forward",
    "addbmm",
    "addmm",
    "addmv",
    "baddbmm",
    "bmm",
    "conv_depthwise3d",
    "convolution",
    "convolution_overrideable",
    "cudnn_convolution",
    "cudnn_convolution_add_relu",
    "cudnn_convolution_relu",
    "cudnn_convolution_transpose",
    "dot",
    "linear",
    "matmul",
    "mkldnn_convolution",
    "mkldnn_linear",
    "mm",
    "mv",
    "slow_conv3d_forward",
    "slow_conv_dilated2d",
    "slow_conv_dilated3d",
    "slow_conv_transpose2d",
    "slow_conv_transpose3d",
    "thnn_conv2d",
    "vdot",
};
static_assert(std::ranges::is_sorted(kProducts));

bool BeginsWithOne(std::string_view text, const auto& begins) {
  return std::ranges::any_of(begins, [text](std::string_view begin) { return text.starts_with(begin); });
}

/// By the name, since the file has several libraries in it; without a name it is the file's own.
LibraryFunction AsNamed(std::string_view file_of, std::string_view function) {
  if (BeginsWithOne(function, kMklNames)) return {"MKL", BeginsWithOne(function, kMklProducts)};
  if (BeginsWithOne(function, kDnnlNames)) return {"oneDNN", true};
  const auto within = [function](std::string_view part) { return function.find(part) != std::string_view::npos; };
  return {std::string(file_of), std::ranges::any_of(kTorchProducts, within)};
}

/// Where the path has the part: of a file's name its beginning, of a folder's all of it.
bool Has(std::string_view path, std::string_view part) {
  const std::size_t at = path.rfind(part);
  return at != std::string_view::npos && (part.back() == '/' || path.find('/', at + 1) == std::string_view::npos);
}

}  // namespace

LibraryFunction LibraryOf(std::string_view file, std::string_view function) {
  const auto* known = std::ranges::find_if(kLibraries, [file](const Library& one) { return Has(file, one.part); });
  if (known == std::end(kLibraries)) return {};
  if (known->does == Does::kAsNamed) return AsNamed(known->name, function);
  return {std::string(known->name), known->does == Does::kProducts};
}

bool IsProduct(std::string_view framework_operator) {
  const std::size_t colons = framework_operator.rfind("::");
  const std::string_view name =
      colons == std::string_view::npos ? framework_operator : framework_operator.substr(colons + 2);
  return std::ranges::binary_search(kProducts, name);
}

}  // namespace kgym::judge
