//===- Compiler.h - Compilation of programs ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a module to a program that can be loaded onto the device. Everything
// that compiles programs does it with compile():
//
//   CompileOptions options;
//   FailureOr<CompiledProgram> program = compile(std::move(module), options);
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_COMPILER_COMPILER_H
#define IPU_MLIR_COMPILER_COMPILER_H

#include "ipu-mlir/Analysis/Cost/CostLevel.h"
#include "ipu-mlir/Compiler/MemoryAdvice.h"
#include "ipu-mlir/Compiler/MemoryTransforms.h"
#include "ipu-mlir/Dialect/Pop/Transforms/AccumulationKind.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineSchedule.h"
#include "ipu-mlir/Planner/PlannerKind.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::ipu {

/// Returns whether `module` is lowered, that is, whether it has ops of the ipu
/// dialect.
bool isLowered(ModuleOp module);

/// The step that searches for settings with which a program fits.
constexpr StringLiteral kMemoryAdviceStep = "memory-advice";

/// A step of a compilation, which is one pass or kMemoryAdviceStep. Consecutive
/// passes on nested ops are one step.
struct CompileStep {
  /// The argument of the pass. If the step has several passes, their arguments
  /// are separated by commas.
  std::string name;
  /// The wall-clock time of the step, in seconds.
  double seconds = 0;
};

/// A program after its compilation. Copies of the object share one module,
/// which must not be changed.
class CompiledProgram {
public:
  ModuleOp getModule() const;
  /// Returns the name of the function that is the program.
  StringRef getEntry() const;
  /// Returns the constants of the program by the names in their locations or,
  /// for a lowered program, by the names of their `ipu.var` ops. They include
  /// constants that the compilation removed or merged. Of several constants
  /// with one name, the first one counts.
  const std::map<std::string, ElementsAttr> &getConstants() const;
  /// Prints the module, with the module of the host's program in it, so that
  /// compile() can read both.
  void print(llvm::raw_ostream &os) const;
  /// Returns the program that the host executes after each run, or null if
  /// there is none. `pop-host-reduce` creates such programs. The module of the
  /// program is not a part of getModule().
  const CompiledProgram *getHostProgram() const;
  /// Returns the steps of the compilation, in their order. The steps of the
  /// host's program are not included.
  ArrayRef<CompileStep> getSteps() const;
  /// Returns the texts of the remarks that the compilation emitted.
  ArrayRef<std::string> getRemarks() const;
  /// Returns the bytes that a tile lacks; see getMissingBytes().
  std::optional<int64_t> getMissingBytes() const;
  /// Returns the result of the search for settings with which the program fits,
  /// or std::nullopt if there was no search.
  const std::optional<MemoryAdvice> &getAdvice() const;

private:
  struct Impl;
  friend class Compilation;
  explicit CompiledProgram(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl;
};

/// The element types in which a program computes.
enum class Precision {
  /// All ops keep the element types of the program.
  F32,
  /// Matrix products, convolutions and the ops after them are in f16, and
  /// softmax, gelu and normalizations compute in f16.
  F16,
  /// Matrix products, convolutions and elementwise ops after them are in f16.
  Mixed,
};

/// The options of compile().
struct CompileOptions {
  /// The name of the func.func that becomes the program. If it is not `main`,
  /// all other functions become private, and unused symbols are erased.
  std::string entry = "main";

  //===--------------------------------------------------------------------===//
  // Passes
  //===--------------------------------------------------------------------===//

