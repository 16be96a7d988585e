# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PopXL programs on the simulated device.

The package has the interface of Graphcore's PopXL. Programs are recorded, printed as
MLIR of the `pop` dialect when a `Session` is created, and then compiled and run by
`ipu_mlir`.
"""

import sys

if sys.version_info < (3, 7):
    raise RuntimeError("popxl needs Python 3.7 or later.")

from popxl import dtypes, errors, fp8_utils, random_seed, utils
from popxl.context import (
    gcg,
    get_current_graph,
    get_ir,
    get_main_graph,
    gir,
    gmg,
    in_sequence,
    io_tiles,
    ipu,
    name_scope,
)
from popxl.dtypes import (
    bool,
    complex64,
    complex128,
    double,
    dtype,
    float,
    float8_143,
    float8_152,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from popxl.tensor import (
    Tensor,
    TensorByRef,
    TensorSpec,
    constant,
    graph_input,
    graph_output,
    remote_replica_sharded_variable,
    remote_variable,
    replica_sharded_variable,
    variable,
)
from popxl.graph import Graph
from popxl.ir import Ir
from popxl.module import Module
from popxl.random_seed import create_seeds
from popxl.remote_buffer import RemoteBuffer, remote_buffer, replica_sharded_buffer
from popxl.replica_grouping import ReplicaGrouping
from popxl.session import Session
from popxl.streams import (
    DeviceToHostStream,
    HostToDeviceStream,
    d2h_stream,
    h2d_stream,
)
from popxl.tensor_location import (
    ExecutionContext,
    ReplicatedTensorSharding,
    TensorLocation,
    TensorStorage,
    TileSet,
)
from popxl import ops, transforms

__version__ = "0.1.0"

__all__ = (
    "get_current_graph gcg get_main_graph gmg get_ir gir in_sequence name_scope ipu "
    "io_tiles dtype Graph Ir Module create_seeds RemoteBuffer remote_buffer "
    "ReplicaGrouping HostToDeviceStream DeviceToHostStream h2d_stream d2h_stream Tensor "
    "variable remote_variable remote_replica_sharded_variable replica_sharded_variable "
    "constant graph_input graph_output TensorByRef TensorSpec TensorStorage "
    "TensorLocation ReplicatedTensorSharding TileSet ExecutionContext Session"
).split() + [name for name in dtypes.__all__ if name != "dtype"]
