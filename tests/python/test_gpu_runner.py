"""What of GPU lanes can be shown without a GPU: the probe's kernels assemble, profiles are sorted, the zygote goes on where something is missing."""
from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import stand_ins  # noqa: F401  (finds the runner)
from kgym_runner import device, gpu_zygote, own_work, profile, provenance
from kgym_runner.backends.calls import Calls

PROBE = os.environ.get("KGYM_PROBE_DIR", "")
ASSEMBLER = gpu_zygote._assembler()
needs_probe = pytest.mark.skipif(not PROBE, reason="KGYM_PROBE_DIR is not set")
needs_assembler = pytest.mark.skipif(ASSEMBLER is None, reason="there is no ptxas: triton brings one")


@pytest.fixture(scope="module")
def probe() -> ModuleType:
    spec = importlib.util.spec_from_file_location("_probe", Path(PROBE) / "_probe.abi3.so")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_probe
@needs_assembler
@pytest.mark.parametrize("arch", ["75", "80", "86", "89", "90", "100", "120"])
def test_the_probes_kernels_assemble_and_leave_room_for_two_full_blocks(probe: ModuleType, arch: str, tmp_path: Path) -> None:
    """65,536 registers serve 2,048 threads: with more than 32 each, the kernel that must fill a multiprocessor would not."""
    for name, text in probe.gpu_kernels().items():
        source = tmp_path / f"{name}.ptx"
        source.write_text(text)
        done = subprocess.run([ASSEMBLER, "-v", f"-arch=sm_{arch}", source, "-o", tmp_path / "image"], capture_output=True, text=True, check=False)
        if "is not defined for option" in done.stderr or "Unsupported" in done.stderr:
            pytest.skip(f"this ptxas does not know sm_{arch}")
        assert done.returncode == 0, done.stderr
        assert int(re.search(r"Used (\d+) registers", done.stderr).group(1)) <= 32


@needs_probe
def test_a_probe_without_a_driver_says_so(probe: ModuleType) -> None:
    if os.path.exists("/dev/nvidiactl"):
        pytest.skip("there is a driver here")
    for call in (lambda: probe.gpu_memory_info(), lambda: probe.gpu_probe_idle(1), lambda: probe.gpu_run_batch(print, [], print, 0), lambda: probe.gpu_checksum(0, 8)):
        with pytest.raises(RuntimeError, match="there is no CUDA driver: libcuda.so.1"):
            call()


