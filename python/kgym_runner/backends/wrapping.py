"""Replace an attribute of somebody else's class or module by a function around it, in a host's process.

Libraries rename what they do not document, so an attribute that is absent, or that its owner does not let go, is left alone: the worst that follows is
that a launch is not counted.
"""
from __future__ import annotations

import functools
import importlib
from typing import Any, Callable


def find(module: str, *attributes: str) -> Any:
    """An attribute of a module that may not exist; None where anything on the way is missing or cannot be imported."""
    try:
        found: Any = importlib.import_module(module)
    except ImportError:
        return None
    for attribute in attributes:
        found = getattr(found, attribute, None)
    return found


def wrap(owner: Any, attribute: str, around: Callable[..., Any]) -> bool:
    """owner.attribute becomes around(original, *args, **kwargs). False where nothing was changed."""
    original = getattr(owner, attribute, None)
    if original is None:
        return False

    @functools.wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)
    try:
        setattr(owner, attribute, replaced)
    except (AttributeError, TypeError):
        return False
    return True
