//===- Parameters.h - Initializers that programs can change -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The import shows whether an operator has to know the value of an initializer.
// Such initializers are recorded, and the model is imported again with them as
// constants, until no more are found.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_PARAMETERS_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_PARAMETERS_H

#include "ipu-mlir/Frontend/ONNX/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ipu::onnx {

/// What the imports of one model have found so far.
struct KnownInitializers {
  /// Those that have been read.
  llvm::StringMap<ElementsAttr> values;
  /// Those that are constants because an operator has to know them.
  llvm::StringSet<> constants;
};

/// The parameters of a program that is being imported.
class Parameters {
public:
  Parameters(ParameterKind kind, KnownInitializers &known)
      : kind(kind), known(known) {}

  bool isParameter(StringRef name, ElementsAttr value) const;

  /// Adds one, where `builder` is, in the function's block. Returns the value
  /// that it has when the program starts.
  Value add(OpBuilder &builder, Location loc, StringRef name,
            ElementsAttr value);

  /// Makes all parameters that `value` is computed from constants of the next
  /// import; what this one builds no longer matters then. Returns whether there
  /// are any. With `unlessInput` there are none if it is computed from an input
  /// as well, and no constant anyhow.
  bool makeConstant(Value value, bool unlessInput);

  /// The value of a parameter; null if it is none, or too large to look at.
  DenseElementsAttr getInitial(Value value) const;

  /// Says what `parameter`, if it is one, is at the end of the program.
  void setNext(Value parameter, Value next);

  /// Writes what setNext() said to variables. Warns of those that have several
  /// such values, which stay as they are.
  void writeNext(OpBuilder &builder);

  /// Removes parameters that nothing uses, and gives the others their names and
  /// values. Names in `taken` go to others.
  void finish(func::FuncOp function, llvm::StringSet<> taken);

private:
  struct Parameter {
    std::string name;
    Location loc;
    ElementsAttr initial;
    Value value;
    SmallVector<Value, 1> next = {};
  };

  std::string chooseName(const Parameter &parameter, llvm::StringSet<> &taken);
  void finishArguments(func::FuncOp function, llvm::StringSet<> &taken);
  void finishVariables(func::FuncOp function, llvm::StringSet<> &taken);

  ParameterKind kind;
  KnownInitializers &known;
  std::vector<Parameter> parameters;
  DenseMap<Value, size_t> numbers;
  llvm::StringMap<size_t> byName;
};

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_PARAMETERS_H
