//===- Parameters.h - Initializers that programs can change -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator may require the value of an initializer during the import. The
// importer records such initializers, and imports the model again with these
// initializers as constants. It stops when an import finds no more of them.
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

  /// Records that all parameters from which `value` is computed are constants
  /// in the next import. Returns whether there are such parameters; the result
  /// of the current import is then not used. With `unlessInput`, does nothing
  /// if `value` also depends on an input, because the value then cannot be a
  /// constant.
  bool makeConstant(Value value, bool unlessInput);

  /// Returns the initial value of the parameter `value`, or null if `value` is
  /// not a parameter or is too large to examine.
  DenseElementsAttr getInitial(Value value) const;

  /// Records that `parameter` has the value `next` at the end of the program.
  /// Does nothing if `parameter` is not a parameter.
  void setNext(Value parameter, Value next);

  /// Builds ops that write the values of setNext() to the variables. Warns
  /// about each parameter with several such values, and does not write it.
  void writeNext(OpBuilder &builder);

  /// Removes unused parameters, and sets the names and values of the other
  /// parameters. Does not use the names in `taken`.
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
