"""Backends of GPU lanes, without a GPU: what nvcc is asked to do (a stand-in that writes down its arguments), keys, errors, what a machine lacks; the
real nvcc where there is one; what Triton needs before the first launch."""
from __future__ import annotations

import contextlib
import ctypes
import json
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from kgym_runner import backends  # noqa: E402
from kgym_runner.backends import CompileError, Context, cpp_build, cuda, cuda_build, cuda_toolkit, cupy, triton_seed, wrapping  # noqa: E402
from kgym_runner.backends.cpp import Loader  # noqa: E402
from kgym_runner.backends.cuda import CudaLoader  # noqa: E402

KERNEL = """
__global__ void add(const float* x, float* o, long n) { long i = blockIdx.x * 256L + threadIdx.x; if (i < n) o[i] += x[i]; }
extern "C" int run(const float* x, float* o, long n) { add<<<(n + 255) / 256, 256>>>(x, o, n); return (int)cudaGetLastError(); }
"""
RAW = {"is_python_module": False, "no_implicit_headers": True}
# Writes its arguments down, fails as nvcc does where the source says so, and otherwise makes an object file with g++.
NVCC = """#!%s
import json, os, subprocess, sys
arguments = sys.argv[1:]
if arguments == ["--version"]:
    sys.exit(print("Cuda compilation tools, release 13.0, V13.0.%%s" %% open(%r).read()))
with open(%r, "a") as log:
    log.write(json.dumps(arguments) + "\\n")
source = open(arguments[arguments.index("-c") + 1]).read()
if "FAIL:" in source and "LEAN" not in source or "FAIL:" in source and any("backends/include" in a for a in arguments):
    sys.exit(sys.stderr.write(source.partition("FAIL:")[2].partition(":FAIL")[0]) and 2)
output = arguments[arguments.index("-o") + 1]
sys.exit(subprocess.run(["g++", "-x", "c++", "-fPIC", "-c", "-", "-o", output], input=b"int made_by_stand_in;").returncode)
"""


