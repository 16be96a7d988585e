# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler and the simulated device."""

import os
import sys
from contextlib import contextmanager
from typing import Any, Dict

import numpy as np

from popxl import _dot, dtypes
from popxl import errors as popxl_errors
from popxl._emit import i64
from popxl._print import ModulePrinter
from popxl.fp8_utils import host_pow2scale_cast_from_fp8
from popxl.ops.print_tensor import format_tensor

_DEVICES = ("cpu", "ipu_model", "ipu_hw")

#: Bytes of tensors for each tile, from which the default number of tiles follows.
_BYTES_PER_TILE = 64 * 1024


@contextmanager
def errors():
    """Raise PopART's exceptions for errors of the extension."""
    from ipu_mlir import _native

    try:
        yield
    except _native.RunError as e:
        raise _wrapped(popxl_errors.poplar_application_runtime_error, e) from None
    except _native.Error as e:
        raise _wrapped(popxl_errors.popart_exception, e) from None


def _wrapped(cls, error) -> Exception:
    result = cls(str(error))
    result.diagnostics = error.diagnostics
    for note in getattr(error, "__notes__", ()):
        result.add_note(note)
    return result


def target(printer: ModulePrinter) -> str:
    """The target of a program: few tiles for small programs, which run faster."""
    constants = {"tiles": _tiles(printer), "replicas": printer.ir.replication_factor}
    if printer.ipus > 1:
        constants["ipus"] = printer.ipus
    if printer.has_io_tiles:
        constants["io_tiles"] = printer.ir._options.numIOTiles or constants["tiles"]
        constants["tiles"] += constants["io_tiles"]
    items = ", ".join(f"{k} = {i64(v)}" for k, v in constants.items())
    return f'#ipu.target<"gc200", {{{items}}}>'


def _tiles(printer: ModulePrinter) -> int:
    if "POPXL_TILES" in os.environ:
        return int(os.environ["POPXL_TILES"])
    size = sum(
        t.nelms * t.dtype.nbytes for g in printer.graphs for t in g._tensors.values()
    )
    tiles = 4
    while tiles < 1472 and tiles * _BYTES_PER_TILE < size:
        tiles *= 2
    return min(tiles, 1472)


def module_text(printer: ModulePrinter) -> str:
    """The whole program."""
    attributes = {"ipu.target": target(printer)}
    if printer.ir.num_host_transfers > 1:
        attributes["pop.host_transfers"] = i64(printer.ir.num_host_transfers)
    return printer.text(attributes)


def compile(ir, device_desc: Any, options: Dict[str, Any]):
    """Compile an Ir. `options` are options of `ipu_mlir._native.compile`."""
    if isinstance(device_desc, str) and device_desc not in _DEVICES:
        if not device_desc.lower().startswith(("ipu", "pod", "c600", "m2000")):
            raise ValueError(
                f"The device {device_desc!r} is not one of {', '.join(_DEVICES)}."
            )
    printer = ModulePrinter(ir, ir.main_graph)
    if device_desc == "cpu" and printer.ipus * ir.replication_factor > 1:
        raise ValueError(
            f"The device 'cpu' has one IPU, but the program needs "
            f"{printer.ipus * ir.replication_factor}."
        )
    if not ir.main_graph._ops:
        raise RuntimeError("The main graph has no ops.")
    from ipu_mlir import _native

    _dot.write_checkpoints(ir)
    text = module_text(printer)
    with errors():
        session = _native.compile(
            text, resources=printer.resources, **_options(ir), **options
        )
    return printer, text, session


def _options(ir) -> Dict[str, Any]:
    result = {}
    folder = os.environ.get("POPXL_CACHE_DIR")
    if ir._options.enableEngineCaching and ir._options.cachePath:
        folder = ir._options.cachePath
    if folder is not None:
        ir._options.enableEngineCaching = True
        ir._options.cachePath = folder
        result["cache_folder"] = folder
    return result


def print_tensors(ir, results: Dict[str, np.ndarray]) -> None:
    """Print the tensors of `ops.print_tensor`, and remove them from the results."""
    for name, stream in ir._print_streams.items():
        if name not in results:
            continue
        data = results.pop(name)
        replicas = ir.replication_factor
        for tensor in data.reshape(-1, replicas, *stream.shape):
            for replica, value in enumerate(tensor):
                where = f" (replica {replica})" if replicas > 1 else ""
                if stream.dtype.is_fp8:
                    value = host_pow2scale_cast_from_fp8(value, dtypes.float32)
                text = format_tensor(value, stream.format)
                print(f"{stream.title}{where}: {text}", file=sys.stderr)
