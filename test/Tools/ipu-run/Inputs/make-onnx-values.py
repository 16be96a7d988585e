"""Writes ONNX values that are no tensors, and parts of a tensor, into a folder."""

import sys

import numpy as np
from onnx import OptionalProto, SequenceProto, TensorProto, helper, numpy_helper

FOLDER = sys.argv[1]


def save(name, data):
    with open(f"{FOLDER}/{name}.pb", "wb") as file:
        file.write(data)


def tensor(*values):
    return numpy_helper.from_array(np.array(values, np.float32))


# Names are what a tensor has dimensions of.
for length in 1, 7:
    name = "n" * length
    values = [tensor(1, 2, 3), tensor(4)]
    tensors = helper.make_sequence(name, SequenceProto.TENSOR, values)
    save(f"sequence-{length}", tensors.SerializeToString())
    nested = helper.make_sequence(name, SequenceProto.SEQUENCE, [tensors] * 2)
    save(f"nested-{length}", nested.SerializeToString())
    nothing = helper.make_sequence(name, SequenceProto.TENSOR, [])
    save(f"empty-{length}", nothing.SerializeToString())
    optional = OptionalProto(name=name, elem_type=OptionalProto.TENSOR)
    optional.tensor_value.CopyFrom(tensor(1))
    save(f"optional-{length}", optional.SerializeToString())
    optional = OptionalProto(name=name, elem_type=OptionalProto.SEQUENCE)
    optional.sequence_value.CopyFrom(tensors)
    save(f"optional-sequence-{length}", optional.SerializeToString())
    entries = helper.make_map(name, TensorProto.INT64, [1, 2], tensors)
    save(f"map-{length}", entries.SerializeToString())
indices = numpy_helper.from_array(np.zeros(1, np.int64))
sparse = helper.make_sparse_tensor(tensor(1), indices, [3])
save("sparse", sparse.SerializeToString())

whole = helper.make_tensor("x", TensorProto.FLOAT, [2, 3], range(6))
whole = whole.SerializeToString()
for end in range(1, len(whole)):
    save(f"part-{end}", whole[:end])
