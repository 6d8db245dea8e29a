"""What CUDA adds to a C++ build: translation units for nvcc, the headers and libraries of CUDA, an architecture in the key.

The rest is cpp_build's: lean headers first, one compiler per translation unit, the folder that only this host sees, errors in the submission's own lines.
Nothing here needs a GPU or a driver, so that a builder host has neither.

Threads: as cpp_build.
"""
from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
import torch.utils.cpp_extension as cpp_extension

from . import cpp_build, cpp_lean
from .cpp_build import Attempt, Recipe, Source, compiler, torch_folder
from .cuda_toolkit import generate_code, toolkit

_HEADERS = ("torch/types.h", "cuda.h", "cuda_runtime.h")  # What load_inline puts before cuda_sources.
_TORCH = re.compile(r"\b(?:torch|ATen|c10)\b|\bat::")
# As in cpp_build, in cudafe's words. A line with what may be a macro is never final: the macro may be in a header that is not lean.
_GRAMMAR = re.compile(r"^ptxas error|^nvcc fatal|error: (?:expected a \"[;)}]\"|unrecognized token|missing closing quote)"
                      r"\n(?!.*\b[A-Z][A-Z0-9_]{3,})", re.MULTILINE)
_NAME = re.compile(r"error: (?:identifier \"(?:[\w:]*::)?(\w+)\" is undefined|.* has no member \"(\w+)\")")


@dataclass
class CudaRecipe(Recipe):
    """A recipe with sources for nvcc. device_flags: extra_cuda_cflags. arch: as Context.arch, never empty."""
    grammar: ClassVar[re.Pattern[str]] = re.compile("%s|%s" % (Recipe.grammar.pattern, _GRAMMAR.pattern), re.MULTILINE)
    absent_name: ClassVar[re.Pattern[str]] = re.compile("%s|%s" % (Recipe.absent_name.pattern, _NAME.pattern))
    device_units: list[list[Source]] = field(default_factory=list)
    device_flags: list[str] = field(default_factory=list)
    arch: str = "90"

    def all_units(self) -> list[list[Source]]:
        return self.units + self.device_units

    def may_be_lean(self) -> bool:
        return cpp_lean.may_be_lean(self.text(), self.implicit_headers, cuda=True)

    def attempt(self, folder: str, lean: bool) -> Attempt:
        return CudaAttempt(self, folder, lean)

    def ingredients(self) -> list[Any]:
        return [*super().ingredients(), len(self.device_units), self.nvcc_flags(), toolkit().version]

    def uses_torch(self) -> bool:
        return self.implicit_headers or self.bindings is not None or bool(_TORCH.search(self.text()))

    def nvcc_flags(self) -> list[str]:
        """Those that no place enters: torch's own, the architecture, the submission's."""
        flags = [*cpp_extension.COMMON_NVCC_FLAGS]
        if not any("arch" in flag for flag in self.device_flags):
            flags += generate_code(self.arch)
        if not any(re.match(r"--?std\b", flag) for flag in self.device_flags):
            flags.append("-std=c++20")
        if not any(flag.startswith("-O") for flag in self.device_flags):
            flags.append("-O2")  # Of host code: for the device nvcc takes -O3 by itself.
        return flags + self.device_flags


class CudaAttempt(Attempt):
    recipe: CudaRecipe

    def _system_includes(self) -> list[str]:
        return [*super()._system_includes(), *toolkit().includes]

    def _commands(self) -> list[list[str]]:
        recipe = self.recipe
        needless = recipe.device_units and recipe.bindings is None and not any(s.text.strip() for unit in recipe.units for s in unit)
        commands = [] if needless else super()._commands()
        flags = [*self._headers_flags(), "-w", "-Xcudafe", "--error_limit=8", "-Xcompiler", "-fPIC,-fmax-errors=8", *recipe.nvcc_flags()]
        if not any(re.match(r"(-ccbin|--compiler-bindir)\b", flag) for flag in recipe.device_flags):
            flags += ["-ccbin", compiler()]
        for i, sources in enumerate(recipe.device_units):
            commands.append([toolkit().nvcc, *flags, "-x", "cu", "-c", self._unit("unit%d.cu" % (len(recipe.units) + i), sources, _HEADERS)])
        return commands

    def _link_flags(self) -> list[str]:
        """A build of torch without CUDA lacks two libraries: what they define stays open until the library is loaded."""
        given = [argument for flag in self.recipe.ldflags for argument in self._library(flag)]
        folders = ["-L" + folder for folder in (torch_folder("lib"), *toolkit().libraries)]
        names = ("c10", "c10_cuda", "torch_cpu", "torch_cuda", "torch", "torch_python") if self.recipe.uses_torch() else ()
        present = ["-l" + name for name in names if os.path.exists(torch_folder("lib", "lib%s.so" % name))]
        return ["-Wl,--no-as-needed", *given, *folders, *present, *toolkit().runtime()]

    def _library(self, flag: str) -> list[str]:
        """A linker flag of the submission, with `-lcublas` and its like found where pip has put them, and `-lcuda` where no driver is."""
        if not flag.startswith("-l"):
            return [flag]
        if flag == "-lcuda":
            return [self._driver_stand_in()]
        path = toolkit().library(flag[2:])
        return [path, "-Wl,-rpath," + os.path.dirname(path)] if path else [flag]

    def _driver_stand_in(self) -> str:
        """An empty library of the driver's name: the linker writes the name down, and the driver itself is loaded later."""
        source, path = self._write("driver.cpp", ""), os.path.join(self.folder, "libcuda.so")
        self._run([compiler(), "-shared", "-Wl,-soname,libcuda.so.1", source, "-o", path])
        return path


def target(context_arch: str) -> str:
    """The architecture to build for: the lane's, KGYM_CUDA_ARCH, TORCH_CUDA_ARCH_LIST, or an H100's."""
    listed = os.environ.get("TORCH_CUDA_ARCH_LIST", "")
    return context_arch or os.environ.get("KGYM_CUDA_ARCH", "") or (listed if re.match(r"\d", listed) else "") or "90"
