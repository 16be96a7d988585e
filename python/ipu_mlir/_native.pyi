# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The extension module: compiled programs, sessions and passes for Python.
#
# Arrays. A tensor is a numpy array in C order. An element type has the dtype of
# the same width: i1 has `bool`, ui8 has `uint8`, f16 has `float16`, and the f8
# types have structured dtypes of one byte whose only field has the name
# `float8_143` (f8E4M3FNUZ) or `float8_152` (f8E5M2FNUZ). Arrays that this module
# returns are new, writable, and do not change when a session runs again. An
# array that this module receives must have the expected shape and dtype (f8:
# also `uint8`), or the call fails with ValueError. An array that is not writable
# (`a.flags.writeable = False`, read-only memory maps) is used without a copy if
# it is in C order and aligned, and must then not change as long as a session
# exists that received it. Other arrays are copied.
#
# Errors. Diagnostics of the compiler and of runs become `Error`. Wrong arguments
# become TypeError or ValueError. A signal handler that raises, as Ctrl-C does,
# ends a compilation or a run at its next step, and its exception is raised.
#
# Threads. Long calls release the lock of the interpreter. Calls on one session
# from several threads wait for each other, except `stop`.

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Optional, Union

import numpy as np

__version__: str

class Diagnostic:
    """A message of the compiler or of a run."""

    severity: Literal["error", "warning", "remark", "note"]
    message: str
    #: The first position of a file in the location, or "" and 0.
    file: str
    line: int
    column: int
    #: All positions of files in the location, the innermost one first, such as
    #: a line of a callee and then the line of the call.
    positions: list[tuple[str, int, int]]
    #: The outermost name in the location, or "".
    name: str
    notes: list[Diagnostic]

    def __str__(self) -> str:
        """`file:line:column: severity: message`, with notes on further lines."""

class Error(Exception):
    """An error that diagnostics describe.

    str() of the exception has the messages of all errors; notes and positions
    are in `__notes__`, which tracebacks show.
    """

    #: All diagnostics of the call: errors, and warnings and remarks before them.
    diagnostics: list[Diagnostic]

class CompileError(Error):
    """A text is not valid, or a program cannot be compiled or loaded."""

class RunError(Error):
    """A run failed. The session can run again, but variables may have changed."""

class ExpectationError(RunError):
    """Only expectations (`ipu.expect`) of a run did not hold."""

class Stopped(RunError):
    """`Session.stop` ended a run. Variables may have changed."""

