# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of PopART that tests of PopXL programs use. Programs do not need them."""

import logging
from enum import Enum

from popxl._internals import VariableRetrievalMode, VariableSettings
from popxl.errors import (
    popart_exception,
    popart_internal_exception,
    popart_runtime_error,
    poplar_application_runtime_error,
    poplar_exception,
    poplar_runtime_error,
)
from popxl.ops.collectives.collectives import CommGroup, CommGroupType
from popart._internal import ir as _ir
from popart._session import AnchorReturnType, DataFlow, InferenceSession, PyStepIO


class SyncPattern(Enum):
    Full = 0
    SinglePipeline = 1
    ReplicaAndLadder = 2


class DeviceConnectionType(Enum):
    Always = 0
    OnDemand = 1
    Never = 2


class DeviceSelectionCriterion(Enum):
    First = 0
    Random = 1


class VirtualGraphMode(Enum):
    Off = 0
    Manual = 1
    Auto = 2
    ExecutionPhases = 3


class DeviceInfo:
    """A description of the simulated device, which is always available."""

    def __init__(self, numIpus: int = 1):
        self.numIpus = numIpus

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def attach(self) -> bool:
        return True

    def detach(self) -> None:
        pass


class DeviceManager:
    """Creates descriptions of devices."""

    def createCpuDevice(self) -> DeviceInfo:
        return DeviceInfo()

    def createIpuModelDevice(self, options=None) -> DeviceInfo:
        return DeviceInfo(int((options or {}).get("numIPUs", 1)))

    createSimDevice = createIpuModelDevice

    def createOfflineIpuFromSystemString(self, system: str, numIpus: int) -> DeviceInfo:
        return DeviceInfo(numIpus or 1)

    def acquireAvailableDevice(self, numIpus: int = 1, **options) -> DeviceInfo:
        return DeviceInfo(numIpus)

    def enumerateDevices(self, numIpus: int = 1, **options):
        return [DeviceInfo(numIpus)]

    def setOnDemandAttachTimeout(self, seconds: int) -> None:
        pass


class _Logger:
    """Writes to standard error."""

    _LEVELS = {"TRACE": 5, "OFF": 100, "WARN": logging.WARNING, "ERR": logging.ERROR}

    def __init__(self, name: str):
        self._logger = logging.getLogger(f"popart.{name}")
        if not self._logger.handlers:
            self._logger.addHandler(logging.StreamHandler())

    def setLevel(self, level: str) -> None:
        self._logger.setLevel(self._LEVELS.get(level, level))

    def __getattr__(self, name: str):
        return getattr(self._logger, {"warn": "warning"}.get(name, name))


def getLogger(name: str = "all") -> _Logger:
    return _Logger(name)