  /// The text of passes that run instead of all default passes, also if the
  /// module is lowered. The text may have the form `builtin.module(...)`. The
  /// passes must be registered.
  std::string pipeline;
  /// This flag is set if `pop-fold-batch-norm` runs first.
  bool foldsBatchNorm = false;
  /// If the precision is not F32, `pop-narrow-floats` runs next. Arguments,
  /// results and variables keep their types.
  Precision precision = Precision::F32;
  /// The text of passes on the graph, which run before the passes of
  /// `pop-to-ipu-pipeline`. By default, sums get accumulation orders, draws of
  /// random bits get numbers, and random ops get seeds.
  std::string graphPasses;
  /// The program also computes the gradients of the result `gradientsOf` with
  /// respect to the arguments and variables `gradients`. If `gradients` is
  /// empty, it computes no gradients.
  std::string gradientsOf;
  std::vector<std::string> gradients;
  /// The transforms that save memory. They are the last of the passes on the
  /// graph, and must be registered.
  MemoryTransforms memory;
  /// This flag is set if `pop-auto-vgraph` splits the program over the IPUs of
  /// a replica, after sums get accumulation orders. It has no effect if there
  /// are graph passes.
  bool placesLayers = false;
  /// The number of micro-batches of a run. If it is set, the inputs of a run
  /// are those of all micro-batches, with a further first dimension, and so are
  /// its results. It has no effect if there are graph passes.
  std::optional<int64_t> microBatches;
  /// The schedule of a pipeline over the virtual graphs of the program. It
  /// needs `microBatches`.
  std::optional<pop::PipelineKind> schedule;
  /// This flag is set if transfers between host and device overlap the compute
  /// of other micro-batches. It needs `microBatches`, and I/O tiles.
  bool overlapsIO = false;
  /// This flag is set if `pop-inter-ipu-copy` is the last of the passes on the
  /// graph. It places the ops that the other passes create.
  bool insertsIpuCopies = false;

  //===--------------------------------------------------------------------===//
  // Options of pop-to-ipu-pipeline
  //===--------------------------------------------------------------------===//

  pop::AccumulationKind accumulation = pop::AccumulationKind::Blocked;
  pop::PartialsKind partials = pop::PartialsKind::F32;
  PlannerKind planner = PlannerKind::Program;
  double availableMemoryProportion = 0.6;
  bool copyConstants = true;
  CostLevel costLevel = CostLevel::Fast;
  /// The generator for stochastic rounding. If it is empty, the attribute of
  /// the module determines the rounding.
  std::string stochasticRounding;
  /// This flag is set if a program that does not fit in tile memory only causes
  /// a warning.
  bool allowOutOfMemory = false;
  /// This flag is set if compile() estimates the costs of a lowered module
  /// again, for its target and `costLevel`.
  bool estimatesAgain = false;

  //===--------------------------------------------------------------------===//
  // Programs that do not fit
  //===--------------------------------------------------------------------===//

  /// This flag is set if a remark states settings with which a program fits, if
  /// the program does not fit with its own settings. The search for these
  /// settings compiles the program up to kMaxMemoryTrials times, but only for a
  /// limited time (MemoryTrialTime). There is no search for lowered modules and
  /// for `pipeline`.
  bool advisesOnMemory = true;
  /// The CPU time of the compilation and the search, in seconds.
  double adviceSeconds = static_cast<double>(kMemoryTrialSeconds);
  /// Returns a dimension of a module, which is not compiled yet, that the
  /// search may make smaller. Returns std::nullopt if there is none.
  std::function<std::optional<ModelDimension>(ModuleOp)> findDimension;
  /// Receives the program if the compilation fails only because the program
  /// does not fit in tile memory.
  std::function<void(CompiledProgram)> tooLarge;

  //===--------------------------------------------------------------------===//
  // Progress
  //===--------------------------------------------------------------------===//

  /// This function is called with the name of each step before the step. If it
  /// returns false, the compilation fails without a diagnostic.
  std::function<bool(StringRef step)> onStep;
};

/// Compiles `module`. A module that is already lowered stays as it is, unless
/// options request passes. A nested module with the name
/// pop::kHostProgramName, which the module or a pass contains, is taken out of
/// the module and is compiled as the program of the host, for one tile with
/// unlimited memory. Emits errors and fails if the module cannot be
/// compiled, or if a pass assumes a condition that an earlier pass violates:
/// see docs/transforms.md. `context` is the context of the module if the
/// program shall keep it alive; otherwise the caller keeps it alive.
FailureOr<CompiledProgram>
compile(OwningOpRef<ModuleOp> module, const CompileOptions &options,
        std::shared_ptr<MLIRContext> context = nullptr);

/// Gives accumulation orders to the sums of the program in `module`, and
/// numbers to its draws of random bits, and places its layers if options say
/// so, as compile() does in its first steps. Erases other functions if the
/// program is not `main`. Emits an error and fails if there is no program.
LogicalResult prepareGraph(ModuleOp module, const CompileOptions &options);

/// Fails if the text of `options.pipeline` or `options.graphPasses` is not a
/// pipeline of registered passes.
llvm::Error checkPipelines(const CompileOptions &options, MLIRContext *context);

} // namespace mlir::ipu

#endif // IPU_MLIR_COMPILER_COMPILER_H
