"""Backends: the C++ builder in both modes, its errors, lean and real headers; Triton in its interpreter. Three short builds, one slow."""
from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from kgym_runner import backends, own_work  # noqa: E402
from kgym_runner.backends import CompileError, Context, cpp_build, cpp_lean  # noqa: E402
from kgym_runner.backends.cpp import Loader  # noqa: E402

FUNCTIONS = r"""
torch::Tensor scale(torch::Tensor x, const std::optional<torch::Tensor>& bias, std::vector<int64_t> dims, double by, bool twice, std::string word) {
  TORCH_CHECK(x.dim() == 2, "expected 2 dimensions, got ", x.dim());
  auto out = torch::empty_like(x);
  const float* a = x.data_ptr<float>();
  float* o = out.data_ptr<float>();
  at::parallel_for(0, x.numel(), 64, [&](int64_t s, int64_t e) { for (int64_t i = s; i < e; ++i) o[i] = a[i] * by * (twice ? 2 : 1); });
  return bias ? out + *bias : out;
}
std::tuple<at::Tensor, int64_t> pair(at::Tensor x) { return {x.sum(), x.numel()}; }
std::vector<at::Tensor> each(std::vector<at::Tensor> xs) { return xs; }
void nothing() {}
int wrong_index(at::Tensor x) { return x.size(7); }
"""
NAMES = {"scale": "multiplies \"by\"", "pair": "", "each": "", "nothing": "", "wrong_index": ""}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    context = Context("build", str(tmp_path_factory.mktemp("build")), jobs=2)
    return context, Loader(context).load_inline("functions_ext", FUNCTIONS, functions=dict(NAMES))


def attempts(context: Context, kind: str) -> int:
    return len(list(Path(context.private_dir, "extensions").glob(kind + "-*")))


def refused(context: Context, *args, **kwargs) -> str:
    with pytest.raises(CompileError) as error:
        Loader(context).load_inline(*args, **kwargs)
    assert context.compile_errors[-1] == str(error.value)
    return str(error.value)


def test_registry():
    assert backends.backend("cpp").measures_speed("cpu") and not backends.backend("triton").measures_speed("cpu")
    assert backends.backend("triton").limit_scale("cpu") > 1 == backends.backend("cpp").limit_scale("cpu")
    with pytest.raises(ValueError, match="unknown backend 'cudnn'; known: cpp, triton"):
        backends.backend("cudnn")


def test_functions_with_lean_headers(built):
    context, ext = built
    x = torch.randn(4, 5)
    assert attempts(context, "lean") >= 1 and Path(context.built[0].path).parent.name.startswith("lean-")
    assert torch.equal(ext.scale(x, None, [1, 2], 3, False, "é"), x * 3)
    assert torch.equal(ext.scale(x, x, (1,), 0.5, True, ""), x + x)
    assert ext.pair(x)[1] == 20 and ext.each([x, x])[1] is x and ext.nothing() is None
    assert ext.scale.__name__ == "scale" and ext.scale.__doc__ == 'multiplies "by"'


def test_errors_at_a_call_are_pythons(built):
    _, ext = built
    with pytest.raises(RuntimeError, match="expected 2 dimensions, got 1"):
        ext.scale(torch.randn(3), None, [], 1.0, True, "")
    with pytest.raises(IndexError):
        ext.wrong_index(torch.randn(2))
    for args in [(1,), (torch.randn(2), 3)]:
        with pytest.raises(TypeError, match="incompatible function arguments"):
            ext.pair(*args)


def test_run_mode_takes_the_artefact_and_starts_no_process(built, tmp_path, monkeypatch):
    made = built[0].built[0]
    context = Context("run", str(tmp_path), artefacts={made.key: made.path})
    cpp_build.version(cpp_build.compiler())
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a process was started"))
    ext = Loader(context).load_inline("functions_ext", [FUNCTIONS], functions=dict(NAMES), verbose=True)
    assert ext.pair(torch.ones(3))[1] == 3 and not context.built


