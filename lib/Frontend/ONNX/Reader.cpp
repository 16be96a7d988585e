//===- Reader.cpp - Parsing of ONNX files ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Proto.h"

#include "ipu-mlir/Support/InputFile.h"
#include "mlir/IR/Diagnostics.h"
#include "onnx/defs/parser.h"
#include "llvm/ADT/StringExtras.h"
#include <google/protobuf/stubs/logging.h>

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest depth of nested brackets in a text. The limit is necessary
/// because the parser is recursive.
static constexpr int kMaxNesting = 128;

Location ipu::onnx::getFileLoc(StringRef path, MLIRContext *context) {
  return FileLineColLoc::get(context, path, 0, 0);
}

std::vector<Diagnostic> ipu::onnx::holdDiagnostics(MLIRContext *context,
                                                   function_ref<void()> fn) {
  std::vector<Diagnostic> diagnostics;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    diagnostics.push_back(std::move(diagnostic));
  });
  fn();
  return diagnostics;
}

void ipu::onnx::emitDiagnostics(MLIRContext *context,
                                std::vector<Diagnostic> diagnostics) {
  for (Diagnostic &diagnostic : diagnostics)
    context->getDiagEngine().emit(std::move(diagnostic));
}

//===----------------------------------------------------------------------===//
// Text form
//===----------------------------------------------------------------------===//

/// Returns `text` without leading blanks and comments.
static StringRef dropBlanks(StringRef text) {
  for (text = text.ltrim(); text.starts_with("#"); text = text.ltrim())
    text = text.drop_until([](char c) { return c == '\n'; });
  return text;
}

bool ipu::onnx::isTextForm(StringRef fileName, StringRef text) {
  // No field of a binary model begins with the byte '<'.
  return fileName.ends_with(".onnxtxt") || fileName.ends_with(".txt") ||
         dropBlanks(text).starts_with("<");
}

/// Returns whether the brackets outside of strings and comments are nested too
/// deep.
static bool isNestedTooDeep(StringRef text) {
  int depth = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      isString = !isString;
    else if (isString)
      continue;
    else if (c == '#')
      i = std::min(text.find('\n', i), text.size());
    else if (c == '(' || c == '[' || c == '{')
      ++depth;
    else if (c == ')' || c == ']' || c == '}')
      --depth;
    if (depth > kMaxNesting)
      return true;
  }
  return false;
}

/// Reports the error `status` of the parser: a line "[ParseError at position
/// (line: 1 column: 2)]" and further lines. The last lines are the message.
static LogicalResult reportParseError(StringRef fileName, StringRef status,
                                      MLIRContext *context) {
  unsigned line = 0, column = 0;
  StringRef rest = status.split("(line: ").second;
  rest.consumeInteger(10, line);
  if (rest.consume_front(" column: "))
    rest.consumeInteger(10, column);
  StringRef message = status.split("Error context: ").second;
  message = message.contains('\n') ? message.split('\n').second : status;
  std::string oneLine = message.trim().str();
  llvm::replace(oneLine, '\n', ' ');
  return emitError(FileLineColLoc::get(context, fileName, line, column))
         << "malformed ONNX text: " << oneLine;
}