class StandIn:
    """A toolkit whose nvcc only writes down what it is asked."""

    def __init__(self, root: Path):
        self.root, self.log, self.build = root, root / "log", root / "build"
        for folder in ("bin", "include", "lib64"):
            (root / folder).mkdir(parents=True)
        self.build.write_text("88")
        (root / "bin" / "nvcc").write_text(NVCC % (sys.executable, str(self.build), str(self.log)))
        (root / "bin" / "nvcc").chmod(0o755)
        for name in ("libcudart.so.13", "libcublas.so.13"):
            # Without a soname, so that the real library of this name can be loaded into this process later.
            subprocess.run(["g++", "-shared", "-x", "c++", "/dev/null", "-o", root / "lib64" / name], check=True)

    def commands(self) -> list[list[str]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    for name in ("KGYM_CUDA_ARCH", "TORCH_CUDA_ARCH_LIST", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    toolkit = StandIn(tmp_path / "toolkit")
    monkeypatch.setenv("CUDA_HOME", str(toolkit.root))
    cuda_toolkit.toolkit.cache_clear()
    yield toolkit
    cuda_toolkit.toolkit.cache_clear()


@pytest.fixture
def context(tmp_path) -> Context:
    return Context("build", str(tmp_path / "private"), device="cuda", jobs=2)


def key(context: Context, source: str = KERNEL, **more) -> str:
    recipe = cpp_build.Recipe("e", [[cpp_build.Source("cpp_sources[0]", "")]])
    units = [[cpp_build.Source("cuda_sources[0]", source)]]
    return CudaLoader(context).for_cuda(recipe, units, more.pop("flags", []), "").key


def after(command: list[str], flag: str) -> list[str]:
    return [command[i + 1] for i, word in enumerate(command[:-1]) if word == flag]


def test_declarations():
    for name in ("cuda", "cupy", "tilelang", "cutlass"):
        declared = backends.backend(name)
        assert declared.name == name and declared.devices == ("cuda",) and declared.measures_speed("cuda") and not declared.measures_speed("cpu")
        assert declared.needs_build == (name == "cuda")


def test_what_a_machine_lacks_is_said(stand_in, monkeypatch):
    assert backends.backend("cuda").missing() == []
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "cutlass", raising=False)
    assert backends.backend("cutlass").missing() == ["cutlass (pip: nvidia-cutlass-dsl)"]
    (stand_in.root / "bin" / "nvcc").unlink()
    cuda_toolkit.toolkit.cache_clear()
    monkeypatch.setattr(cuda_toolkit, "_roots", lambda: [str(stand_in.root)])
    assert backends.backend("cuda").missing() == ["nvcc"]
    with pytest.raises(CompileError, match="no CUDA compiler"):
        cuda_toolkit.toolkit()


@pytest.mark.parametrize("arch, codes", [
    ("90", ["arch=compute_90a,code=sm_90a"]),
    ("8.0", ["arch=compute_80,code=sm_80"]),
    ("8.6;9.0a+PTX", ["arch=compute_86,code=sm_86", "arch=compute_90a,code=sm_90a", "arch=compute_90a,code=compute_90a"]),
    ("100", ["arch=compute_100a,code=sm_100a"]),
    ("12.0f", ["arch=compute_120f,code=sm_120f"]),
])
def test_architectures(arch, codes):
    assert after(cuda_toolkit.generate_code(arch), "-gencode") == codes


def test_an_architecture_that_is_none():
    with pytest.raises(CompileError, match="'hopper' is no CUDA architecture"):
        cuda_toolkit.generate_code("hopper")


def test_which_architecture(monkeypatch):
    for name in ("KGYM_CUDA_ARCH", "TORCH_CUDA_ARCH_LIST"):
        monkeypatch.delenv(name, raising=False)
    assert cuda_build.target("") == "90"
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "native")
    assert cuda_build.target("") == "90"
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0")
    assert cuda_build.target("") == "8.0"
    monkeypatch.setenv("KGYM_CUDA_ARCH", "100")
    assert cuda_build.target("") == "100" and cuda_build.target("89") == "89"


def test_what_nvcc_is_asked(stand_in, context):
    context.arch = "80"
    CudaLoader(context).load_inline("e", "", cuda_sources=["\n", KERNEL], extra_cuda_cflags=["-use_fast_math --maxrregcount 64"], **RAW)
    command, = stand_in.commands()  # One unit: there is no C++ to compile.
    assert after(command, "-gencode") == ["arch=compute_80,code=sm_80"] and command[-4:-2] == ["-c", after(command, "-c")[0]]
    assert {"-use_fast_math", "--expt-relaxed-constexpr", "-std=c++20", "-O2", "-D__CUDA_NO_HALF_OPERATORS__"} <= set(command)
    assert after(command, "--maxrregcount") == ["64"] and after(command, "-ccbin") == [cpp_build.compiler()]
    assert str(stand_in.root / "include") in after(command, "-isystem") and not any("backends/include" in word for word in command)
    text = Path(after(command, "-c")[0]).read_text()
    assert '#line 1 "cuda_sources[1]"\n' + KERNEL in text and "#include <torch" not in text
    assert [artefact.key for artefact in context.built] and context.built[0].path.endswith(context.built[0].key + ".so")


def test_the_submissions_own_flags_win(stand_in, context):
    CudaLoader(context).load_inline("e", "", cuda_sources=KERNEL, extra_cuda_cflags=["-arch=sm_86", "-std=c++17", "-O3"], **RAW)
    command, = stand_in.commands()
    assert not after(command, "-gencode") and "-arch=sm_86" in command and "-std=c++20" not in command and "-O2" not in command


