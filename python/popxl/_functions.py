# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that passes have created or changed.

They have no records of ops: they are kept as text, and printed with the names that
locations and resources have in the new module.
"""

import re
from typing import Dict, List

import numpy as np

#: Strings, which are kept, or what is renamed.
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")|(#loc\d*)|dense_resource<([^>]*)>')
_SYMBOL = re.compile(r'@("(?:[^"\\]|\\.)*"|[A-Za-z_$.][\w$.]*)')
_LOCATION = re.compile(r"^(#loc\d*) = (.*)$")


class NativeFunction:
    """The text of a function."""

    def __init__(self, name: str, text: str, locations: Dict[str, str], resources):
        self.name = name
        self._text = text
        self._locations = locations
        self._resources = resources

    def symbols(self) -> List[str]:
        """All symbols that the function names."""
        return [_unquoted(s) for s in _SYMBOL.findall(self._text)]

    def text(self, module) -> str:
        return self._renamed(self._text, module)

    def _renamed(self, text: str, module) -> str:
        def rename(match) -> str:
            literal, location, resource = match.groups()
            if literal is not None:
                return literal
            if location is not None:
                line = self._renamed(self._locations[location], module)
                return module.alias(line)
            return f"dense_resource<{module.resource(self._resources[resource])}>"

        return _TOKEN.sub(rename, text)


def split_module(text: str, resources: Dict[str, np.ndarray]) -> Dict[str, NativeFunction]:
    """The functions of a module."""
    locations: Dict[str, str] = {}
    bodies: List[List[str]] = []
    current = None
    for line in text.splitlines():
        location = _LOCATION.match(line)
        if location:
            locations[location.group(1)] = location.group(2)
        elif line.startswith("  func.func"):
            current = [line]
            bodies.append(current)
            if not line.rstrip().endswith("{"):
                current = None
        elif current is not None:
            current.append(line)
            if line.startswith("  }"):
                current = None
    result = {}
    for body in bodies:
        name = _unquoted(_SYMBOL.search(body[0]).group(1))
        result[name] = NativeFunction(name, "\n".join(body), locations, resources)
    return result


def _unquoted(symbol: str) -> str:
    if not symbol.startswith('"'):
        return symbol
    data = re.sub(
        rb"\\([0-9A-Fa-f]{2})",
        lambda m: bytes([int(m.group(1), 16)]),
        symbol[1:-1].encode(),
    )
    return data.decode()