class FakeProbe:
    """Takes images as the real one does."""

    def __init__(self) -> None:
        self.images: dict[str, bytes] = {}

    def gpu_kernels(self) -> dict[str, str]:
        return {"empty": ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty() { ret; }\n"}

    def gpu_use_image(self, name: str, image: bytes) -> None:
        self.images[name] = image


@needs_assembler
def test_kernels_are_compiled_ahead() -> None:
    fake = FakeProbe()
    gpu_zygote.compile_kernels(fake, "90")
    assert fake.images["empty"][:4] == b"\x7fELF"


def test_a_zygote_goes_on_without_what_it_cannot_prepare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(*_: Any) -> None:
        raise OSError("no space left")
    monkeypatch.setattr(gpu_zygote, "compile_kernels", broken)
    monkeypatch.setattr(gpu_zygote, "_seed", broken)
    monkeypatch.setattr(gpu_zygote, "names", lambda: ())
    assert gpu_zygote.prepare(FakeProbe(), "90", str(tmp_path)) == [
        "compiling the probe's kernels: OSError: no space left", "building Triton's helpers: OSError: no space left"]


class Recorder:
    """A probe whose card ran what a test says."""

    def __init__(self, rows: list[tuple[str, int, int, int, int]]):
        self.rows, self.entered = rows, []

    def gpu_profile_start(self) -> None:
        pass

    def gpu_profile_stop(self) -> list[tuple[str, int, int, int, int]]:
        return self.rows

    def gpu_profile_enter(self, owner: int) -> None:
        self.entered.append(owner)

    def gpu_profile_leave(self) -> None:
        self.entered.append(0)


def test_kernels_are_told_apart_by_who_launched_them_and_libraries_by_name() -> None:
    rows = [("_Z4fastPfS_i", -1, 7, 1000, 3000), ("_Z4fastPfS_i", -1, 7, 4000, 6000), ("sm90_xmma_gemm_f32f32", -1, 7, 6000, 7000),
            ("void at::native::vectorized_elementwise_kernel", profile.FRAMEWORK, 7, 7000, 7500), ("kgym_checksum", profile.JUDGE, 7, 0, 90_000), ("memcpy", -1, 13, 8000, 8250)]
    with profile.Profile(Recorder(rows)) as recorded:
        pass
    found = recorded.json()
    assert found["us"] == {"own": 4.25, "library": 1.0, "framework": 0.5}
    assert found["kernels"][0] == {"name": "fast(float*, float*, int)", "owner": "own", "launches": 2, "us": 4.0}
    assert found["launches"] == 5 and found["streams"] == 2 and found["span_us"] == 7.25


@pytest.mark.parametrize("name, owner", [
    ("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT", "library"), ("ampere_sgemm_128x64_nn", "library"), ("void cutlass_80_tensorop_s1688gemm", "library"),
    ("cudnn_infer_ampere_scudnn_winograd", "library"), ("softmax_kernel", "own"), ("my_cutlass_gemm", "own"), ("triton_poi_fused_add_0", "own"), ("samples_kernel", "own"),
    ("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15gelu_functor", "framework"), ("void at::native::reduce_kernel<512, 1>", "framework"),
    ("_ZN14at_cuda_detail3cub17DeviceScanKernel", "framework"), ("_ZN3cub17DeviceScanKernel", "own"), ("combat::native::kernel", "own")])
def test_names_of_libraries(name: str, owner: str) -> None:
    assert profile.whose(name, -1) == owner


@pytest.mark.parametrize("name, library, product", [
    ("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT", "cuBLAS", True), ("void splitKreduce_kernel<32, 16>", "cuBLAS", True),
    ("sm80_xmma_fprop_implicit_gemm_f32f32", "cuDNN", True), ("void cudnn::ops::nchwToNhwcKernel<float>", "cuDNN", True),
    ("void cudnn::bn_fw_tr_1C11_kernel_NCHW", "cuDNN", False), ("void softmax_fw_kernel_cudnn", "cuDNN", False),
    ("void vector_fft<256u>", "cuFFT", False), ("_Z11regular_fftv", "cuFFT", False), ("void cusparse::csrmv_kernel", "cuSPARSE", False), ("my_vector_fft", "", False)])
def test_libraries_have_names_and_products(name: str, library: str, product: bool) -> None:
    assert profile.library_of(name) == library and profile.is_product(name) == product


def test_what_a_submission_calls_itself_is_told_from_what_the_framework_calls() -> None:
    rows = [("nvjet_a", profile.FRAMEWORK, 7, 0, 1000), ("nvjet_a", -1, 7, 1000, 3000), ("void vector_fft<256u>", -1, 7, 3000, 3500), ("own", -1, 7, 3500, 4000)]
    with profile.Profile(Recorder(rows)) as recorded:
        pass
    found = recorded.json()
    assert found["libraries"] == {"cuBLAS": 3.0, "cuFFT": 0.5} and found["called"] == {"cuBLAS": 2.0, "cuFFT": 0.5}
    assert found["called_beyond_products"] == {"cuFFT": 0.5}


def test_a_kernel_of_the_submission_may_be_called_like_a_librarys() -> None:
    rows = [("hopper_matmul", -1, 7, 0, 1000), ("hopper_matmul", profile.FRAMEWORK, 7, 1000, 1500), ("nvjet_a", -1, 7, 2000, 4000)]
    with profile.Profile(Recorder(rows)) as recorded:
        pass
    found = recorded.json(lambda name: name == "hopper_matmul")
    assert found["us"] == {"own": 1.0, "library": 2.5, "framework": 0.0} and found["called"] == {"cuBLAS": 2.0}


def test_what_a_submission_brought_is_known_by_launches_and_by_what_was_built_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tmp_path / "kernel.so"
    built.write_bytes(b"\x7fELF..\0_Z15winograd_kernelPf\0..")
    calls = Calls()
    calls.launches["hopper_matmul"] += 1
    elsewhere = own_work._Brought(calls, [str(built)])
    assert elsewhere("hopper_matmul") and not elsewhere("_Z15winograd_kernelPf") and not elsewhere("gemv2")
    monkeypatch.setattr(own_work, "_BUILT", str(tmp_path) + "/")
    brought = own_work._Brought(calls, [str(built), str(tmp_path / "missing.so")])
    assert brought("_Z15winograd_kernelPf") and not brought("winograd") and not brought("gemv2")


def test_a_kernel_made_from_torchs_templates_is_the_submissions_if_it_brought_it() -> None:
    rows = [("_ZN2at6native18elementwise_kernelI3OwnEE", -1, 7, 0, 1000), ("_ZN2at6native11gelu_kernelE", -1, 7, 1000, 3000)]
    with profile.Profile(Recorder(rows)) as recorded:
        pass
    assert recorded.json(lambda name: "3Own" in name)["us"] == {"own": 1.0, "library": 0.0, "framework": 2.0}


def test_a_profile_that_cannot_be_had_is_none() -> None:
    class Missing(Recorder):
        def gpu_profile_start(self) -> None:
            raise RuntimeError("there is no CUPTI")
    with profile.Profile(Missing([])) as recorded, recorded.owner(profile.FRAMEWORK):
        pass
    assert recorded.json() is None and recorded.missing == "there is no CUPTI"


def test_on_a_cpu_there_is_nothing_to_wait_for_and_no_profile() -> None:
    here = device.current()
    assert here.name == "cpu"
    with here.profile() as recorded, here.peak() as peak, here.precise(), here.scope():
        assert recorded is None and peak.bytes is None and torch.empty(1).device.type == "cpu"
    tensor = torch.arange(8.0)
    before = provenance.checksum(tensor.untyped_storage())
    device.fill("cpu", tensor.data_ptr(), 4, 0x3F)
    assert provenance.checksum(tensor.untyped_storage()) != before
