//===- Export.cpp - ONNX models with other initializers -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Frontend/ONNX/Export.h"

#include "TensorBytes.h"
#include "ipu-mlir/Support/InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <limits>

using namespace mlir;
using namespace mlir::ipu::onnx;

template <typename... Parts>
static llvm::Error makeError(const Parts &...parts) {
  return llvm::createStringError((Twine("") + ... + parts));
}

/// Reads the model of a file. The diagnostics of the reader become one error.
static llvm::Error readModel(StringRef path, MLIRContext *context,
                             proto::ModelProto &model) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      ipu::readInputFile(path);
  if (!buffer)
    return makeError("'", path, "': ", llvm::toString(buffer.takeError()));
  LogicalResult result = failure();
  std::vector<Diagnostic> diagnostics = holdDiagnostics(
      context, [&] { result = parseModel(**buffer, context, model); });
  if (succeeded(result))
    return llvm::Error::success();
  return makeError("'", path, "': ", diagnostics.front().str());
}

static proto::TensorProto *findInitializer(proto::ModelProto &model,
                                           StringRef name) {
  auto &initializers = *model.mutable_graph()->mutable_initializer();
  auto it = llvm::find_if(initializers, [&](const proto::TensorProto &tensor) {
    return tensor.name() == name;
  });
  return it == initializers.end() ? nullptr : &*it;
}

static llvm::Error makeUnknownError(StringRef path, StringRef name) {
  return makeError("'", path, "' has no initializer with the name '", name,
                   "' in its main graph");
}

llvm::Error ipu::onnx::checkONNXInitializers(StringRef path,
                                             ArrayRef<StringRef> names,
                                             MLIRContext *context) {
  proto::ModelProto model;
  if (llvm::Error error = readModel(path, context, model))
    return error;
  for (StringRef name : names)
    if (!findInitializer(model, name))
      return makeUnknownError(path, name);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Removes the data of `tensor`, which may have several forms.
static void clearData(proto::TensorProto &tensor) {
  tensor.clear_float_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_uint64_data();
  tensor.clear_double_data();
  tensor.clear_raw_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
}

namespace {
/// Replaces external data by data in the model.
class ExternalDataReader {
public:
  ExternalDataReader(StringRef path, MLIRContext *context) : context(context) {
    StringRef directory = llvm::sys::path::parent_path(path);
    files.directory = directory.empty() ? "." : directory.str();
  }

  llvm::Error run(proto::GraphProto &graph) {
    for (proto::TensorProto &tensor : *graph.mutable_initializer())
      if (llvm::Error error = run(tensor))
        return error;
    for (proto::NodeProto &node : *graph.mutable_node())
      if (llvm::Error error = run(node))
        return error;
    return llvm::Error::success();
  }

  llvm::Error run(proto::NodeProto &node) {
    for (proto::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t())
        if (llvm::Error error = run(*attribute.mutable_t()))
          return error;
      for (proto::TensorProto &tensor : *attribute.mutable_tensors())
        if (llvm::Error error = run(tensor))
          return error;
      if (attribute.has_g())
        if (llvm::Error error = run(*attribute.mutable_g()))
          return error;
      for (proto::GraphProto &graph : *attribute.mutable_graphs())
        if (llvm::Error error = run(graph))
          return error;
    }
    return llvm::Error::success();
  }

private:
  llvm::Error run(proto::TensorProto &tensor) {
    if (tensor.data_location() != proto::TensorProto::EXTERNAL)
      return llvm::Error::success();
    TensorError error;
    std::optional<std::vector<char>> bytes =
        readTensorBytes(tensor, &files, context, error);
    if (!bytes)
      return makeError("tensor '", tensor.name(), "': ", error.message);
    clearData(tensor);
    tensor.set_raw_data(bytes->data(), bytes->size());
    return llvm::Error::success();
  }

  MLIRContext *context;
  ExternalFiles files;
};
} // namespace

llvm::Error ipu::onnx::writeONNXModel(StringRef path,
                                      const InitializerBytes &values,
                                      MLIRContext *context,
                                      llvm::raw_ostream &os) {
  proto::ModelProto model;
  if (llvm::Error error = readModel(path, context, model))
    return error;
  for (const auto &[name, bytes] : values) {
    proto::TensorProto *tensor = findInitializer(model, name);
    if (!tensor)
      return makeUnknownError(path, name);
    clearData(*tensor);
    tensor->set_raw_data(bytes.data(), bytes.size());
  }
  ExternalDataReader reader(path, context);
  if (llvm::Error error = reader.run(*model.mutable_graph()))
    return error;
  for (proto::FunctionProto &function : *model.mutable_functions())
    for (proto::NodeProto &node : *function.mutable_node())
      if (llvm::Error error = reader.run(node))
        return error;
  // Protobuf has no larger messages.
  if (model.ByteSizeLong() > std::numeric_limits<int>::max())
    return makeError("the model has ", Twine(model.ByteSizeLong()),
                     " bytes; expects at most 2 GiB");
  os << model.SerializeAsString();
  return llvm::Error::success();
}
