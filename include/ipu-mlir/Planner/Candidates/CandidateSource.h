//===- CandidateSource.h - Ways to find tile mappings -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A source of candidates is one way to find tile mappings for tensors. A new
// source is a new class and a line in the list of FindCandidates.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_CANDIDATES_CANDIDATESOURCE_H
#define IPU_MLIR_PLANNER_CANDIDATES_CANDIDATESOURCE_H

#include "ipu-mlir/Planner/Candidates/CandidateLists.h"

namespace mlir::ipu {

/// One candidate of a tensor that a step reads or writes. From the candidate, a
/// source derives tile mappings of the neighbour: of the step's result if the
/// candidate is one of an operand, and of the operand if the candidate is one
/// of the result.
struct Neighbour {
  const ModelStep &step;
  const ModelOperand &operand;
  /// The tile mapping of the candidate.
  TileMappingAttr mapping;
  /// The candidate, if it is one of the result of a Compute step.
  const Candidate *candidate;
};

class CandidateSource {
public:
  /// `name` appears in remarks.
  explicit CandidateSource(StringRef name) : name(name) {}
  virtual ~CandidateSource() = default;

  StringRef getName() const { return name; }

  /// Proposes candidates for a tensor without regard to its neighbours.
  virtual void visitTensor(unsigned /*tensor*/,
                           CandidateLists & /*lists*/) const {}

  /// Returns whether the source has proposals for tensors of `step`. It is
  /// asked once each time the step is visited.
  virtual bool handles(const ModelStep & /*step*/,
                       const CandidateLists & /*lists*/) const {
    return true;
  }
  /// Add tile mappings for the result of a step, which follow a candidate of an
  /// operand, or for an operand of a step, which follow a candidate of the
  /// result.
  virtual void followOperand(const Neighbour & /*neighbour*/,
                             const CandidateLists & /*lists*/,
                             SmallVectorImpl<Proposal> & /*proposals*/) const {}
  virtual void followResult(const Neighbour & /*neighbour*/,
                            const CandidateLists & /*lists*/,
                            SmallVectorImpl<Proposal> & /*proposals*/) const {}

private:
  StringRef name;
};

/// The phases in which sources are asked. The order of the phases is stated at
/// findCandidates().
enum class CandidatePhase {
  /// The source visits each tensor before all other phases (visitTensor).
  Initial,
  /// The source visits tensors with a partition problem (visitTensor). Ops
  /// whose vertices require layouts come first. Of the other ops, only those
  /// are visited that have found no tile mapping to follow.
  Own,
  /// The source visits each step in program order (followOperand).
  FollowOperand,
  /// The source visits each step in reverse program order (followResult).
  FollowResult,
  /// The source visits each tensor that a step reads in another order than
  /// row-major (visitTensor).
  OtherOrder,
  /// The source visits each step in program order (followOperand). Sources of
  /// this phase are for results that have found no candidate so far.
  Unmatched,
  /// The source visits each step in program order (followResult).
  Late,
  /// The source visits each tensor after its tile mapping is chosen up to its
  /// first tile (visitTensor).
  FirstTile
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_CANDIDATES_CANDIDATESOURCE_H
