"""Which names of a Python module can be changed without changing what it does, and the change itself.

A name is renamed everywhere in the module at once, whatever scope it is in: a map that sends different names to
different new ones keeps every scope as it was. Left alone are names that somebody else knows or spells out: imported
and built-in ones, members of classes, keywords of calls, and names that occur as text.

Pure functions of source text; standard library only.
"""

from __future__ import annotations

import ast
import builtins
import random
import re

ENTRY = "ModelNew"
_KEPT = frozenset(dir(builtins)) | {"self", "cls", "super", "__class__", ENTRY}
_SYLLABLES = ("ka", "lo", "mi", "ner", "pu", "ras", "ti", "vo", "wen", "xi", "zor", "bel", "dun", "fe", "gry", "hal")
# A function with a C interface, and the place of its name.
_NATIVE = re.compile(r'extern "C" [\w:*& ]*?\b(\w+)\(')


def fresh_name(rng: random.Random, taken: set[str]) -> str:
    """A name that is not in `taken`; it is put there."""
    while True:
        name = "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 4)))
        if name not in taken and name not in _KEPT:
            taken.add(name)
            return name


def _targets(body: list[ast.stmt]) -> set[str]:
    """Names that the statements bind themselves, not counting what lies inside functions and classes."""
    bound: set[str] = set()

    def look(node: ast.AST) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
            return
        if isinstance(node, ast.Lambda):
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        for child in ast.iter_child_nodes(node):
            look(child)

    for statement in body:
        look(statement)
    return bound


def module_names(tree: ast.Module) -> set[str]:
    """What the module binds at its top, without imports."""
    return _targets(tree.body)


def imported_names(tree: ast.Module) -> set[str]:
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}


def renamable(tree: ast.Module) -> set[str]:
    """The names of the module that can be changed."""
    bound: set[str] = set()
    kept: set[str] = set(_KEPT) | imported_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.keyword) and node.arg:
            kept.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            kept.add(node.value)
        if isinstance(node, ast.ClassDef):
            kept |= _targets(node.body)
    return {name for name in bound - kept if not name.startswith("__")}


class _Renamer(ast.NodeTransformer):
    def __init__(self, names: dict[str, str], attributes: dict[str, str]) -> None:
        self.names, self.attributes = names, attributes

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.Name):
            node.id = self.names.get(node.id, node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            node.name = self.names.get(node.name, node.name)
        elif isinstance(node, ast.arg):
            node.arg = self.names.get(node.arg, node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            node.name = self.names.get(node.name, node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [self.names.get(name, name) for name in node.names]
        elif isinstance(node, ast.Attribute):
            node.attr = self.attributes.get(node.attr, node.attr)
        return node


def rename(tree: ast.Module, names: dict[str, str], attributes: dict[str, str] | None = None) -> ast.Module:
    """Changes the tree, and gives it back."""
    return _Renamer(names, attributes or {}).visit(tree)


def own_attributes(tree: ast.Module) -> set[str]:
    """Attributes that the module puts on `self` and that nothing else can mean: no parameter, nothing of another object."""
    stored: set[str] = set()
    kept = {"forward", "training"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            on_self = isinstance(node.value, ast.Name) and node.value.id == "self"
            if not on_self:
                kept.add(node.attr)
            elif isinstance(node.ctx, ast.Store):
                stored.add(node.attr)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            # Parameters and modules are known to the judge by name.
            kept |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)} if _of_nn(node.value) else set()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            kept.add(node.value)
        if isinstance(node, ast.ClassDef):
            kept |= _targets(node.body)
    return stored - kept


def _of_nn(call: ast.Call) -> bool:
    function = call.func
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "nn"


def native_symbols(tree: ast.Module) -> set[str]:
    """Functions with a C interface, in strings of the module, that nothing but their own calls are named after."""
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    symbols = {name for text in texts for name in _NATIVE.findall(text)}
    return {name for name in symbols if not any(re.search(rf"(::|\.|->){name}\b", text) for text in texts)}


def rename_native(tree: ast.Module, names: dict[str, str]) -> ast.Module:
    """C functions in the module's strings and where libraries are asked for them; changes the tree."""

    def library(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id.isupper()

    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NATIVE.search(node.value):
            for old, new in names.items():
                node.value = re.sub(rf"\b{old}\b", new, node.value)
        elif isinstance(node, ast.Attribute) and library(node.value):
            node.attr = names.get(node.attr, node.attr)
    return tree
