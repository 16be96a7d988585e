//===- Case.h - A random program with a random schedule ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TEST_FUZZ_CASE_H
#define IPU_MLIR_TEST_FUZZ_CASE_H

#include "Batch.h"
#include "RandomRequests.h"

#include <array>

namespace mlir::fuse::fuzz {

struct Statistics {
  struct Count {
    uint64_t asked = 0, accepted = 0;
    /// Of those asked: legal whatever the limits; and of those, done.
    uint64_t allowed = 0, fulfilled = 0;
  };
  std::array<Count, Request::kNumKinds> kinds;
  uint64_t programs = 0, fusions = 0, tensors = 0;
  /// Schedules refused for their loop types, and lowered without these.
  uint64_t refusedTypes = 0;
  /// Compared to the bit, or within the error of sums in another order.
  uint64_t exact = 0, close = 0;
};

/// All from one number.
class Case {
public:
  Case(uint64_t seed) : seed(seed), random(seed) {}

  /// Adds `fused<seed>` to `module` and `reference<seed>` to `references`.
  void makeFunctions(ModuleOp module, ModuleOp references);
  /// After fuse-form has made fusions of `fused<seed>`: asks for things, then
  /// makes loops of it.
  void schedule(Statistics &statistics);
  /// Runs both functions and compares them.
  void run(const Batch &batch, Statistics &statistics);

  bool hasFailed() const { return !failure.empty(); }
  uint64_t getSeed() const { return seed; }
  const std::string &getFailure() const { return failure; }
  void fail(const std::string &text) { failure = text; }
  /// Takes the functions out of their modules.
  void erase();
  /// The function with its fusions, and a script of all requests that were
  /// accepted and of the one that failed.
  std::string getReproducer() const;

private:
  void ask(Statistics &statistics);
  void checkAccepted(const Request &request, const Schedule &before,
                     FusionOp op, const std::string &text,
                     Statistics::Count &count);
  void checkRefused(const Request &request, const Schedule &before,
                    StringRef diagnostic, Statistics::Count &count);
  void lower(Statistics &statistics);
  bool tryLower(std::string &diagnostic);
  bool dropLoopTypes();
  std::vector<Buffer> makeArguments();
  bool isEqual(uint32_t bits, uint32_t other, double tolerance) const;

  uint64_t seed;
  Random random;
  Program program;
  func::FuncOp reference;
  /// Of the results.
  SmallVector<unsigned> ranks;
  OwningOpRef<func::FuncOp> formed;
  std::vector<Request> script;
  bool isAffine = true, isPeeled = true;
  /// The elements of all reductions are taken in the order of the program.
  bool keepsOrder = true;
  std::string failure;
};

} // namespace mlir::fuse::fuzz

#endif // IPU_MLIR_TEST_FUZZ_CASE_H
