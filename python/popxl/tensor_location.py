# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptions of where tensors are. Programs state it by ops instead."""

from enum import Enum


class TensorStorage(Enum):
    OnChip = "on_chip"
    OffChip = "off_chip"


class ReplicatedTensorSharding(Enum):
    Off = "off"
    On = "on"


class TileSet(Enum):
    Compute = "compute"
    IO = "io"
    Undefined = "undefined"


class ExecutionContext(Enum):
    Normal = "normal"
    AccumulateOuterFragment = "accumulate_outer"
    WeightsFromHostFragment = "weights_from_host"
    WeightsToHostFragment = "weights_to_host"
    OptimizerFromHostFragment = "optimizer_from_host"
    Subgraph = "subgraph"


class TensorLocation:
    def __init__(
        self,
        storage: TensorStorage = TensorStorage.OnChip,
        replicated_tensor_sharding: ReplicatedTensorSharding = ReplicatedTensorSharding.Off,
        load_tile_set: TileSet = TileSet.Compute,
        storage_tile_set: TileSet = TileSet.Compute,
    ):
        self.storage = storage
        self.replicated_tensor_sharding = replicated_tensor_sharding
        self.load_tile_set = load_tile_set
        self.storage_tile_set = storage_tile_set
