//===- Options.h - Options of compilations and sessions ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PYTHON_NATIVE_OPTIONS_H
#define IPU_MLIR_PYTHON_NATIVE_OPTIONS_H

#include "Arrays.h"
#include "ipu-mlir/Session/Session.h"
#include "ipu-mlir/Tools/Model.h"

namespace mlir::ipu::python {

/// Arrays by name.
using ArrayMap = std::map<std::string, HostArray>;

struct Options {
  tools::ModelOptions model;
  CompileOptions compilation;
  SessionOptions session;
  /// The values of `dense_resource` attributes without values.
  ArrayMap resources;
  /// A regular expression for the categories of remarks; empty: none.
  std::string remarks;
};

/// Reads the keyword arguments of `compile` and `load`, which _native.pyi
/// describes. Raises TypeError for an unknown argument or a value of a wrong
/// type, and ValueError for other wrong values.
Options readOptions(pybind11::dict arguments);

/// Reads a mapping of names to arrays.
ArrayMap readArrays(const std::string &name, pybind11::handle mapping);

/// Reads a text. Raises TypeError for another object.
std::string readText(const std::string &name, pybind11::handle value);

/// Reads an integer from `least` to `most`.
int64_t readInteger(const std::string &name, pybind11::handle value,
                    int64_t least,
                    int64_t most = std::numeric_limits<int64_t>::max());

} // namespace mlir::ipu::python

#endif // IPU_MLIR_PYTHON_NATIVE_OPTIONS_H