def test_bindings_are_compiled_apart_and_headers_are_lean(stand_in, context):
    """The binding is real C++; the kernel's object is the stand-in's, so the module cannot be imported."""
    with pytest.raises(ImportError, match="undefined symbol"):
        CudaLoader(context).load_inline("e", "at::Tensor twice(at::Tensor x);", cuda_sources=KERNEL, functions=["twice"])
    command, = stand_in.commands()
    text = Path(after(command, "-c")[0]).read_text()
    assert text.startswith("#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n") and "PyInit" not in text
    assert any("backends/include" in word for word in command) and context.built


def test_lean_headers_that_fail_give_way_to_torchs(stand_in, context):
    source = 'int LEAN; /* FAIL:cuda_sources[0](1): error: namespace "at" has no member "empty_like"\n:FAIL */'
    CudaLoader(context).load_inline("e", "", cuda_sources=source, is_python_module=False)
    first, second = stand_in.commands()
    assert any("backends/include" in word for word in first) and not any("backends/include" in word for word in second)


@pytest.mark.parametrize("said, lean_only", [
    ('cuda_sources[0](1): error: identifier "no_such_function" is undefined\n    y = no_such_function(x);\n', True),
    ('cuda_sources[0](1): error: expected a ";"\n    y = x\n', True),
    ('cuda_sources[0](1): error: expected a ";"\n    C10_LAUNCH_BOUNDS_1(256)\n', False),
    ("ptxas error   : Entry function 'k' uses too much shared data (0x61a80 bytes, 0x38c00 max)\n", True),
    ("nvcc fatal   : Unknown option '--bogus'\n", True),
])
def test_errors_are_nvccs_own(stand_in, context, said, lean_only):
    """And final at the first try, unless a header that the lean ones lack may be to blame."""
    source = "/* FAIL:In file included from somewhere\n%s1 error detected in the compilation of \"unit1.cu\".\n:FAIL */" % said
    with pytest.raises(CompileError) as error:
        CudaLoader(context).load_inline("e", "", cuda_sources=source, is_python_module=False)
    assert str(error.value).startswith(said.splitlines()[0]) and context.compile_errors == [str(error.value)] and len(str(error.value)) <= 4096
    assert len(stand_in.commands()) == (1 if lean_only else 2)


def test_the_key(stand_in, context, tmp_path, monkeypatch):
    base = key(context)
    assert base == key(Context("run", str(tmp_path / "elsewhere"))) != key(context, KERNEL + " ")
    assert base != key(context, flags=["-use_fast_math"]) and base == key(Context("build", "/x", arch="90")) != key(Context("build", "/x", arch="80"))
    stand_in.build.write_text("89")
    cuda_toolkit.toolkit.cache_clear()
    assert key(context) != base


def test_a_candidate_takes_the_artefact_and_starts_no_process(stand_in, context, tmp_path, monkeypatch):
    path = CudaLoader(context).load_inline("e", "", cuda_sources=KERNEL, **RAW)
    again = Context("run", str(tmp_path / "run"), device="cuda", artefacts={artefact.key: artefact.path for artefact in context.built})
    cuda.warm(again)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a process was started"))
    assert CudaLoader(again).load_inline("e", [""], cuda_sources=[KERNEL], verbose=True, **RAW) == path and not again.built
    assert again.calls.kernels == {"e": "extension"}


def test_load_files(stand_in, context, tmp_path):
    (tmp_path / "a.cpp").write_text('extern "C" int answer() { return 42; }\n')
    (tmp_path / "b.cu").write_text('#include "size.h"\n')
    (tmp_path / "size.h").write_text("#define SIZE 1\n")
    files = [str(tmp_path / "a.cpp"), str(tmp_path / "b.cu")]
    path = CudaLoader(context).load("files", files, is_python_module=False)
    command, = stand_in.commands()
    assert ctypes.CDLL(path).answer() == 42 and after(command, "-c") == [files[1]] and after(command, "-x") == ["cu"]
    (tmp_path / "size.h").write_text("#define SIZE 2\n")
    assert CudaLoader(context).load("files", files, is_python_module=False) != path


