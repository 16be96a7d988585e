# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model with values for its inputs, and its text form."""

import copy
import dataclasses
import json

import numpy as np
import onnx
from onnx import helper, numpy_helper

TYPE_NAMES = {
    np.dtype(kind): name
    for kind, name in {
        "float32": "float",
        "float64": "double",
        "float16": "float16",
        "bool": "bool",
        **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    }.items()
}
IR_VERSION = 8
# Their results are random.
RANDOM_OPS = (
    "Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike"
).split()


@dataclasses.dataclass
class Program:
    name: str
    opset: int
    nodes: list
    inputs: dict[str, np.ndarray]
    constants: dict[str, np.ndarray]
    outputs: list[str]

    def copy(self):
        return copy.deepcopy(self)

    @property
    def values(self):
        """What the program is given, by name."""
        return {**self.inputs, **self.constants}

    def find_holder(self, name):
        """The dict of inputs or constants that has the name."""
        return self.inputs if name in self.inputs else self.constants

    def make_model(self):
        """Outputs have no types: onnxruntime and ipu-run infer them."""
        inputs = [make_value_info(name, values) for name, values in self.inputs.items()]
        outputs = [onnx.ValueInfoProto(name=name) for name in self.outputs]
        constants = [numpy_helper.from_array(v, name) for name, v in self.constants.items()]
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, constants)
        opsets = [helper.make_opsetid("", self.opset)]
        opsets += [helper.make_opsetid(domain, 1) for domain in self.find_domains()]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)

    def find_domains(self):
        """The domains of the nodes other than that of ONNX."""
        return sorted({node.domain for node in self.nodes if node.domain})

    def find_outputs(self):
        """All values that nodes compute."""
        return [name for node in self.nodes for name in node.output if name]

    def extract(self, node, values):
        """The program of one node, with values that were computed as inputs. Constants stay
        constants."""
        names = [name for name in dict.fromkeys(node.input) if name]
        constants = {name: self.constants[name] for name in names if name in self.constants}
        inputs = {name: values[name] for name in names if name not in constants}
        outputs = [name for name in node.output if name]
        return Program(self.name, self.opset, [node], inputs, constants, outputs)


def make_value_info(name, values):
    kind = onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[values.dtype]
    return helper.make_tensor_value_info(name, kind, values.shape)


def load_case(folder, root):
    """The program of a backend test, or None if a part of it has no form here."""
    model = onnx.load(folder / "model.onnx")
    graph, data = model.graph, folder / "test_data_set_0"
    if model.functions or any(o.domain not in ("", "ai.onnx") for o in model.opset_import):
        return None
    if any(node.op_type in RANDOM_OPS or node.domain for node in graph.node):
        return None
    constants = {tensor.name: tensor for tensor in graph.initializer}
    inputs = {}
    for i, name in enumerate(v.name for v in graph.input if v.name not in constants):
        if not (data / f"input_{i}.pb").exists():
            return None
        inputs[name] = onnx.TensorProto.FromString((data / f"input_{i}.pb").read_bytes())
    tensors = [*inputs.values(), *constants.values()]
    if any(tensor.data_type in (0, 8) or tensor.data_type > 13 for tensor in tensors):
        return None

    def read(tensors):
        return {name: numpy_helper.to_array(tensor) for name, tensor in tensors.items()}

    opset = max((o.version for o in model.opset_import), default=1)
    outputs = [value.name for value in graph.output]
    name = str(folder.relative_to(root))
    return Program(name, opset, list(graph.node), read(inputs), read(constants), outputs)


# Text


def print_number(value):
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    return repr(value.item() if isinstance(value, np.generic) else value)


def print_type(values):
    sizes = f"[{', '.join(map(str, values.shape))}]" if values.ndim else ""
    return TYPE_NAMES[values.dtype] + sizes


def print_tensor(values):
    return "{" + ", ".join(map(print_number, values.ravel())) + "}"


def print_attribute(attribute):
    value = helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        values = numpy_helper.to_array(value)
        return f"{attribute.name} = {print_type(values)} {print_tensor(values)}"
    if isinstance(value, onnx.GraphProto):
        return f"{attribute.name} = {print_graph(value)}"
    if isinstance(value, (list, tuple)) or hasattr(value, "extend"):
        items = [json.dumps(v.decode()) if isinstance(v, bytes) else print_number(v) for v in value]
        return f"{attribute.name} = [{', '.join(items)}]"
    text = json.dumps(value.decode()) if isinstance(value, bytes) else print_number(value)
    return f"{attribute.name} = {text}"


def print_node(node):
    attributes = ", ".join(map(print_attribute, node.attribute))
    attributes = f" <{attributes}>" if attributes else ""
    domain = f"{node.domain}." if node.domain else ""
    return f"{', '.join(node.output)} = {domain}{node.op_type}{attributes} ({', '.join(node.input)})"


def print_value_info(value):
    kind = value.type.tensor_type
    sizes = [d.dim_param or str(d.dim_value) for d in kind.shape.dim]
    name = TYPE_NAMES[onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[kind.elem_type]]
    return f"{name}{'[' + ', '.join(sizes) + ']' if sizes else ''} {value.name}"


def print_constants(constants):
    texts = [f"{print_type(v)} {name} = {print_tensor(v)}" for name, v in constants.items()]
    return f" <{', '.join(texts)}>" if texts else ""


def print_graph(graph):
    """A graph of an attribute, in one line."""
    inputs, outputs = (", ".join(map(print_value_info, v)) for v in (graph.input, graph.output))
    constants = print_constants({t.name: numpy_helper.to_array(t) for t in graph.initializer})
    nodes = " ".join(map(print_node, graph.node))
    return f"{graph.name} ({inputs}) => ({outputs}){constants} {{ {nodes} }}"


def print_program(program, outputs):
    """The text form of the model; `outputs` are values that give the types of its outputs."""
    inputs = ", ".join(f"{print_type(v)} {name}" for name, v in program.inputs.items())
    results = ", ".join(f"{print_type(outputs[name])} {name}" for name in program.outputs)
    constants = print_constants(program.constants)
    domains = "".join(f', "{domain}" : 1' for domain in program.find_domains())
    lines = [f'<ir_version: {IR_VERSION}, opset_import: ["" : {program.opset}{domains}]>']
    lines.append(f"g ({inputs}) => ({results}){constants}")
    lines += ["{", *(f"  {print_node(node)}" for node in program.nodes), "}"]
    return "\n".join(lines) + "\n"
