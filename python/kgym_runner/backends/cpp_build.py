"""From C++ sources to a shared library: one compiler per translation unit, one link, no build tool, no cache, no lock.

A cache that two submissions share can leak and can be poisoned, so the compiler is the real one, never ccache or sccache, and its environment is ours.
Everything happens in a folder that only this host sees. `Recipe.key` is a digest of all that goes in: equal keys mean equal libraries.

Threads: `build` may be called from any thread; it starts at most `jobs` compilers.
"""
from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch

from . import CompileError, cpp_lean

_FORMAT = 1                  # Raised when the same sources would build differently.
_WRAPPERS = {"ccache", "sccache", "distcc", "icecc"}
_MAX_ERROR = 4096
_ERROR = re.compile(r"\berror(?: #[\w-]+)?\s*:|^nvcc fatal|undefined reference|cannot find -l")
_INCLUDED = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
# First errors that no header could have caused: torch's own would bring the same.
_GRAMMAR = re.compile(r"error: (?:stray '|missing terminating|unterminated |redefinition of '|expected '[;)}]' (?:before|at end)|conflicting declaration"
                      r"|expected '.*' at end of input|assignment of read-only|'(?:break|continue)' statement not within|return-statement with"
                      r"|[^'\n]*: No such file)")
# First errors about a name: the same again if torch's headers never mention it.
_NAME = re.compile(r"error: (?:'(?:[\w:]*::)?(\w+)' (?:was not declared|has not been declared|is not a member of|does not name a type)"
                   r"|.* has no member named '(\w+)')")


@dataclass
class Source:
    """name: what diagnostics call it. path: set for a file of the submission, which is compiled where it stands."""
    name: str
    text: str
    path: str | None = None