def test_libraries_that_a_submission_links(stand_in, context):
    """pip's have versioned names only; the driver's may be absent."""
    path = CudaLoader(context).load_inline("e", "", cuda_sources=KERNEL, extra_ldflags=["-lcublas", "-Wl,-z,now"], **RAW)
    needed = dynamic_section(path)
    assert "libcublas.so.13]" in needed and "libcudart.so.13]" in needed and "BIND_NOW" in needed and "torch" not in needed
    with contextlib.suppress(OSError):  # It is built where it cannot be loaded.
        CudaLoader(context).load_inline("d", "", cuda_sources=KERNEL, extra_ldflags=["-lcuda"], **RAW)
    assert "[libcuda.so.1]" in dynamic_section(context.built[1].path)
    with pytest.raises(CompileError, match="cannot find -lno_such_library"):
        CudaLoader(context).load_inline("e", "", cuda_sources=KERNEL, extra_ldflags=["-lno_such_library"], **RAW)


def dynamic_section(path: str) -> str:
    return subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout


def test_what_is_refused(stand_in, context):
    with pytest.raises(CompileError, match="backend 'cuda' builds for NVIDIA's GPUs: sycl_sources"):
        CudaLoader(context).load_inline("e", "", sycl_sources="x")
    with pytest.raises(CompileError, match="backend 'cpp' builds for a CPU: cuda_sources or with_cuda is refused"):
        Loader(context).load_inline("e", "", cuda_sources=KERNEL)
    assert not stand_in.commands()


@pytest.fixture
def nvcc():
    cuda_toolkit.toolkit.cache_clear()
    if cuda_toolkit.lacks():
        pytest.skip("there is no nvcc here")


def test_a_real_raw_kernel(nvcc, context):
    path = CudaLoader(context).load_inline("raw", "", cuda_sources="#include <cuda_bf16.h>\n#include <mma.h>\n#include <cooperative_groups.h>\n" + KERNEL, **RAW)
    run = ctypes.CDLL(path).run
    run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
    assert torch.cuda.is_available() or run(None, None, 8) != 0  # No device: the runtime answers with an error, and nothing crashes.


def test_a_real_error_has_the_submissions_line(nvcc, context):
    with pytest.raises(CompileError) as error:
        CudaLoader(context).load_inline("raw", "", cuda_sources=["\n", "\n__global__ void k(float* x) {\n  x[0] = absent(1);\n}\n"], **RAW)
    assert str(error.value).startswith('cuda_sources[1](3): error: identifier "absent" is undefined') and str(context.private_dir) not in str(error.value)


@pytest.fixture
def fake_cupy(monkeypatch):
    module = types.ModuleType("cupy")

    class RawKernel:
        def __init__(self, code: str, name: str):
            self.name = name

        def __call__(self, *args: object) -> object:
            return args

    class RawModule:
        def get_function(self, name: str) -> RawKernel:
            return RawKernel("", name)
    module.RawKernel, module.RawModule = RawKernel, RawModule
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


class Seen:
    def __init__(self) -> None:
        self.names: list[str] = []

    def enter(self, name: str, args: object, kwargs: object) -> None:
        self.names.append(name)

    def leave(self, name: str, result: object, error: BaseException | None) -> None:
        pass


def test_cupy_kernels_are_own_work(fake_cupy):
    plain = fake_cupy.RawKernel
    context = Context("run", "/nowhere", device="cuda")
    cupy.install(context)
    kernel, other = fake_cupy.RawKernel("", "scale"), fake_cupy.RawModule().get_function("shift")
    context.calls.observer = seen = Seen()
    assert kernel(1, 2) == (1, 2) and other(3) == (3,) and isinstance(kernel, plain)
    assert seen.names == ["scale", "shift"] and context.calls.kernels == {"scale": "cupy", "shift": "cupy"}


