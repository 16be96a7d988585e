//===- Parameters.h - Initializers that programs can change -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The import shows whether an operator must know the value of an initializer.
// Such initializers are recorded. The model is then imported again with them as
// constants, until no more such initializers are found.
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

/// The results of the previous imports of one model.
struct KnownInitializers {
  /// Initializers that have been read.
  llvm::StringMap<ElementsAttr> values;
  /// Initializers that are constants, because an operator must know them.
  llvm::StringSet<> constants;
};

/// The parameters of a program during its import.
class Parameters {
public:
  Parameters(ParameterKind kind, KnownInitializers &known)
      : kind(kind), known(known) {}

  bool isParameter(StringRef name, ElementsAttr value) const;

  /// Adds a parameter at the position of `builder` in the function's block.
  /// Returns its value at the start of the program.
  Value add(OpBuilder &builder, Location loc, StringRef name,
            ElementsAttr value);

  /// Makes all parameters from which `value` is computed constants of the next
  /// import; the result of this import is then not used. Returns whether there
  /// are such parameters. With `unlessInput`, does nothing if `value` also
  /// depends on an input, because it then cannot be a constant.
  bool makeConstant(Value value, bool unlessInput);

  /// The value of a parameter; null if `value` is not a parameter, or too large
  /// to examine.
  DenseElementsAttr getInitial(Value value) const;

  /// Sets the value of `parameter`, if it is a parameter, at the end of the
  /// program.
  void setNext(Value parameter, Value next);

  /// Writes the values of setNext() to variables. Warns about parameters with
  /// several such values, which do not change.
  void writeNext(OpBuilder &builder);

  /// Removes unused parameters, and gives the others their names and values.
  /// Names in `taken` are already used.
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