def test_own_calls_are_counted_and_can_be_unwrapped(tmp_path, built):
    made = built[0].built[0]
    copy = tmp_path / "copy.so"  # One process imports a library once; a copy is another.
    copy.write_bytes(Path(made.path).read_bytes())
    context = Context("run", str(tmp_path), artefacts={made.key: str(copy)})
    ext = Loader(context).load_inline("functions_ext", FUNCTIONS, functions=dict(NAMES))
    facts = own_work.observe(ext.pair, [torch.randn(3)], context.calls)[1]
    assert facts.launches == {"functions_ext.pair": 1} and facts.inside == {"aten::sum": 1}
    context.calls.unwrap()
    assert type(ext.pair).__name__ == "builtin_function_or_method" and ext.pair(torch.ones(2))[1] == 2


def test_the_key_tells_sources_flags_and_headers_apart(tmp_path):
    """And not the folders that they lie in."""
    header = tmp_path / "size.h"
    header.write_text("#define SIZE 1\n")

    def key(text: str = "int f() { return 1; }", **more) -> str:
        return cpp_build.Recipe("e", [[cpp_build.Source("cpp_sources[0]", text)]], **more).key
    assert key() == key() != key("int f() { return 2; }") and key() != key(cflags=["-O1"]) and key() != key(bindings={"f": "f"})
    included = '#include "size.h"\n'
    before = key(included, include_paths=[str(tmp_path)])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "size.h").write_text("#define SIZE 1\n")
    assert before == key(included, include_paths=[str(tmp_path / "other")]) != key(included)
    header.write_text("#define SIZE 2\n")
    assert before != key(included, include_paths=[str(tmp_path)])


def test_plain_c_through_ctypes(tmp_path):
    context = Context("build", str(tmp_path))
    path = Loader(context).load_inline("plain", 'extern "C" int next(int x) { return x + 1; }', is_python_module=False, no_implicit_headers=True)
    assert ctypes.CDLL(path).next(41) == 42 and attempts(context, "lean") == 0


def test_one_name_for_several_sources_gets_versions(tmp_path, monkeypatch):
    """As under torch; in the order of the calls, so that the host which runs finds what the one which built made."""
    text = '#define TEXT(x) #x\n#define NAME(x) TEXT(x)\nextern "C" const char* told() { return NAME(TORCH_EXTENSION_NAME) %s; }'

    def names(context: Context) -> list[str]:
        loader = Loader(context)
        libraries = [ctypes.CDLL(loader.load_inline("twice", text % json.dumps(extra), is_python_module=False, no_implicit_headers=True,
                                                    build_directory=str(tmp_path / context.mode))) for extra in (" a", " b", " c", " b", " a")]
        for library in libraries:
            library.told.restype = ctypes.c_char_p
        return [library.told().decode() for library in libraries]
    context = Context("build", str(tmp_path / "private"))
    expected = ["twice a", "twice_v1 b", "twice_v2 c", "twice_v1 b", "twice a"]
    assert names(context) == expected and len(context.built) == 3
    assert sorted(path.name for path in (tmp_path / "build").iterdir()) == ["twice.so", "twice_v1.so", "twice_v2.so"]
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a process was started"))
    assert names(Context("run", str(tmp_path / "other"), artefacts={made.key: made.path for made in context.built})) == expected


def test_load_files_of_several_units(tmp_path):
    (tmp_path / "a.cpp").write_text('#include "shared.h"\nextern "C" int total() { return other() + OFFSET; }\n')
    (tmp_path / "b.cpp").write_text("int other() { return 40; }\n")
    (tmp_path / "shared.h").write_text("#define OFFSET 2\nint other();\n")
    context = Context("build", str(tmp_path / "private"), jobs=2)
    path = Loader(context).load("files", [str(tmp_path / "a.cpp"), str(tmp_path / "b.cpp")], is_python_module=False,
                                build_directory=str(tmp_path / "asked"))
    assert ctypes.CDLL(path).total() == 42 and (tmp_path / "asked" / "files.so").exists()


def test_cuda_is_refused(tmp_path):
    context = Context("build", str(tmp_path))
    assert "cuda_sources" in refused(context, "e", "", cuda_sources="__global__ void k() {}")
    with pytest.raises(CompileError, match=r"a \.cu file"):
        Loader(context).load("e", ["kernel.cu"])


