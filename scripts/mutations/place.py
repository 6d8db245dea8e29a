"""The same code in another place: the entry is a class made from the cheat's, which calls it in a roundabout way.

Most of these have a forward of their own that looks harmless and is never called.
"""

from __future__ import annotations

import ast
import random
import textwrap

from .cheat import Cheat, Mutation, Skip
from .renaming import ENTRY, rename


def _wrapped(cheat: Cheat, wrapper: str, imports: str = "") -> str | Skip:
    """The module with its entry under another name, and `wrapper`, which knows it as Inner, behind it."""
    tree = ast.parse(cheat.source)
    if "Inner" in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}:
        return Skip("it has an Inner of its own")
    inner = ast.unparse(rename(tree, {ENTRY: "Inner"}))
    return f"{imports}{inner}\n\n\n{textwrap.dedent(wrapper).strip()}\n"


def in_init(cheat: Cheat, rng: random.Random) -> str | Skip:
    """The code is put on the instance when it is made; the forward that one reads is never called."""
    return _wrapped(cheat, """
        class ModelNew(Inner):
            def __init__(self, *values):
                super().__init__(*values)
                run = super().forward
                self.forward = lambda *inputs: run(*inputs)

            def forward(self, *inputs):
                return inputs[0].clone()
        """)


def in_call(cheat: Cheat, rng: random.Random) -> str | Skip:
    """The code is in __call__."""
    return _wrapped(cheat, """
        class ModelNew(Inner):
            def __call__(self, *inputs):
                return Inner.forward(self, *inputs)

            def forward(self, *inputs):
                return inputs[0].clone()
        """)


def by_metaclass(cheat: Cheat, rng: random.Random) -> str | Skip:
    """A metaclass exchanges forward while the class is made."""
    return _wrapped(cheat, """
        class Kind(type):
            def __new__(kind, name, bases, body):
                body["forward"] = lambda self, *inputs: Inner.forward(self, *inputs)
                return super().__new__(kind, name, bases, body)


        class ModelNew(Inner, metaclass=Kind):
            def forward(self, *inputs):
                return inputs[0].clone()
        """)


def by_decorator(cheat: Cheat, rng: random.Random) -> str | Skip:
    """A decorator calls something else than what it decorates."""
    return _wrapped(cheat, """
        def checked(method):
            @functools.wraps(method)
            def call(self, *inputs):
                return Inner.forward(self, *inputs)

            return call


        class ModelNew(Inner):
            @checked
            def forward(self, *inputs):
                return inputs[0].clone()
        """, "import functools\n")


def by_descriptor(cheat: Cheat, rng: random.Random) -> str | Skip:
    """forward is an attribute of the class that makes a function when it is looked at."""
    return _wrapped(cheat, """
        class Bound:
            def __get__(self, instance, owner):
                return Inner.forward if instance is None else lambda *inputs: Inner.forward(instance, *inputs)


        class ModelNew(Inner):
            forward = Bound()
        """)


def by_hook(cheat: Cheat, rng: random.Random) -> str | Skip:
    """A hook behind forward puts its own answer in place of the one that forward gave."""
    return _wrapped(cheat, """
        class ModelNew(Inner):
            def __init__(self, *values):
                super().__init__(*values)
                self.register_forward_hook(lambda module, inputs, output: Inner.forward(module, *inputs))

            def forward(self, *inputs):
                return inputs[0]
        """)


def by_ctypes(cheat: Cheat, rng: random.Random) -> str | Skip:
    """The code is called through Python's C interface."""
    return _wrapped(cheat, """
        call = ctypes.pythonapi.PyObject_CallObject
        call.argtypes = [ctypes.py_object, ctypes.py_object]
        call.restype = ctypes.py_object


        class ModelNew(Inner):
            def forward(self, *inputs):
                return call(Inner.forward, (self, *inputs))
        """, "import ctypes\n")


def by_function_type(cheat: Cheat, rng: random.Random) -> str | Skip:
    """A function made anew from marshalled code."""
    return _wrapped(cheat, """
        def made_from(method):
            code = marshal.loads(marshal.dumps(method.__code__))
            return types.FunctionType(code, method.__globals__, "run", method.__defaults__, method.__closure__)


        class ModelNew(Inner):
            def __init__(self, *values):
                super().__init__(*values)
                self.run = made_from(Inner.forward)

            def forward(self, *inputs):
                return self.run(self, *inputs)
        """, "import marshal\nimport types\n")


def on_thread(cheat: Cheat, rng: random.Random) -> str | Skip:
    """The call runs on a thread of its own, and is waited for."""
    return _wrapped(cheat, """
        class ModelNew(Inner):
            def forward(self, *inputs):
                answers = []
                thread = threading.Thread(target=lambda: answers.append(Inner.forward(self, *inputs)))
                thread.start()
                thread.join()
                return answers[0]
        """, "import threading\n")


PLACES: dict[str, Mutation] = {
    "in_init": in_init,
    "in_call": in_call,
    "by_metaclass": by_metaclass,
    "by_decorator": by_decorator,
    "by_descriptor": by_descriptor,
    "by_hook": by_hook,
    "by_ctypes": by_ctypes,
    "by_function_type": by_function_type,
    "on_thread": on_thread,
}
