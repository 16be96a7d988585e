//===- Interruption.h - Interruption by the user ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_INTERRUPTION_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_INTERRUPTION_H

#include <csignal>

namespace mlir::ipu::train {

/// While an object of this class exists, the first SIGINT or SIGTERM only sets
/// isRequested(). The second signal ends the process.
class Interruption {
public:
  Interruption() {
    getFlag() = 0;
    std::signal(SIGINT, handle);
    std::signal(SIGTERM, handle);
  }
  ~Interruption() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  bool isRequested() const { return getFlag(); }

private:
  static volatile std::sig_atomic_t &getFlag() {
    static volatile std::sig_atomic_t flag = 0;
    return flag;
  }
  static void handle(int signal) {
    getFlag() = 1;
    std::signal(signal, SIG_DFL);
  }
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_INTERRUPTION_H
