//===- RandomRequests.h - Requests to schedules -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TEST_FUZZ_RANDOMREQUESTS_H
#define IPU_MLIR_TEST_FUZZ_RANDOMREQUESTS_H

#include "RandomProgram.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

namespace mlir::fuse::fuzz {

struct Request {
  enum class Kind {
    Split,
    Merge,
    Reorder,
    RFactor,
    SetType,
    Propagate,
    ComputeAt,
    BestEffort,
    MostInlined,
    Recompute,
    InlineAt,
    InlineMost,
    ComputeWith
  };
  static constexpr unsigned kNumKinds = unsigned(Kind::ComputeWith) + 1;

  Kind kind = Kind::Split;
  std::string tensor, consumer;
  bool isInput = false;
  /// Axes, an order, or a position.
  SmallVector<int64_t> numbers;
  int64_t factor = 1;
  bool inner = true;
  LoopType type = LoopType::Serial;
  std::optional<bool> hoist;
};

StringRef getName(Request::Kind kind);

/// Most of them are possible.
Request pickRequest(const Schedule &schedule, Random &random);

/// Does it as the passes and transform ops do.
LogicalResult apply(const Request &request, FusionSchedule &fusion,
                    FusionSchedule::EmitErrorFn emitError);

/// As an op of a transform script, where %m is the module; `number` makes names
/// unique.
std::string getScript(const Request &request, unsigned number);

//===----------------------------------------------------------------------===//
// What is legal, whatever the limits of the library
//===----------------------------------------------------------------------===//

/// Whether the request is legal: there are positions, set without regard to any
/// limit, with which the conditions on loop classes hold and there is a nest.
/// Transforms of loops are legal if the loops are not shared. None if that is
/// not known.
std::optional<bool> isAllowed(const Schedule &schedule, const Request &request);

/// Whether an accepted request did all that was asked; for those that do as
/// much as they can. `before` is the schedule it was made for.
bool isFulfilled(const Schedule &before, const Schedule &schedule,
                 const Request &request);

} // namespace mlir::fuse::fuzz

#endif // IPU_MLIR_TEST_FUZZ_RANDOMREQUESTS_H
