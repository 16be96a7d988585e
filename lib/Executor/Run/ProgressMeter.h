//===- ProgressMeter.h - Progress of a run ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the nodes of a program, in the order in which they are executed.
// Out: the completed fraction of the run, which is measured by the estimated
// cycles of the steps.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_PROGRESSMETER_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_PROGRESSMETER_H

#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include <map>

namespace mlir::ipu {

class ProgressMeter {
public:
  using Report = std::function<void(const RunProgress &)>;

  /// Creates a meter that calls `report`. The meter does nothing if `report` is
  /// empty.
  ProgressMeter(const Program &program, const Report &report)
      : program(program), report(report) {}

  /// A part of the run. `begin` and `end` are fractions of the run.
  struct Interval {
    double begin = 0.0, end = 1.0;

    Interval getPart(double from, double to) const {
      double size = end - begin;
      return {begin + from * size, begin + to * size};
    }
  };
  /// Returns the interval of the current node. A loop divides its interval
  /// among its iterations.
  Interval getInterval() const { return interval; }
  void setInterval(Interval part) { interval = part; }

  /// Divides the current interval among the nodes of a sequence.
  class SequenceScope {
  public:
    SequenceScope(ProgressMeter &meter, const ProgramSequence &sequence)
        : meter(meter), sequence(sequence), whole(meter.interval) {}

    /// Reports that the next node begins.
    void beginNode();
    /// Skips the next nodes, which were executed together with the previous
    /// node.
    void skipNodes(size_t count) { next += count; }

  private:
    ProgressMeter &meter;
    const ProgramSequence &sequence;
    Interval whole;
    size_t next = 0;
  };

private:
  /// Returns, for each node of `sequence`, the estimated cycles from the start
  /// of the sequence to the end of the node.
  const std::vector<double> &getEnds(const ProgramSequence &sequence);
  double getCycles(const ProgramSequence &sequence);
  double getCycles(const ProgramNode &node);

  const Program &program;
  const Report &report;
  Interval interval;
  std::map<const ProgramSequence *, std::vector<double>> ends;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_PROGRESSMETER_H
