//===- Interrupt.h - Exceptions of Python during long calls -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code of the project has no exceptions. What Python raises while such code
// runs, in a callback or a signal handler, is kept until the code has returned.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PYTHON_NATIVE_INTERRUPT_H
#define IPU_MLIR_PYTHON_NATIVE_INTERRUPT_H

#include "mlir/Support/LLVM.h"
#include <chrono>
#include <optional>
#include <pybind11/pybind11.h>

namespace mlir::ipu::python {

class Interrupt {
public:
  /// Returns whether an exception is kept. Runs the signal handlers of Python
  /// first, but not more often than kInterval allows. The caller must not hold
  /// the lock of the interpreter.
  bool check() {
    Clock::time_point now = Clock::now();
    if (error || now < next)
      return error.has_value();
    next = now + kInterval;
    call([] {
      if (PyErr_CheckSignals() != 0)
        throw pybind11::error_already_set();
    });
    return error.has_value();
  }

  /// Calls `function` with the lock of the interpreter, which the caller must
  /// not hold, and keeps the exception that it raises.
  void call(function_ref<void()> function) {
    pybind11::gil_scoped_acquire acquire;
    try {
      function();
    } catch (pybind11::error_already_set &raised) {
      error.emplace(std::move(raised));
    }
  }

  /// Raises the exception that is kept, if there is one.
  void rethrow() {
    if (error)
      throw std::move(*error);
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{50};

  Clock::time_point next = Clock::now() + kInterval;
  std::optional<pybind11::error_already_set> error;
};

} // namespace mlir::ipu::python

#endif // IPU_MLIR_PYTHON_NATIVE_INTERRUPT_H
