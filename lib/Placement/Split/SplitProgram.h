//===- SplitProgram.h - The program that is split over IPUs -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module into the problems of ProgramSplit.h, and places its ops.
//
// The ops of the program are in the order of the program, also those in loops,
// in branches and in functions that are called once. A call of another function
// is an op.
//
// An op that reads no values but a few weights, such as a transposition of a
// weight, is a *follower*: it is placed with its first reader. Other ops are
// *placed ops*. If several placed ops have to be on one IPU, all are in the
// unit of the first one: ops that use refs to one tensor or one remote buffer,
// also in functions that they call, and ops that read one large weight. An op
// whose operands are all from ops that are in a unit for this reason, and that
// reads no large weight of its own, is in the unit, too.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLACEMENT_SPLIT_SPLITPROGRAM_H
#define IPU_MLIR_LIB_PLACEMENT_SPLIT_SPLITPROGRAM_H

#include "../Outline/OutlineCosts.h"
#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/Pop/Transforms/ValueSources.h"
#include "ipu-mlir/Placement/ProgramSplit.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu {

struct SplitOptions {
  /// This flag is set if activations are kept for a backward pass.
  bool training = false;
  /// The bytes of tile memory for each byte of a weight: 1 for the weight, and
  /// more for its gradient and optimizer states.
  double weightFactor = 1;
};

class SplitProgram {
public:
  /// `target` has one IPU.
  SplitProgram(ModuleOp module, const TargetModel &target,
               const SplitOptions &options);

  /// Returns whether there is an op that has to be placed.
  bool hasOps() const { return !ops.empty(); }
  /// Returns the problem of a balanced split. Its costs are the planner's.
  SplitProblem getProblem() const;
  /// Returns the ops of the walk over segments.
  SmallVector<SegmentOp, 0> getSegmentOps() const;

  /// Place each op by the number of its part: the parts of a balanced split, or
  /// the part of each segment op.
  void place(ArrayRef<SplitPart> parts);
  void place(ArrayRef<unsigned> partOfOp);

  /// Returns the bytes that are copied between the IPUs of the placed ops in
  /// one run.
  int64_t getCopiedBytes() const;

private:
  struct PlacedOp {
    Operation *op;
    /// The number of executions in one run.
    int64_t times;
    /// The placed ops whose results the op reads, ascending.
    SmallVector<unsigned, 2> producers;
  };
  struct WeightReader {
    unsigned number;
    /// This flag is set if the op has a ref to the weight.
    bool isRef;
  };
  /// A constant, a variable, an argument with an initial value, or an allocated
  /// tensor.
  struct Weight {
    int64_t bytes = 0;
    /// This flag is set if each IPU that reads the weight has it. Other weights
    /// are on the IPU of `home`, the first op with a ref to the weight or, if
    /// there is none, the first reader.
    bool isOnEachIPU = false;
    unsigned home = 0;
    SmallVector<WeightReader, 2> readers;
  };
  struct ReadWeight {
    /// The leaf or the argument with the weight.
    Value source;
    /// This flag is set if it is read through a ref, or a view of one.
    bool isRef;
  };
  struct Follower {
    /// The weights that the op and the followers before it read.
    SmallVector<ReadWeight, 1> weights;
    /// The first placed op that reads a result, also through other followers.
    std::optional<unsigned> reader;
  };
  /// A value that is copied to other IPUs that read it.
  struct SharedValue {
    /// The placed op that computes the value, or its first reader.
    unsigned home;
    int64_t bytes, times;
    SmallVector<unsigned, 2> readers;
  };

  void collect(Region &region, int64_t times);
  void collect(Operation *op, int64_t times);
  std::optional<SmallVector<ReadWeight, 1>> findReadWeights(Operation *op);
  void findLoadedFunctions();

  SmallVector<Value, 1> getSources(Value value);
  void findSourcesOfResults(Operation *branch);
  int64_t getBytes(Type type) const;
  bool isWeight(Value source) const;
  const void *getWeightKey(Value source);
  void addReader(Value source, unsigned reader);
  void addWeight(ReadWeight read, unsigned reader);
  void addWeights(Value source, bool isRef, unsigned reader);
  void passReadersOn();
  void readOperands(unsigned number);
  void joinUsers(Operation *symbol, unsigned number);
  void joinCallers(FunctionOpInterface callee, unsigned number,
                   llvm::DenseSet<Operation *> &seen);
  void readMemory(unsigned number, GraphEffects &effects);

  void tieReaders();
  void tieDependents();
  SmallVector<unsigned, 0> getUnits() const;

  void addCosts(ArrayRef<unsigned> unitOf, SplitProblem &problem) const;
  int64_t limit(Count number) const;
  int64_t getTrainedBytes(const Weight &weight) const;
  void addWeightBytes(ArrayRef<unsigned> unitOf, SplitProblem &problem) const;
  SmallVector<SharedValue, 0> getSharedValues() const;
  static std::pair<unsigned, unsigned> getRange(const SharedValue &shared,
                                                ArrayRef<unsigned> unitOf);
  void addActivations(ArrayRef<unsigned> unitOf, SplitProblem &problem) const;
  void addCopies(ArrayRef<unsigned> unitOf, SplitProblem &problem) const;

  unsigned getLeader(Operation *op, const Follower &follower);

  ModuleOp module;
  const TargetModel &target;
  SplitOptions options;
  FunctionCalls calls;
  SymbolTableCollection symbols;
  pop::ValueSources sources;
  /// The sources of values that were looked for.
  llvm::DenseMap<Value, SmallVector<Value, 1>> sourcesOf;
  /// The loops and branches, after what is in them.
  SmallVector<Operation *> branches;
  FunctionOpInterface entry;
  /// The functions whose code is loaded.
  llvm::DenseSet<Operation *> loaded;

  SmallVector<PlacedOp, 0> ops;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// The followers in the order of the program.
  llvm::MapVector<Operation *, Follower> followers;
  /// The weights, by the op that defines each of them or by the argument.
  llvm::MapVector<const void *, Weight> weights;
  llvm::MapVector<Value, SharedValue> values;
  /// The first placed op that uses each remote buffer, and the first call of
  /// each function whose code is loaded.
  llvm::DenseMap<Operation *, unsigned> usersOf;
  /// For each placed op, whether it reads a large weight.
  std::vector<bool> isTied;
  llvm::IntEqClasses units;
  /// The number of the part of each placed op.
  SmallVector<unsigned, 0> partOf;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLACEMENT_SPLIT_SPLITPROGRAM_H
