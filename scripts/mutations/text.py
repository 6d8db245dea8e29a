"""The same code under another text: other names, other ways to a name, source that exists only at run time."""

from __future__ import annotations

import ast
import base64
import random

from .cheat import Cheat, Mutation, Skip
from .renaming import ENTRY, fresh_name, module_names, native_symbols, own_attributes, renamable, rename, rename_native


def renamed(cheat: Cheat, rng: random.Random) -> str | Skip:
    """Variables, functions, classes, attributes of self and C symbols under other names."""
    tree = ast.parse(cheat.source)
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    tree = rename_native(tree, {name: fresh_name(rng, taken) for name in sorted(native_symbols(tree))})
    names = {name: fresh_name(rng, taken) for name in sorted(renamable(tree))}
    attributes = {name: fresh_name(rng, taken) for name in sorted(own_attributes(tree))}
    if not names and not attributes:
        return Skip("it has no name of its own")
    return ast.unparse(rename(tree, names, attributes)) + "\n"


def _spelled(name: str, rng: random.Random) -> str:
    """An expression whose value is `name`, in which it does not occur."""
    cut = rng.randint(1, max(1, len(name) - 1))
    return rng.choice([
        f"{name[:cut]!r} + {name[cut:]!r}",
        f"{name[::-1]!r}[::-1]",
        f"bytes({list(name.encode())}).decode()",
        f"''.join(map(chr, ({', '.join(str(ord(letter)) for letter in name)},)))",
    ])


class _Indirect(ast.NodeTransformer):
    """Attributes asked for by text; not in jitted functions, decorators and annotations, which are not plain Python."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.count = rng, 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not any("jit" in ast.unparse(decorator) for decorator in node.decorator_list):
            node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = node.value and self.visit(node.value)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or node.attr.startswith("__") != node.attr.endswith("__"):
            return node
        self.count += 1
        name = ast.parse(_spelled(node.attr, self.rng), mode="eval").body
        return ast.Call(ast.Name("getattr", ast.Load()), [node.value, name], [])

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Attribute):
            return node
        target = node.targets[0]
        name = ast.parse(_spelled(target.attr, self.rng), mode="eval").body
        return ast.Expr(ast.Call(ast.Name("setattr", ast.Load()), [target.value, name, node.value], []))


def by_getattr(cheat: Cheat, rng: random.Random) -> str | Skip:
    """Every attribute through getattr and setattr, its name put together at run time."""
    indirect = _Indirect(rng)
    tree = ast.fix_missing_locations(indirect.visit(ast.parse(cheat.source)))
    return ast.unparse(tree) + "\n" if indirect.count else Skip("it asks for no attribute")


# Triton reads the source of a kernel by the file that it came from.
_RUN = f'''\
namespace = {{"__name__": "kernels"}}
linecache.cache["kernels.py"] = (len(source), None, source.splitlines(True), "kernels.py")
exec(compile(source, "kernels.py", "exec"), namespace)
{ENTRY} = namespace["{ENTRY}"]
'''


def by_base64(cheat: Cheat, rng: random.Random) -> str:
    """The module is a text in base64 that is compiled and run."""
    packed = base64.b64encode(cheat.source.encode()).decode()
    return f"import base64\nimport linecache\n\nsource = base64.b64decode({packed!r}).decode()\n{_RUN}"


def by_pieces(cheat: Cheat, rng: random.Random) -> str:
    """The module is cut into pieces that are kept in another order."""
    text, pieces = cheat.source, []
    while text:
        cut = rng.randint(20, 200)
        pieces.append(text[:cut])
        text = text[cut:]
    order = list(range(len(pieces)))
    rng.shuffle(order)
    kept = ",\n".join(f"    {place}: {pieces[place]!r}" for place in order)
    return f"import linecache\n\npieces = {{\n{kept},\n}}\nsource = ''.join(pieces[place] for place in sorted(pieces))\n{_RUN}"


def by_importlib(cheat: Cheat, rng: random.Random) -> str:
    """The module is written to a file and imported from there."""
    return f'''\
import importlib.util
import os
import tempfile

path = os.path.join(tempfile.mkdtemp(), "kernels.py")
with open(path, "w", encoding="utf-8") as file:
    file.write({cheat.source!r})
spec = importlib.util.spec_from_file_location("kernels", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
{ENTRY} = getattr(module, "{ENTRY}")
'''


_HONEST_LOOK = '''\
"""A tiled kernel. Rows are blocked for the second-level cache, the tail is done element by element.

Every call computes its result from its own inputs; nothing is kept between calls.
"""

TILE_ROWS = {rows}
TILE_COLUMNS = {columns}


def tiles(size, tile):
    """(begin, end) of each tile; the last one may be shorter."""
    return [(begin, min(begin + tile, size)) for begin in range(0, size, tile)]


def check_against_reference(ours, theirs):
    """Largest difference, for development only."""
    return float((ours - theirs).abs().max())


# The kernel proper. Accumulation is in float32 throughout.
'''


def dressed(cheat: Cheat, rng: random.Random) -> str | Skip:
    """Comments, doc strings and dead code of honest look."""
    tree = ast.parse(cheat.source)
    if any(name in module_names(tree) for name in ("tiles", "check_against_reference")):
        return Skip("it has these names itself")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "forward":
            dead = "if not inputs_are_tiled:\n    raise RuntimeError('the tiles of the inputs overlap')"
            known = ast.parse("inputs_are_tiled = len(tiles(TILE_ROWS, TILE_COLUMNS)) > 0\n" + dead).body
            text = ast.Expr(ast.Constant("Runs the tiled kernel on the inputs and returns a fresh tensor."))
            node.body = [text, *known, *node.body]
    head = _HONEST_LOOK.format(rows=rng.choice((16, 32, 64)), columns=rng.choice((128, 256, 512)))
    return head + ast.unparse(ast.fix_missing_locations(tree)) + "\n"


TEXTS: dict[str, Mutation] = {
    "renamed": renamed,
    "by_getattr": by_getattr,
    "by_base64": by_base64,
    "by_pieces": by_pieces,
    "by_importlib": by_importlib,
    "dressed": dressed,
}