@pytest.mark.parametrize("source, expected", [
    ("int f(int x) {\n  return x\n}", "cpp_sources[1]:2:11: error: expected ';'"),
    ("#include <no_such_header.h>", "cpp_sources[1]:1:10: fatal error: no_such_header.h"),
    ("int f(int x) { return no_such_function(x); }", "cpp_sources[1]:1:23: error: 'no_such_function' was not declared"),
])
def test_compile_errors_have_the_submissions_lines(tmp_path, source, expected):
    context = Context("build", str(tmp_path))
    text = refused(context, "bad", ["\n", source], functions=["f"])
    assert expected in text and str(tmp_path) not in text and len(text) <= 4096
    assert not list(tmp_path.glob("**/real-*/*.o"))


def test_lean_headers_never_fail_an_honest_source(tmp_path):
    """A type that the lean binding does not carry: pybind11 and the real headers take over."""
    context = Context("build", str(tmp_path))
    ext = Loader(context).load_inline("real", "at::ScalarType kind(at::Tensor x) { return x.scalar_type(); }", functions=["kind"],
                                      extra_cflags=["-O0"])
    assert ext.kind(torch.ones(1)) == torch.float32
    assert attempts(context, "lean") == 1 and attempts(context, "real") == 1


def test_what_may_be_lean():
    assert cpp_lean.may_be_lean("at::Tensor f();", True) and cpp_lean.may_be_lean('#include <torch/extension.h>', False)
    assert not cpp_lean.may_be_lean("torch::nn::Linear l(1, 2);", True) and not cpp_lean.may_be_lean('extern "C" int f();', False)
    assert not cpp_lean.may_be_lean("torch::tensor({1, 2})", True)


TRITON = """
    import sys, torch
    sys.path.insert(0, %r)
    import triton, triton.language            # As a zygote does: for compiling.
    from kgym_runner import backends, own_work
    context = backends.Context("run", "/nonexistent")
    backends.backend("triton").install(context)
    import triton, triton.language as tl, triton.testing

    @triton.autotune(configs=[triton.Config({"B": 64}, num_warps=4), triton.Config({"B": 32})], key=["n"])
    @triton.jit
    def softmax(x, o, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(o + i, e / e.sum(axis=0), mask=i < n)

    @triton.jit
    def double(x, o, n, B: tl.constexpr):
        i = tl.arange(0, B)
        v = tl.load(x + i, mask=i < n)
        tl.store(o + i, v + v, mask=i < n)

    def forward(x):
        o = torch.empty_like(x)
        softmax[lambda meta: (triton.cdiv(x.numel(), meta["B"]),)](x, o, x.numel())
        return o
    x = torch.randn(64)
    out, facts = own_work.observe(forward, [x], context.calls, own_work.baseline())
    assert torch.allclose(out, torch.softmax(x, 0)), out
    assert facts.launches == {"softmax": 1} and facts.kernels == {"softmax": "triton", "double": "triton"}, facts
    assert [o.kind for o in facts.outputs] == ["own"] and not facts.operators and not facts.inside and not facts.unseen, facts
    decoy = own_work.observe(lambda x: (forward(x), torch.softmax(x, 0))[1], [x], context.calls)[1]
    assert [o.kind for o in decoy.outputs] == ["framework"], decoy
    assert context.notes() == []
    half = torch.randn(64).bfloat16()
    double[(1,)](half, torch.empty_like(half), 64, B=64)
    assert context.notes() == ["bfloat16-in-interpreter"]
    assert triton.testing.do_bench(lambda: None, warmup=1, rep=1) >= 0
    assert triton.runtime.driver.active.get_active_torch_device().type == "cpu"
    print("done")
"""


def test_triton_in_its_interpreter(tmp_path):
    """In a process of its own: installing a backend changes the process."""
    pytest.importorskip("triton")
    script = tmp_path / "submission.py"
    script.write_text(textwrap.dedent(TRITON % str(ROOT / "python")))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "done", done.stderr