@dataclass
class Recipe:
    """What to build. bindings: function -> docstring, for a module without a binding of its own. implicit_headers: torch/extension.h comes first.

    A language that needs more than g++ extends this: what it adds to the sources and to the key, and the kind of attempt that compiles it.
    """
    grammar: ClassVar[re.Pattern[str]] = _GRAMMAR
    absent_name: ClassVar[re.Pattern[str]] = _NAME
    name: str
    units: list[list[Source]]                                 # Sources of one unit are concatenated.
    bindings: dict[str, str] | None = None
    implicit_headers: bool = False
    cflags: list[str] = field(default_factory=list)
    ldflags: list[str] = field(default_factory=list)
    include_paths: list[str] = field(default_factory=list)

    def all_units(self) -> list[list[Source]]:
        return self.units

    def text(self) -> str:
        return "\n".join(source.text for unit in self.all_units() for source in unit)

    def may_be_lean(self) -> bool:
        return cpp_lean.may_be_lean(self.text(), self.implicit_headers)

    def attempt(self, folder: str, lean: bool) -> Attempt:
        return Attempt(self, folder, lean)

    def ingredients(self) -> list[Any]:
        """Where files lie does not count, for a submission may write them to folders of random names; what is in them does."""
        sources = [[(source.name, source.text) for source in unit] for unit in self.all_units()]
        return [_FORMAT, self.name, sources, self.bindings, self.implicit_headers, self.cflags, self.ldflags, sorted(_own_headers(self)),
                torch.__version__, version(compiler()), sysconfig.get_config_var("SOABI")]

    @functools.cached_property
    def key(self) -> str:
        return hashlib.sha256(json.dumps(self.ingredients(), sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _own_headers(recipe: Recipe) -> list[str]:
    """The texts of the headers that the sources include from their own folders or the recipe's, followed through."""
    found: dict[str, str] = {}
    waiting = [(s.text, os.path.dirname(s.path) if s.path else ".") for unit in recipe.all_units() for s in unit]
    while waiting and len(found) < 256:
        text, folder = waiting.pop()
        for name in _INCLUDED.findall(text):
            path = next((p for f in [folder, *recipe.include_paths] if os.path.isfile(p := os.path.abspath(os.path.join(f, name)))), None)
            if path and path not in found:
                with open(path, encoding="utf-8", errors="replace") as header:
                    found[path] = header.read()
                waiting.append((found[path], os.path.dirname(path)))
    return list(found.values())


@functools.cache
def compiler() -> str:
    """The first g++ on PATH that is a compiler and not a cache in front of one. Raises CompileError when there is none."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = shutil.which("g++", path=folder)
        if path and os.path.basename(os.path.realpath(path)) not in _WRAPPERS:
            return path
    raise CompileError("this worker has no C++ compiler (g++ on PATH)")


@functools.cache
def version(path: str) -> str:
    done = subprocess.run([path, "-dumpfullversion", "-dumpmachine"], capture_output=True, text=True, check=False)
    return "%s %s" % (os.path.realpath(path), done.stdout.strip())


def _environment(folder: str) -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "TMPDIR": folder, "HOME": folder, "LC_ALL": "C", "CCACHE_DISABLE": "1",
            "SCCACHE_DISABLE": "1"}


def torch_folder(*parts: str) -> str:
    return os.path.join(os.path.dirname(os.path.abspath(torch.__file__)), *parts)


class Attempt:
    """One try at a recipe, with lean headers or with torch's own, in a folder of its own."""

    def __init__(self, recipe: Recipe, folder: str, lean: bool):
        self.recipe, self.lean = recipe, lean
        self.folder = tempfile.mkdtemp(prefix="lean-" if lean else "real-", dir=folder)
        if lean:
            self._write("kgym_ops.h", cpp_lean.operators_header(recipe.text(), torch_folder("include")))

    def _write(self, name: str, text: str) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return path

    def _binding(self) -> str:
        recipe = self.recipe
        if recipe.bindings is None:
            return ""
        documents = {name: json.dumps(text) for name, text in recipe.bindings.items()}
        if self.lean and not cpp_lean.uses_pybind(recipe.text()):
            functions = ", ".join("KGYM_FUNCTION(%s, %s)" % pair for pair in documents.items())
            return "#include <kgym_bind.h>\nKGYM_MODULE(TORCH_EXTENSION_NAME, %s)\n" % functions
        extra = "#include <torch/csrc/utils/pybind.h>\n#include <torch/csrc/Exceptions.h>\n" if self.lean or not recipe.implicit_headers else ""
        body = "".join('m.def("%s", torch::wrap_pybind_function(%s), %s);\n' % (name, name, text) for name, text in documents.items())
        return extra + "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n" + body + "}\n"

    def _unit(self, file: str, sources: list[Source], headers: tuple[str, ...], binding: str = "") -> str:
        """The path of a translation unit. Diagnostics call its parts by the submission's names."""
        if sources[0].path is not None:
            return sources[0].path
        lines = ["#include <%s>" % header for header in headers] if self.recipe.implicit_headers else []
        for source in sources:
            lines += ['#line 1 "%s"' % source.name, source.text]
        if binding:
            lines += ['#line 1 "functions"', binding]
        return self._write(file, "\n".join(lines) + "\n")

    def _system_includes(self) -> list[str]:
        return [torch_folder("include"), torch_folder("include", "torch", "csrc", "api", "include"), sysconfig.get_path("include", scheme="posix_prefix")]

    def _headers_flags(self) -> list[str]:
        """What any compiler of the attempt needs to find the headers, and the macros that they read."""
        recipe = self.recipe
        flags = ["-DTORCH_EXTENSION_NAME=" + recipe.name, "-DTORCH_API_INCLUDE_EXTENSION_H",
                 "-D_GLIBCXX_USE_CXX11_ABI=%d" % torch.compiled_with_cxx11_abi()]
        flags += ["-I" + os.path.abspath(path) for path in recipe.include_paths]
        if self.lean:
            flags += ["-I" + cpp_lean.INCLUDE, "-I" + self.folder]
        for path in self._system_includes():
            flags += ["-isystem", path]
        return flags

    def _flags(self) -> list[str]:
        flags = self._headers_flags() + ["-fPIC", "-std=c++20", "-w", "-fmax-errors=8"]
        if not any(flag.startswith("-O") for flag in self.recipe.cflags):
            flags.append("-O2")
        return flags + self.recipe.cflags

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=_environment(self.folder), check=False,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise CompileError(self._message(done.stderr) or "%s ended with %d" % (os.path.basename(command[0]), done.returncode))

    def _message(self, stderr: str) -> str:
        """The compiler's text from its first error on, with this machine's paths left out."""
        text = stderr
        for path, name in ((self.folder + "/", ""), (torch_folder("include") + "/", "<torch>/"), (cpp_lean.INCLUDE + "/", "<kgym>/"),
                           (os.path.dirname(self.folder) + "/", "")):
            text = text.replace(path, name)
        lines = text.splitlines()
        first = next((i for i, line in enumerate(lines) if _ERROR.search(line)), 0)
        return "\n".join(lines[max(0, first - 1) if first and "In function" in lines[first - 1] else first:])[:_MAX_ERROR]

    def mentions(self, word: str) -> bool:
        """Whether torch's umbrella header, preprocessed, has the word anywhere."""
        umbrella = self._write("umbrella.cpp", "#include <torch/extension.h>\n")
        done = subprocess.run([compiler(), *self._flags(), "-E", "-P", "-dD", umbrella], capture_output=True, env=_environment(self.folder), check=False,
                              stdin=subprocess.DEVNULL)
        return done.returncode != 0 or re.search(rb"\b%s\b" % word.encode(), done.stdout) is not None

    def _commands(self) -> list[list[str]]:
        """A compiler's command for each translation unit, without `-o`."""
        flags = self._flags()
        paths = [self._unit("unit%d.cpp" % i, sources, ("torch/extension.h",), "" if i else self._binding())
                 for i, sources in enumerate(self.recipe.units)]
        return [[compiler(), *flags, "-c", path] for path in paths]

    def _link_flags(self) -> list[str]:
        return [*self.recipe.ldflags, "-L" + torch_folder("lib"), "-lc10", "-ltorch_cpu", "-ltorch", "-ltorch_python"]

    def run(self, jobs: int) -> str:
        """Compile and link. Returns the library's path; raises CompileError."""
        commands = self._commands()
        objects = [os.path.join(self.folder, "unit%d.o" % i) for i in range(len(commands))]
        with ThreadPoolExecutor(max(1, min(jobs, len(commands)))) as pool:
            list(pool.map(lambda command, path: self._run([*command, "-o", path]), commands, objects))
        library = os.path.join(self.folder, self.recipe.key + ".so")
        self._run([compiler(), *objects, "-shared", *self._link_flags(), "-o", library])
        return library


def _final(error: CompileError, recipe: Recipe, folder: str) -> bool:
    """Whether a lean compile's error would come back with torch's headers, told without compiling them."""
    lines = str(error).splitlines()
    at = next((i for i, line in enumerate(lines) if _ERROR.search(line)), 0)
    first = "\n".join(lines[at:at + 2])  # The second shows the source.
    if "<kgym>" in first or "<torch>" in first or "kgym_ops.h" in first:
        return False
    if recipe.grammar.search(first):
        return True
    named = recipe.absent_name.search(first)
    return bool(named) and not recipe.attempt(folder, lean=False).mentions(next(filter(None, named.groups())))


def split_flags(flags: list[str] | None) -> list[str]:
    """One argument per entry: an entry may hold several, as a shell would split them."""
    return [part for flag in flags or [] for part in shlex.split(flag)]


def build(recipe: Recipe, private_dir: str, jobs: int) -> str:
    """The path of the library in `private_dir`. Lean headers first where they may do. Raises CompileError with the real headers' diagnostics."""
    os.makedirs(private_dir, exist_ok=True)
    if recipe.may_be_lean():
        try:
            return recipe.attempt(private_dir, lean=True).run(jobs)
        except CompileError as error:
            if _final(error, recipe, private_dir):
                raise
    return recipe.attempt(private_dir, lean=False).run(jobs)
