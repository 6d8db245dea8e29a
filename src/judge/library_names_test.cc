#include "judge/library_names.h"

#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

constexpr const char* kTorch = "/v/site-packages/torch/lib/libtorch_cpu.so";

TEST(LibraryNames, AFileTellsItsLibrary) {
  EXPECT_EQ(LibraryOf("/v/numpy.libs/libscipy_openblas64_-1.so", "").library, "OpenBLAS");
  EXPECT_EQ(LibraryOf("/usr/lib/libmkl_core.so.2", "mkl_blas_avx2_sgemm_kernel_0").library, "MKL");
  EXPECT_EQ(LibraryOf("/v/numpy/_core/_multiarray_umath.so", "").library, "NumPy");
  EXPECT_EQ(LibraryOf("/tmp/torchinductor/cq/cq4.main.so", "").library, "Inductor");
  for (const char* none : {"/tmp/torchinductor.so", "/usr/lib/libc.so.6", "/v/torch/lib/libtorch_python.so",
                           "/libtorch_cpu.d/libown.so", "/tmp/my_libmkl_core.so", "[vdso]", ""})
    EXPECT_EQ(LibraryOf(none, "").library, "") << none;
}

TEST(LibraryNames, TorchsFileHasSeveralLibrariesInIt) {
  EXPECT_EQ(LibraryOf(kTorch, "").library, "torch");
  EXPECT_EQ(LibraryOf(kTorch, "mkl_blas_avx512_sgemm_copyan").library, "MKL");
  EXPECT_EQ(LibraryOf(kTorch, "_ZN4dnnl4impl3cpu").library, "oneDNN");
}

TEST(LibraryNames, ProductsAreToldFromWhatElseALibraryHas) {
  EXPECT_TRUE(LibraryOf(kTorch, "mkl_blas_avx512_sgemm_copyan").product);
  EXPECT_FALSE(LibraryOf(kTorch, "mkl_vml_serv_threader_s_1i_1o").product);
  EXPECT_FALSE(LibraryOf(kTorch, "").product);
  EXPECT_TRUE(LibraryOf(kTorch, "_ZN2at6native7cpublas4gemmEv").product);
  EXPECT_FALSE(LibraryOf("/v/numpy/_core/_multiarray_umath.so", "").product);
  EXPECT_TRUE(LibraryOf("/usr/lib/libopenblas.so.0", "").product);
}

TEST(LibraryNames, OfOperatorsProductsAndConvolutions) {
  for (const char* name : {"aten::mm", "aten::addmm", "aten::bmm", "aten::convolution", "aten::mkldnn_convolution",
                           "aten::_scaled_mm", "aten::dot"})
    EXPECT_TRUE(IsProduct(name)) << name;
  for (const char* name : {"aten::relu", "aten::_softmax", "aten::mul", "aten::cudnn_batch_norm", "aten::_fft_r2c",
                           "aten::_scaled_dot_product_flash_attention", "aten::mmm", ""})
    EXPECT_FALSE(IsProduct(name)) << name;
}

}  // namespace
}  // namespace kgym::judge