class TensorInfo:
    """An input, an output or a variable.

    Inputs and outputs have the shapes of the arrays for `run`: with a leading
    dimension for host transfers, and then one for replicas, if there are
    several. A variable has the shape of the array that `get` returns: with a
    leading dimension for groups or replicas if the host reads several values.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    #: The element type in MLIR, such as "f32" or "ui8".
    element_type: str
    #: `run` may omit the input, because it has a default value or is a seed.
    has_default: bool
    is_seed: bool

class Profile:
    """The profile of a run, which later runs do not change."""

    def json(self) -> str:
        """The profile as JSON (docs/profile.md)."""

    def trace(self) -> str:
        """The timeline as Chrome trace events (JSON)."""

    def summary(self) -> str:
        """The summary as text."""

    def report(self, title: str = "", arguments: Sequence[str] = ()) -> str:
        """The report as an HTML page. `arguments` are the words of the command
        that the report states."""

class Session:
    """A compiled program that is loaded onto the simulated device."""

    #: In the order of first use.
    inputs: list[TensorInfo]
    outputs: list[TensorInfo]
    #: In the order of their definitions.
    variables: list[TensorInfo]
    #: The names of constants, which `get` also accepts: the names in the
    #: locations of `pop.constant` ops.
    constants: list[str]
    #: Warnings and remarks of the compilation.
    diagnostics: list[Diagnostic]
    #: Whether the program is on the device, with its variables.
    is_attached: bool
    #: The number of transfers of variables until now.
    transfers_to_device: int
    transfers_to_host: int

    def attach(self) -> None:
        """Load the program and copy all variables to the device.

        Does nothing if the session is attached. Raises CompileError if the
        program cannot be loaded; the session is then not attached.
        """

    def detach(self, weights_to_host: bool = True) -> None:
        """Detach the session, and copy all variables to the host before if
        `weights_to_host` is set. Otherwise the host keeps its older values.

        Does nothing if the session is not attached. A variable that cannot be
        copied raises RunError; the session is then detached nevertheless.
        """

    def weights_to_host(self) -> None:
        """Copy all variables from the device. Detached: ValueError."""

    def weights_from_host(self) -> None:
        """Copy all variables to the device. Detached: ValueError."""

    def run(
        self,
        inputs: Mapping[str, np.ndarray] = {},
        *,
        count: int = 1,
        progress: Optional[Callable[[float, str], None]] = None,
    ) -> dict[str, np.ndarray]:
        """Run the program `count` times with the same inputs, and return the
        outputs of the last run. A session that is not attached is attached for
        this call.

        ValueError: an input is missing or unknown, or has a wrong shape or
        dtype; nothing ran. `progress` gets the completed part of the run, from
        0 to 1, and the name of the next step; an exception that it raises ends
        the run.
        """

    def stop(self) -> None:
        """End the run of another thread at its next step. That call of `run`
        raises Stopped. Does nothing if nothing runs.
        """

    def get(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Return the values of variables and constants.

        If the session is attached and has run since the last transfer, and a
        name is the name of a variable, all variables are first copied from the
        device (one transfer). Unknown names: ValueError.
        """

    def write(self, values: Mapping[str, np.ndarray]) -> None:
        """Write variables: on the host and, if the session is attached, on the
        device (one transfer). A variable of several groups takes an array with a
        leading dimension for groups. ValueError: nothing is written.
        """

    def restore(self, values: Mapping[str, np.ndarray]) -> None:
        """Like `write`, but also takes arrays that `get` returned for variables
        that the host reads from all replicas. The replicas of a group must have
        equal values."""

    def last_profile(self) -> Profile:
        """The profile of the last run or, with the engine "none", the estimate.
        ValueError: nothing has run."""

    def profile(self) -> str:
        """`last_profile().json()`; the next functions are alike."""

    def trace(self) -> str: ...
    def summary(self) -> str: ...
    def report(self, title: str = "", arguments: Sequence[str] = ()) -> str: ...

    def text(self) -> str:
        """The lowered program, which `compile` also accepts."""

# The options of `compile` and `load`. An unknown name or value raises TypeError
# or ValueError. All of them are keywords with these defaults:
#
#   engine: "jit" | "interp" | "none" = "jit"
#   check: bool = False                  (selects engine "interp")
#   check_replica_equal: bool = False
#   seed: int = 0                        (0 to 2^64 - 1)
#   threads: int = 0                     (0: all cores)
#   allow_out_of_memory: bool = False
#   cache_folder: str | None = None      (None: the folder of ipu-run; "": none)
#   details_profile: bool = True         (profiles have details of exchanges)
#
#   target: str = ""                     (a preset: gc2, gc200, bow or c600)
#   target_constants: Mapping[str, int]  (such as {"tiles": 64})
#   replicas: int | None = None
#   ipus: int | None = None
#   placement: "" | "spread" | "layers" | "auto"    ("": the default of ipu-run)
#   place: Mapping[str, int]             (pattern -> IPU)
#
#   entry: str = "main"
#   resources: Mapping[str, np.ndarray]  (see `compile`)
#   pipeline: str = ""                   (passes instead of the default ones)
#   graph_passes: str = ""
#   gradients_of: str = "", gradients: Sequence[str] = ()
#   precision: "f32" | "f16" | "mixed" = "f32"
#   partials: "f32" | "f16" = "f32"
#   accumulation: "blocked" | "chain" = "blocked"
#   planner: "program" | "generic" = "program"
#   cost: "fast" | "detailed" = "fast"
#   copy_constants: bool = True
#   available_memory_proportion: float = 0.6
#   stochastic_rounding: "" | "counter" | "stream" = ""
#   micro_batches: int | None = None
#   schedule: "" | "popart" | "gpipe" | "1f1b" = ""
#   overlap_io: bool = False
#   memory_advice: bool = True           (search for options with which it fits)
#   off_chip: Sequence[str] = ()         (the words of --off-chip)
#   phases: int = 0, batch_serialize: int = 1, serialize_matmuls: int = 0
#   outline: bool = False, reorder: bool = False    (--outline, --schedule)
#   remarks: str = ""                    (regular expression of categories)

