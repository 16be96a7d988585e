# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graph functions with state."""

from typing import Any


class Module:
    """A callable whose `build` creates the ops of a graph.

    Tensors that `build` stores in the object, such as graph inputs, are keys of
    `inputs_dict` when the graph is called.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.build(*args, **kwargs)

    def build(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"The class {type(self).__qualname__} has to define the method 'build'."
        )