@pytest.mark.parametrize("name", ["cupy", "tilelang", "cutlass"])
def test_an_absent_package_harms_nothing(name, monkeypatch):
    declared, context = backends.backend(name), Context("run", "/nowhere", device="cuda")
    asked = []

    def absent(module: str) -> types.ModuleType:
        asked.append(module)
        raise ImportError(module)
    monkeypatch.setattr(wrapping.importlib, "import_module", absent)
    declared.install(context)
    assert asked and not context.calls.kernels


def test_wrapping_leaves_alone_what_it_cannot_change():
    assert not wrapping.wrap(None, "run", lambda *_: None) and not wrapping.wrap(int, "bit_length", lambda *_: None)
    assert wrapping.find("json", "no_such", "thing") is None and wrapping.find("no_such_module") is None and wrapping.find("json", "dumps") is json.dumps


def test_signatures_of_triton_kernels():
    assert triton_seed.letters(["*bf16", "*fp32", "i32", "i64", "fp32", "u1", "constexpr"]) == "PPilfbC"
    assert triton_seed.letters(["*fp32", ("i32", "i32")]) is None and triton_seed.letters(["*fp32", "tensordesc<fp16[64, 64]>"]) is None
    words = triton_seed.common()
    assert len(words) == len(set(words)) and all(map(triton_seed.is_signature, words)) and {"PPiC", "PPPiiiCCC", "PPPiiiiCiCiCCCCC"} <= set(words)
    assert not any(map(triton_seed.is_signature, ["", "P;i", "P" * 41, None, 7]))
    with pytest.raises(ValueError, match="'PX' is no signature"):
        triton_seed.seed("/nowhere", ["PX"])


SEEDED = """
    import os, sys, types
    os.environ["TRITON_CACHE_DIR"] = sys.argv[1]
    from triton.backends.nvidia import driver
    from triton.runtime import build
    found = []
    class Module:
        def __getattr__(self, name): return None
    build._load_module_from_path = lambda name, path: found.append(name) or Module()
    build._build = lambda *_: sys.exit("a compiler was started")
    driver.libcuda_dirs = lambda: ["/nowhere"]
    driver.CudaUtils()
    if hasattr(driver, "make_launcher"):
        source = driver.make_launcher({}, dict(enumerate(["*bf16", "*i8", "i32", "constexpr"])), None)
        driver.compile_module_from_src(src=source, name="__triton_launcher", library_dirs=[], include_dirs=[], libraries=[])
    print(*found)
"""


def test_a_seeded_cache_saves_the_compiler(tmp_path):
    """Triton itself, in a new process, finds in the copy what it would otherwise compile. Needs no driver."""
    pytest.importorskip("triton")
    made = triton_seed.seed(str(tmp_path / "seed"), ["PPiC"])
    triton_seed.populate(str(tmp_path / "seed"), str(tmp_path / "cache"))
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(SEEDED), str(tmp_path / "cache")], capture_output=True, text=True)
    assert done.stdout.split() == ["cuda_utils", "__triton_launcher"][:1 + made["launchers"]], done.stderr


WARM = """
    import os, sys
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["TRITON_CACHE_DIR"] = sys.argv[2]
    sys.path.insert(0, sys.argv[1])
    import torch, triton
    from kgym_runner import backends
    before = dict(os.environ), len(os.listdir("/proc/self/task"))
    context = backends.Context("run", "/nowhere", device="cuda")
    backends.backend("triton").warm(context)
    after = dict(os.environ), len(os.listdir("/proc/self/task"))
    print(before == after, torch.cuda.is_initialized(), os.path.exists(sys.argv[2]), context.calls.kernels)
"""


def test_warming_leaves_nothing_behind(tmp_path):
    """No thread, no CUDA, no cached kernel, no change of the environment: a zygote forks after it."""
    pytest.importorskip("triton")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(WARM), str(ROOT / "python"), str(tmp_path / "cache")], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False", "False", "{}"], done.stderr
