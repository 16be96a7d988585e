//===- Parameters.h - Initializers that programs can change -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator may require the value of an initializer or of an input during the
// import. The importer records these, and imports the model again with them as
// constants. It stops when an import finds no more of them.
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
struct KnownConstants {
  /// Initializers that have been read.
  llvm::StringMap<ElementsAttr> values;
  /// Initializers that are constants, because an operator must know them.
  llvm::StringSet<> initializers;
  /// Inputs that are constants, with the reason, which follows "because" in a
  /// remark.
  llvm::StringMap<std::string> inputs;

  size_t size() const { return initializers.size() + inputs.size(); }
};

/// The parameters of a program during its import.
class Parameters {
public:
  Parameters(ParameterKind kind, KnownConstants &known)
      : kind(kind), known(known) {}

  bool isParameter(StringRef name, ElementsAttr value) const;

  /// Adds a parameter at the position of `builder` in the function's block.
  /// Returns its value at the start of the program.
  Value add(OpBuilder &builder, Location loc, StringRef name,
            ElementsAttr value);

  /// Returns whether `value` is a parameter.
  bool contains(Value value) const { return numbers.contains(value); }

  /// Adds an input of the program. `isKnown` states whether the host knows its
  /// value before the import.
  void addInput(Value value, StringRef name, bool isKnown) {
    inputs[value] = {name, isKnown};
  }

  /// Records that all parameters and inputs from which `value` is computed are
  /// constants in the next import. Returns whether there are any; the result of
  /// the current import is then not used. If the host does not know the values
  /// of all these inputs, adds the unknown ones to `openInputs`, records
  /// nothing and returns false. `reason` is the reason for users.
  bool makeConstant(Value value, const std::string &reason,
                    SmallVectorImpl<StringRef> &openInputs);

  /// Returns the number of constants that have been recorded in all imports.
  size_t getNumRecorded() const { return known.size(); }

  /// Like makeConstant(), but records nothing if `value` depends on an input.
  void makeConstantUnlessInput(Value value);

  /// Returns the initial value of the parameter `value`, or null if `value` is
  /// not a parameter or is too large to examine.
  DenseElementsAttr getInitial(Value value) const;

  /// Records that `parameter` has the value `next` at the end of the program,
  /// where `next` must be available. Does nothing if `parameter` is not a
  /// parameter.
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

  struct Input {
    StringRef name;
    bool isKnown = false;
  };
  /// The parameters and inputs that a value is computed from.
  struct Origins {
    SmallVector<size_t> parameters;
    SmallVector<Input> inputs;
    /// This flag is set if the value also depends on values that change during
    /// a run, such as the variables of a loop.
    bool hasOthers = false;
  };

  Origins findOrigins(Value value) const;
  bool record(const Origins &origins, const std::string &reason);
  std::string chooseName(const Parameter &parameter, llvm::StringSet<> &taken);
  void finishArguments(func::FuncOp function, llvm::StringSet<> &taken);
  void finishVariables(func::FuncOp function, llvm::StringSet<> &taken);

  ParameterKind kind;
  KnownConstants &known;
  std::vector<Parameter> parameters;
  DenseMap<Value, size_t> numbers;
  DenseMap<Value, Input> inputs;
  llvm::StringMap<size_t> byName;
};

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_PARAMETERS_H
