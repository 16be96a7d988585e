//===- PipelineBuilder.h - Loops of pipelines -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the loops of a pipeline, with the iterations that fill and flush it,
// from a staged loop and a schedule.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PIPELINE_PIPELINEBUILDER_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PIPELINE_PIPELINEBUILDER_H

#include "StagedLoop.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <tuple>

namespace mlir::pop {

class PipelineBuilder {
public:
  /// The stages of `loop` are functions.
  PipelineBuilder(const StagedLoop &loop, const PipelineSchedule &schedule);

  /// Builds the loops of the pipeline before the staged loop, replaces the
  /// results of the staged loop, and erases it.
  void build();

  /// Returns the bytes of all stashes, after `build`.
  int64_t getStashBytes() const { return stashBytes; }

private:
  /// New values by the values of the staged loop.
  using Values = llvm::MapVector<Value, Value>;

  /// How later stages get a value, except those that read it in the iteration
  /// that computes it.
  struct Transport {
    /// The stages that read the value in later iterations.
    llvm::SmallSetVector<unsigned, 2> readers;
    /// The saved values, with a row for each micro-batch whose value is needed
    /// at the same time. If it is null, the loop carries the value to its next
    /// iteration.
    Value stash;
  };

  /// The values that an iteration gets from earlier iterations.
  struct Inputs {
    /// The values of the previous iteration.
    Values carried;
    /// The current values of the arguments of the staged loop.
    Values states;
  };

  /// A loop of the schedule, and an iteration of it. The iterations of the
  /// built loop have the numbers from `number` on.
  struct Iteration {
    unsigned loop = 0;
    int64_t number = 0;
    scf::ForOp built = nullptr;
  };

  /// The number of a row, which grows by 1 in each iteration, modulo the number
  /// of rows. Each IPU counts for itself.
  struct Counter {
    int64_t vgraph, numRows, first;

    bool operator<(const Counter &other) const {
      return std::tie(vgraph, numRows, first) <
             std::tie(other.vgraph, other.numRows, other.first);
    }
  };

  void findTransports();
  void buildStash(Value value, Transport &transport, int64_t numRows);
  Inputs buildLoop(unsigned number, Inputs inputs);
  Inputs buildSteadyIterations(Inputs inputs);
  Inputs buildIteration(const Inputs &inputs);
  void buildTurn(ArrayRef<unsigned> active, const Inputs &inputs,
                 Inputs &outputs);
  void buildOp(Operation *op, unsigned stage, const Inputs &inputs);
  void buildIndex(FromScalarOp index, unsigned stage);
  Value lookup(Value value, unsigned stage, const Inputs &inputs);
  Value buildRead(Value value, const Transport &transport, unsigned stage);
  void save(Value value);
  void buildCounters();
  SmallVector<Value> buildNextCounters();
  void advanceDraws(int64_t count);

  bool isActive(unsigned stage) const;
  int64_t getMicroBatch(unsigned stage) const;
  int64_t getRow(unsigned stage, const Transport &transport) const;
  Counter getCounter(Value value, const Transport &transport,
                     unsigned stage) const;
  std::optional<int64_t> findVgraph(Value value) const;
  DictionaryAttr getPlacementOf(Value value) const;
  bool isCarried(Value value, const Transport &transport) const;
  Block::BlockArgListType getArguments() const;

  const StagedLoop &loop;
  const PipelineSchedule &schedule;
  OpBuilder b;
  /// The values that other stages read in later iterations, in the order of the
  /// program.
  llvm::MapVector<Value, Transport> transports;
  int64_t stashBytes = 0;

  /// The iteration that is built, the values that it has computed, and those
  /// that its stages have read from stashes.
  Iteration current;
  Values now;
  std::map<std::pair<const void *, unsigned>, Value> reads;
  std::map<Counter, Value> counters;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PIPELINE_PIPELINEBUILDER_H
