//===- Values.cpp - Files of ONNX values other than tensors ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file does not contain the name of its message type, and the name of a
// sequence could be read as the dimensions of a tensor. The kind is therefore
// determined from the content: a message has a kind if it has only fields of
// this kind and if its content is complete.
//
//===----------------------------------------------------------------------===//

#include "Proto.h"

#include "onnx/onnx-data_pb.h"
#include "llvm/ADT/STLExtras.h"
#include <google/protobuf/stubs/logging.h>

using namespace mlir;
using namespace mlir::ipu::onnx;

static bool isComplete(const proto::TensorProto &tensor) {
  return tensor.unknown_fields().empty() &&
         tensor.data_type() != proto::TensorProto::UNDEFINED &&
         proto::TensorProto_DataType_IsValid(tensor.data_type());
}

static bool isComplete(const proto::SparseTensorProto &tensor) {
  return tensor.unknown_fields().empty() && tensor.has_values() &&
         tensor.has_indices() && isComplete(tensor.values()) &&
         isComplete(tensor.indices());
}

static bool isComplete(const proto::MapProto &map);
static bool isComplete(const proto::SequenceProto &sequence);

/// Returns whether a sequence or an optional has only elements of its declared
/// element type. `hasField` states, for each element type from 1 on, whether
/// the field for this type has elements.
template <typename MessageT>
static bool hasOwnElements(const MessageT &value, ArrayRef<bool> hasField) {
  if (!value.unknown_fields().empty() || value.elem_type() < 0 ||
      value.elem_type() > static_cast<int>(hasField.size()))
    return false;
  for (auto [index, has] : llvm::enumerate(hasField))
    if (has && static_cast<int>(index) + 1 != value.elem_type())
      return false;
  return true;
}

static bool isComplete(const proto::OptionalProto &value) {
  return hasOwnElements(
             value, {value.has_tensor_value(), value.has_sparse_tensor_value(),
                     value.has_sequence_value(), value.has_map_value(),
                     value.has_optional_value()}) &&
         (!value.has_tensor_value() || isComplete(value.tensor_value())) &&
         (!value.has_sparse_tensor_value() ||
          isComplete(value.sparse_tensor_value())) &&
         (!value.has_sequence_value() || isComplete(value.sequence_value())) &&
         (!value.has_map_value() || isComplete(value.map_value())) &&
         (!value.has_optional_value() || isComplete(value.optional_value()));
}

static bool isComplete(const proto::SequenceProto &sequence) {
  auto areComplete = [](const auto &values) {
    return llvm::all_of(values,
                        [](const auto &value) { return isComplete(value); });
  };
  return hasOwnElements(sequence, {sequence.tensor_values_size() > 0,
                                   sequence.sparse_tensor_values_size() > 0,
                                   sequence.sequence_values_size() > 0,
                                   sequence.map_values_size() > 0,
                                   sequence.optional_values_size() > 0}) &&
         areComplete(sequence.tensor_values()) &&
         areComplete(sequence.sparse_tensor_values()) &&
         areComplete(sequence.sequence_values()) &&
         areComplete(sequence.map_values()) &&
         areComplete(sequence.optional_values());
}

static bool isComplete(const proto::MapProto &map) {
  return map.unknown_fields().empty() && map.has_key_type() &&
         map.keys_size() + map.string_keys_size() > 0 && map.has_values() &&
         isComplete(map.values());
}

template <typename MessageT>
static bool parse(llvm::MemoryBufferRef buffer, MessageT &message) {
  google::protobuf::LogSilencer silencer;
  return message.ParseFromArray(buffer.getBufferStart(),
                                static_cast<int>(buffer.getBufferSize()));
}

StringRef ipu::onnx::getOtherKind(llvm::MemoryBufferRef buffer) {
  proto::SequenceProto sequence;
  if (parse(buffer, sequence) && isComplete(sequence) &&
      sequence.has_elem_type()) {
    int count = sequence.tensor_values_size() +
                sequence.sparse_tensor_values_size() +
                sequence.sequence_values_size() + sequence.map_values_size() +
                sequence.optional_values_size();
    // An optional with a value has the same bytes as a sequence of this value.
    return count == 0   ? "an empty sequence or optional"
           : count == 1 ? "an optional, or a sequence of one element"
                        : "a sequence";
  }
  proto::MapProto map;
  if (parse(buffer, map) && isComplete(map))
    return "a map value";
  proto::SparseTensorProto sparse;
  if (parse(buffer, sparse) && isComplete(sparse))
    return "a sparse tensor";
  return {};
}
