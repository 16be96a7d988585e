# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of PopART's interface that tests and tools of PopXL programs use.

The objects are views of the records of this package.
"""

from enum import Enum
from typing import Any, List


class SessionOptions:
    """Options of PopART. A program may set and read any attribute; the session knows
    the options that this class defines, and ignores all others."""

    def __init__(self):
        self.throwIfLog2ScaleTensorNotInRange = True
        self.partialsTypeMatMuls = ""
        self.enableEngineCaching = False
        self.cachePath = ""
        self.numIOTiles = 0
        self.enableInplaceAmbiguityChecking = True
        self.replicatedGraphCount = 1
        self.enableReplicatedGraphs = False
        self.engineOptions = {}
        self.dotChecks = set()
        self.logDir = ""


class Ir:
    def __init__(self, ir):
        self.ir = ir

    def getSessionOptions(self) -> SessionOptions:
        return self.ir._options

    def getAllGraphs(self) -> List["Graph"]:
        return [Graph(g) for g in self.ir._graphs]

    def getMainGraph(self) -> "Graph":
        return Graph(self.ir.main_graph)

    def getGraph(self, id: str) -> "Graph":
        return next(Graph(g) for g in self.ir._graphs if g.id == str(id))

    def logIr(self) -> None:
        for graph in self.ir._graphs:
            print(graph)

    def updateVertices(self) -> None:
        pass

    def setDataFlow(self, data_flow) -> None:
        self.ir.num_host_transfers = data_flow.batchesPerStep

    def setPatterns(self, patterns) -> None:
        pass

    @property
    def _id(self) -> int:
        return self.ir.id


class Graph:
    def __init__(self, graph):
        self.graph = graph

    @property
    def id(self) -> str:
        return self.graph.id

    def getOps(self) -> List:
        return list(self.graph._ops)

    def getOpSchedule(self, requireOptimalSchedule: Any = None) -> List:
        return list(self.graph._ops)

    def getOpIds(self) -> List[int]:
        return list(range(len(self.graph._ops)))

    def getTensor(self, id: str) -> "Tensor":
        return Tensor(self.graph.get_tensor(id))

    def getTensors(self) -> List["Tensor"]:
        return [Tensor(t) for t in self.graph.tensors]

    def getInputId(self, index: int) -> str:
        return self.graph.inputs[index].id

    def getOutputId(self, index: int) -> str:
        return self.graph.outputs[index].id

    def getInputIds(self) -> List[str]:
        return [t.id for t in self.graph.inputs]

    def getOutputIds(self) -> List[str]:
        return [t.id for t in self.graph.outputs]

    def getGraphString(self) -> str:
        return self.graph.id

    def __contains__(self, id: str) -> bool:
        return id in self.graph._tensors

    def __eq__(self, other) -> bool:
        return isinstance(other, Graph) and self.graph is other.graph

    def __hash__(self) -> int:
        return hash(self.graph)


class TensorInfo:
    def __init__(self, tensor):
        self.tensor = tensor

    def shape(self) -> List[int]:
        return list(self.tensor.shape)

    def data_type_lcase(self) -> str:
        return self.tensor.dtype.name

    def rank(self) -> int:
        return self.tensor.rank

    def nelms(self) -> int:
        return self.tensor.nelms


class Tensor:
    def __init__(self, tensor):
        self.tensor = tensor

    @property
    def id(self) -> str:
        return self.tensor.id

    @property
    def info(self) -> TensorInfo:
        return TensorInfo(self.tensor)

    def tensorType(self):
        return TensorType(self.tensor._pb_kind)

    def hasTensorData(self) -> bool:
        return hasattr(self.tensor, "_data")

    def isAliased(self) -> bool:
        from popxl._places import find_roots

        roots = find_roots(self.tensor._graph)
        own = roots.get(self.tensor, {self.tensor})
        return any(
            other is not self.tensor and roots.get(other, {other}) & own
            for other in self.tensor._graph.tensors
        )

    def hasProducer(self) -> bool:
        return self.tensor._producer is not None

    def getProducer(self):
        return self.tensor._producer


class TensorType(str):
    """One of "ActGrad", "Const", "Stream" and "Variable"."""


TensorType.ActGrad = TensorType("ActGrad")
TensorType.Const = TensorType("Const")
TensorType.Stream = TensorType("Stream")
TensorType.Variable = TensorType("Variable")


class VariableRetrievalMode(Enum):
    OnePerGroup = "one_per_group"
    AllReplicas = "all_replicas"
    AllReduceReplicas = "all_reduce_replicas"


class VariableSettings:
    """Groups of replicas that share the value of a variable."""

    def __init__(
        self,
        stride: int = 1,
        group_size: int = 0,
        retrieval_mode: VariableRetrievalMode = VariableRetrievalMode.OnePerGroup,
    ):
        self._stride = stride
        self._group_size = group_size
        self._retrieval_mode = retrieval_mode

    def isUsingCommGroup(self) -> bool:
        return False

    def getStride(self) -> int:
        return self._stride

    def getGroupSize(self) -> int:
        return self._group_size

    def getRetrievalMode(self) -> VariableRetrievalMode:
        return self._retrieval_mode

    def groups(self, replicas: int) -> List[List[int]]:
        """The replicas of each group."""
        stride, size = self._stride, self._group_size
        starts = [r for r in range(replicas) if r // stride % size == 0]
        return [[start + i * stride for i in range(size)] for start in starts]


class _OpClass(type):
    """A class of ops: all ops whose kind has the name of the class are instances."""

    def __instancecheck__(cls, op) -> bool:
        kind = getattr(op, "kind", None)
        return kind is not None and kind.class_name == cls.__name__


def op_class(name: str) -> type:
    """The class of PopART's ops of a name."""
    return _OpClass(name, (), {})
