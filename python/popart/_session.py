# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PopART's sessions of the Irs of PopXL, whose arrays have the names of streams."""

from typing import Dict

import numpy as np

import popxl


class AnchorReturnType:
    def __init__(self, name: str, period: int = 1):
        self.name = name
        self.period = period


class DataFlow:
    """How many batches a run processes."""

    def __init__(self, batchesPerStep: int = 1, anchorTensors=None):
        self.batchesPerStep = batchesPerStep
        self.anchorTensors = anchorTensors or {}


class PyStepIO:
    """The arrays of a run."""

    def __init__(self, inputs: Dict[str, np.ndarray], outputs: Dict[str, np.ndarray]):
        self.inputs = inputs
        self.outputs = outputs


class InferenceSession:
    @classmethod
    def fromIr(cls, ir, deviceInfo=None) -> "InferenceSession":
        self = cls()
        self._session = popxl.Session(ir.ir, "ipu_model")
        return self

    def prepareDevice(self, loadEngine: bool = True) -> None:
        self._session.__enter__()

    def initAnchorArrays(self) -> Dict[str, np.ndarray]:
        outputs = self._session.create_host_outputs()
        return {stream.tensor_id: array for stream, array in outputs.items()}

    def weightsFromHost(self) -> None:
        self._session.weights_from_host()

    def weightsToHost(self) -> None:
        self._session.weights_to_host()

    def run(self, stepio: PyStepIO, debug_name: str = "") -> None:
        streams = {s.tensor_id: s for s in self._session.expected_inputs()}
        inputs = {streams[name]: data for name, data in stepio.inputs.items()}
        for stream, value in self._session.run(inputs).items():
            stepio.outputs[stream.tensor_id][...] = value