static LogicalResult parseText(llvm::MemoryBufferRef buffer,
                               MLIRContext *context, proto::ModelProto &model) {
  StringRef fileName = buffer.getBufferIdentifier();
  auto malformed = [&](const Twine &message) {
    return emitError(getFileLoc(fileName, context))
           << "malformed ONNX text: " << message;
  };
  if (dropBlanks(buffer.getBuffer()).empty())
    return malformed("expects a model but got an empty file");
  if (isNestedTooDeep(buffer.getBuffer()))
    return malformed("brackets are nested more than " + Twine(kMaxNesting) +
                     " deep");
  if (buffer.getBuffer().contains('\0'))
    return malformed("expects text but got a zero byte");
  // After an unfinished string, the parser may read a few characters beyond the
  // end of the text.
  std::string text = buffer.getBuffer().str() + "\n    ";
  try {
    proto::OnnxParser parser(text.c_str());
    proto::Common::Status status = parser.Parse(model);
    if (status.IsOK() && !parser.EndOfInput())
      return malformed("expects nothing after the model's graph and functions");
    if (!status.IsOK())
      return reportParseError(fileName, status.ErrorMessage(), context);
  } catch (const std::exception &error) {
    return malformed(error.what());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Binary form
//===----------------------------------------------------------------------===//

static LogicalResult parseBinary(llvm::MemoryBufferRef buffer,
                                 MLIRContext *context,
                                 google::protobuf::MessageLite &message,
                                 StringRef what) {
  // Errors are diagnostics, not lines in a log.
  google::protobuf::LogSilencer silencer;
  Location loc = getFileLoc(buffer.getBufferIdentifier(), context);
  if (buffer.getBufferSize() == 0)
    return emitError(loc) << "expects an ONNX " << what
                          << " but got an empty file";
  if (buffer.getBufferSize() > std::numeric_limits<int>::max())
    return emitError(loc) << "expects an ONNX " << what
                          << " of at most 2 GiB but got "
                          << buffer.getBufferSize() << " bytes";
  try {
    if (message.ParseFromArray(buffer.getBufferStart(),
                               static_cast<int>(buffer.getBufferSize())))
      return success();
  } catch (const std::exception &error) {
    return emitError(loc) << "malformed ONNX " << what << ": " << error.what();
  }
  return emitError(loc)
         << "malformed ONNX " << what
         << ": the file is truncated, has another format, or nests "
            "subgraphs too deep";
}

LogicalResult ipu::onnx::parseModel(llvm::MemoryBufferRef buffer,
                                    MLIRContext *context,
                                    proto::ModelProto &model) {
  StringRef fileName = buffer.getBufferIdentifier();
  if (isTextForm(fileName, buffer.getBuffer()))
    return parseText(buffer, context, model);
  if (failed(parseBinary(buffer, context, model, "model")))
    return failure();
  if (model.has_graph())
    return success();
  return emitError(getFileLoc(fileName, context))
         << "malformed ONNX model: it has no graph";
}

/// Returns the name and the value of the tensor in `buffer`.
static FailureOr<NamedTensor> readTensor(llvm::MemoryBufferRef buffer,
                                         MLIRContext *context) {
  proto::TensorProto tensor;
  if (failed(parseBinary(buffer, context, tensor, "tensor")))
    return failure();
  TensorError error;
  // A tensor in a separate file cannot have external data.
  ElementsAttr value =
      getTensor(tensor, /*files=*/nullptr, context, /*dense=*/true, error);
  if (!value)
    return emitError(getFileLoc(buffer.getBufferIdentifier(), context))
           << "ONNX tensor '" << tensor.name() << "': " << error.message;
  return NamedTensor{tensor.name(), cast<DenseElementsAttr>(value)};
}

FailureOr<NamedTensor> ipu::onnx::loadONNXTensor(StringRef path,
                                                 MLIRContext *context) {
  Location loc = getFileLoc(path, context);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readInputFile(path);
  if (!buffer)
    return emitError(loc) << "cannot read: "
                          << llvm::toString(buffer.takeError());
  // If the file contains no tensor, the errors of the attempt to read a tensor
  // are not useful.
  FailureOr<NamedTensor> tensor;
  std::vector<Diagnostic> diagnostics =
      holdDiagnostics(context, [&] { tensor = readTensor(**buffer, context); });
  if (succeeded(tensor))
    return tensor;
  if (StringRef kind = getOtherKind(**buffer); !kind.empty())
    return emitError(loc) << "unsupported: expects an ONNX tensor but got "
                          << kind;
  emitDiagnostics(context, std::move(diagnostics));
  return failure();
}