def compile(text: str, *, filename: str = "", **options: Any) -> Session:
    """Compile MLIR text (`pop` or lowered) and load it.

    Locations in the text, such as `loc("add"("/a/b.py":3:1))`, are those of
    diagnostics and of the profile; ops without a location are at their line of
    the text, in `filename`.

    Initial values and constants may be `dense_resource<KEY> : tensor<...>`
    without a resource section: `resources` then maps each KEY to an array of the
    shape and dtype of the tensor, whose bytes are used without a text.
    """

def load(
    path: str,
    *,
    dims: Mapping[str, int] = {},
    constants: Mapping[str, np.ndarray] = {},
    parameters: Literal["constants", "arguments", "variables"] = "constants",
    **options: Any,
) -> Session:
    """Load an ONNX or MLIR file as ipu-run does, compile it and load it.

    `dims` are sizes of symbolic dimensions (or `INPUT#INDEX`), and `constants`
    are values of inputs that become constants. `parameters` states what the
    weights of an ONNX model become.
    """

def run_passes(
    text: str,
    pipeline: str,
    *,
    filename: str = "",
    resources: Mapping[str, np.ndarray] = {},
    debug_info: bool = True,
) -> str:
    """Parse `text`, run the passes of `pipeline`, such as
    `canonicalize,pop-autodiff{func=f}`, and return the module as text, with
    locations if `debug_info` is set. An empty pipeline verifies and prints.

    The values of `resources` are not in the result, which names them again.
    CompileError: the text, the pipeline or a pass fails.
    """

class Value:
    """An argument or a result of a function."""

    #: The type as text, such as "tensor<2xf32>".
    type: str
    #: `pop.gradient_of` or `pop.forward_value` of the argument or result: what
    #: it is ("gradient", "forward" or ""), and the value of the forward function:
    #: an argument or a result with its number, or a variable with its name.
    role: Literal["", "gradient", "forward"]
    of_kind: Literal["", "argument", "result", "variable"]
    of_index: int
    of_variable: str
    #: All attributes as text, by name.
    attributes: dict[str, str]

class Function:
    """The signature of a function."""

    name: str
    is_private: bool
    arguments: list[Value]
    results: list[Value]

def read_functions(text: str) -> list[Function]:
    """Return the signatures of the functions (`func.func`) in the module."""

def autodiff(
    text: str,
    func: str,
    *,
    provided: Optional[Sequence[int]] = None,
    required: Optional[Sequence[Union[int, str]]] = None,
    stitch: Literal[
        "safe_add_fwd_outputs",
        "add_fwd_outputs",
        "recompute_minimal",
        "recompute_all_non_inputs",
    ] = "safe_add_fwd_outputs",
    unreachable: Literal["error", "zero"] = "error",
    filename: str = "",
    resources: Mapping[str, np.ndarray] = {},
    debug_info: bool = True,
) -> tuple[str, list[Function]]:
    """Run `pop-autodiff` on the function `func`: the gradients of the results
    `provided` (default: all
    of floats that depend on `required`) are given, and those with respect to the
    arguments `required` (numbers; a text `@w` is a variable; default: all float
    arguments and variables that the results depend on) are computed. With
    `unreachable="zero"`, gradients of values on which no result depends are zero.

    Returns the whole module as text, and the signatures of its functions: the
    forward functions, which may have more results, and the new gradient
    functions, whose values have roles.
    """
