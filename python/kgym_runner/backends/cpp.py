"""Backend `cpp`: C++ extensions through `torch.utils.cpp_extension.load_inline` and `load`, built by us and really timed.

`install` replaces both functions in a host's process by our own of the same signatures (torch 2.6 to 2.13). In a builder host they compile; in a
candidate host they take the artefact whose key fits and start no process; a source that exists only at run time is built there, in the same way.
"""
from __future__ import annotations

import dataclasses
import importlib.machinery
import importlib.util
import os
import shutil
import types
from typing import Any

import torch
import torch.utils.cpp_extension as cpp_extension

from . import Artefact, Backend, CompileError, Context, cpp_build
from .cpp_build import Recipe, Source, split_flags

_CUDA_FILES = (".cu", ".cuh")


def _texts(sources: str | list[str] | tuple[str, ...] | None) -> list[str]:
    return [sources] if isinstance(sources, str) else list(sources or [])


def _bindings(functions: Any) -> dict[str, str] | None:
    if functions is None or isinstance(functions, dict):
        return functions
    if isinstance(functions, str):
        return {functions: functions}
    if isinstance(functions, list):
        return {name: name for name in functions}
    raise ValueError("Expected 'functions' to be a list or dict, but was %s" % type(functions))


class Loader:
    """`load_inline` and `load` of one host."""

    def __init__(self, context: Context):
        self.context = context
        self.loaded: dict[str, str] = {}  # key -> path, of this process.
        self.versions: dict[str, list[str]] = {}  # name -> keys of what was built under it, in order.

    def load_inline(self, name, cpp_sources, cuda_sources=None, sycl_sources=None, functions=None, extra_cflags=None, extra_cuda_cflags=None,
                    extra_sycl_cflags=None, extra_ldflags=None, extra_include_paths=None, build_directory=None, verbose=False, with_cuda=None,
                    with_sycl=None, is_python_module=True, with_pytorch_error_handling=True, keep_intermediates=True, use_pch=False,
                    no_implicit_headers=False):
        """As torch's. `verbose`, `keep_intermediates` and `use_pch` change nothing."""
        self.refuse(bool(_texts(sycl_sources)) or bool(with_sycl), "sycl_sources or with_sycl")
        sources = [Source("cpp_sources[%d]" % i, text) for i, text in enumerate(_texts(cpp_sources))]
        device = [Source("cuda_sources[%d]" % i, text) for i, text in enumerate(_texts(cuda_sources))]
        recipe = Recipe(name, [sources], _bindings(functions), not no_implicit_headers, split_flags(extra_cflags), split_flags(extra_ldflags),
                        [os.path.abspath(path.strip()) for path in extra_include_paths or []])
        if device or with_cuda:
            recipe = self.for_cuda(recipe, [device] if device else [], split_flags(extra_cuda_cflags), "cuda_sources or with_cuda")
        return self._open(recipe, is_python_module, build_directory)

    def load(self, name, sources, extra_cflags=None, extra_cuda_cflags=None, extra_sycl_cflags=None, extra_ldflags=None, extra_include_paths=None,
             build_directory=None, verbose=False, with_cuda=None, with_sycl=None, is_python_module=True, is_standalone=False,
             keep_intermediates=True):
        """As torch's, but for is_standalone."""
        paths = [os.path.abspath(path) for path in _texts(sources)]
        cuda = [path for path in paths if path.endswith(_CUDA_FILES)]
        self.refuse(bool(with_sycl) or any(path.endswith(".sycl") for path in paths), "a .sycl file or with_sycl")
        if is_standalone:
            raise self._failed(CompileError("load(is_standalone=True) builds a program; a kernel must be loaded into this process"))
        recipe = Recipe(name, [], None, False, split_flags(extra_cflags), split_flags(extra_ldflags),
                        [os.path.abspath(path.strip()) for path in extra_include_paths or []])
        if cuda or with_cuda:
            recipe = self.for_cuda(recipe, [], split_flags(extra_cuda_cflags), "a .cu file or with_cuda")
            recipe.device_units = [self._file(path) for path in cuda]
        recipe.units = [self._file(path) for path in paths if path not in cuda]
        return self._open(recipe, is_python_module, build_directory)

    def _file(self, path: str) -> list[Source]:
        """A translation unit that is a file of the submission."""
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                return [Source(os.path.basename(path), file.read(), path)]
        except OSError as error:
            raise self._failed(CompileError("load(): source file '%s': %s" % (os.path.basename(path), error.strerror))) from None

    def for_cuda(self, recipe: Recipe, units: list[list[Source]], flags: list[str], asked: str) -> Recipe:
        """The recipe with translation units for nvcc. Refused here."""
        self.refuse(True, asked)
        return recipe

    def _failed(self, error: CompileError) -> CompileError:
        self.context.compile_errors.append(str(error))
        return error

    def refuse(self, wrong: bool, what: str) -> None:
        if wrong:
            raise self._failed(CompileError("backend 'cpp' builds for a CPU: %s is refused" % what))

    def _library(self, recipe: Recipe) -> str:
        """The path of the recipe's library: of this process, from the builder host, or built now."""
        key = recipe.key
        path = self.loaded.get(key) or self.context.artefacts.get(key)
        if path is None:
            try:
                path = cpp_build.build(recipe, os.path.join(self.context.private_dir, "extensions"), self.context.jobs)
            except CompileError as error:
                raise self._failed(error) from None
            self.context.built.append(Artefact(key, path))
        self.loaded[key] = path
        return path

    def _versioned(self, recipe: Recipe) -> Recipe:
        """The recipe under a name of its own: one name given to several gets _v1, _v2, ..., as torch does it, for pybind11 takes two modules of one name
        for the same. A recipe that came before keeps the name that it had."""
        keys = self.versions.setdefault(recipe.name, [])
        if recipe.key not in keys:
            keys.append(recipe.key)
        version = keys.index(recipe.key)
        return dataclasses.replace(recipe, name="%s_v%d" % (recipe.name, version)) if version else recipe

    def _open(self, recipe: Recipe, is_python_module: bool, build_directory: str | None) -> Any:
        recipe = self._versioned(recipe)
        path = self._library(recipe)
        if build_directory:  # Some submissions look for the library where they told torch to put it.
            try:
                os.makedirs(build_directory, exist_ok=True)
                shutil.copyfile(path, os.path.join(build_directory, recipe.name + ".so"))
            except OSError:
                pass
        if not is_python_module:
            torch.ops.load_library(path)
            self.context.calls.defined(recipe.name, "extension")
            return path
        return self._import(recipe.name, path)

    def _import(self, name: str, path: str) -> types.ModuleType:
        loader = importlib.machinery.ExtensionFileLoader(name, path)
        module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path, loader=loader))
        loader.exec_module(module)
        self._watch(module, name)
        return module

    def _watch(self, owner: Any, name: str) -> None:
        """Wrap the functions of a module, and the methods of the classes that it defines."""
        for attribute, value in list(vars(owner).items()):
            private = attribute.startswith("_") and attribute != "__call__"
            if isinstance(value, type) and value.__module__ == name and not isinstance(owner, type):
                self._watch(value, name)
            elif not private and callable(value) and not isinstance(value, (type, types.FunctionType)):
                self.context.calls.wrap_attribute(owner, attribute, "%s.%s" % (name, attribute), "extension")


def take_over(loader: Loader) -> None:
    """Replace torch's builders in this process."""
    os.environ["CCACHE_DISABLE"] = "1"
    cpp_extension.load_inline = loader.load_inline
    cpp_extension.load = loader.load


def install(context: Context) -> None:
    take_over(Loader(context))


def warm(context: Context) -> None:
    """Ask the compiler for its version, which enters every key."""
    cpp_build.version(cpp_build.compiler())


BACKEND = Backend(name="cpp", needs_build=True, packages=("torch",), devices=("cpu",), speed_on=("cpu",), install=install, warm=warm)
