//===- Pipelines.h - Pipelines of the sdy dialect -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PIPELINES_H
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PIPELINES_H

#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::ipu::sdy {

/// The base class of the options of a pipeline. A struct whose constructor
/// takes a pointer to this class adds a group of options to the pipeline. If a
/// pipeline contains other pipelines, its options inherit from the groups of
/// these pipelines. Options have the names and defaults of Shardy, except where
/// docs/sharding.md says otherwise.
using PipelineOptions = ::mlir::detail::PassOptions;

/// The kinds of debug information that passes keep in attributes: `origins` for
/// `sdy.sharding_origins`, and `edges` for `sdy.propagation_edges`.
struct DebugInfo {
  bool origins = false;
  bool edges = false;
};

struct DumpOptions {
  explicit DumpOptions(PipelineOptions *parent)
      : moduleDumpDirectory(
            *parent, "module-dump-directory",
            llvm::cl::desc(
                "directory to which the module is written after each stage of "
                "the pipeline"),
            llvm::cl::init("")) {}
  PipelineOptions::Option<std::string> moduleDumpDirectory;
};

struct DebugOptions {
  explicit DebugOptions(PipelineOptions *parent)
      : debugShardingOrigins(
            *parent, "debug-sharding-origins",
            llvm::cl::desc("attach attributes `sdy.sharding_origins` with the "
                           "sharding from which each axis was propagated"),
            llvm::cl::init(false)),
        debugPropagationEdges(
            *parent, "debug-propagation-edge-sharding",
            llvm::cl::desc("attach attributes `sdy.propagation_edges` with the "
                           "axes, source and target of each propagation step"),
            llvm::cl::init(false)) {}
  PipelineOptions::Option<bool> debugShardingOrigins;
  PipelineOptions::Option<bool> debugPropagationEdges;
};

struct ImportOptions {
  explicit ImportOptions(PipelineOptions *parent)
      : enableExplicitGatherScatterBatching(
            *parent, "enable-explicit-gather-scatter-batching",
            llvm::cl::desc(
                "make batching dimensions of gathers and scatters explicit"),
            llvm::cl::init(false)),
        inlineCalls(*parent, "inline-calls",
                    llvm::cl::desc("inline calls instead of restoring "
                                   "functions after propagation"),
                    llvm::cl::init(true)),
        dedupFunctionsFully(
            *parent, "dedup-functions-fully",
            llvm::cl::desc("keep one copy of each function, with the same "
                           "shardings for all calls, and do not inline calls"),
            llvm::cl::init(false)),
        removeSizeOneAxesFromMeshes(
            *parent, "remove-size-one-axes-from-meshes",
            llvm::cl::desc("also remove axes of size 1 from meshes and from "
                           "manual axes"),
            llvm::cl::init(false)) {}
  PipelineOptions::Option<bool> enableExplicitGatherScatterBatching;
  PipelineOptions::Option<bool> inlineCalls;
  PipelineOptions::Option<bool> dedupFunctionsFully;
  PipelineOptions::Option<bool> removeSizeOneAxesFromMeshes;
};

struct ExportOptions {
  explicit ExportOptions(PipelineOptions *parent)
      : avoidExportForPartitioning(
            *parent, "avoid-export-for-partitioning",
            llvm::cl::desc("keep sharding groups and sharding constraints, and "
                           "insert no reshards"),
            llvm::cl::init(false)),
        enableInsertExplicitCollectives(
            *parent, "enable-insert-explicit-collectives",
            llvm::cl::desc("insert reshards for all ops, and turn reshards "
                           "into collectives"),
            llvm::cl::init(false)),
        removeAllGatherReduceScatterForCMV1(
            *parent, "remove-all-gather-reduce-scatter-for-cmv1",
            llvm::cl::desc("remove all_gathers of the operands of a dot and "
                           "reduce_scatters of its result"),
            llvm::cl::init(false)),
        updateNonDivisible(*parent,
                           "update-non-divisible-input-output-shardings",
                           llvm::cl::desc("drop axes that do not divide the "
                                          "dimensions of inputs and outputs"),
                           llvm::cl::init(true)),
        removeSubAxes(*parent, "remove-sub-axes-in-input-output-shardings",
                      llvm::cl::desc("drop sub-axes from open dimensions of "
                                     "the main function's signature"),
                      llvm::cl::init(false)),
        inlineMeshes(*parent, "inline-meshes",
                     llvm::cl::desc("inline meshes into shardings"),
                     llvm::cl::init(false)),
        avoidReshardsOnNamedComputations(
            *parent, "avoid-reshards-on-named-computations",
            llvm::cl::desc("do not reshard operands of named computations, but "
                           "only the values that they return"),
            llvm::cl::init(false)),
        dumpShardingOrigins(
            *parent, "dump-sharding-origins",
            llvm::cl::desc("include the attributes `sdy.sharding_origins` in "
                           "dumped modules, but only there"),
            llvm::cl::init(false)),
        dumpPropagationEdges(
            *parent, "dump-propagation-edges",
            llvm::cl::desc("include the attributes `sdy.propagation_edges` in "
                           "dumped modules, but only there"),
            llvm::cl::init(false)) {}
  PipelineOptions::Option<bool> avoidExportForPartitioning;
  PipelineOptions::Option<bool> enableInsertExplicitCollectives;
  PipelineOptions::Option<bool> removeAllGatherReduceScatterForCMV1;
  PipelineOptions::Option<bool> updateNonDivisible;
  PipelineOptions::Option<bool> removeSubAxes;
  PipelineOptions::Option<bool> inlineMeshes;
  PipelineOptions::Option<bool> avoidReshardsOnNamedComputations;
  PipelineOptions::Option<bool> dumpShardingOrigins;
  PipelineOptions::Option<bool> dumpPropagationEdges;
};

struct SdyImportPipelineOptions : PassPipelineOptions<SdyImportPipelineOptions>,
                                  DumpOptions,
                                  DebugOptions,
                                  ImportOptions {
  SdyImportPipelineOptions()
      : DumpOptions(this), DebugOptions(this), ImportOptions(this) {}
};

struct SdyExportPipelineOptions : PassPipelineOptions<SdyExportPipelineOptions>,
                                  DumpOptions,
                                  ExportOptions {
  SdyExportPipelineOptions() : DumpOptions(this), ExportOptions(this) {}
};

struct SdyPropagationPipelineOptions
    : PassPipelineOptions<SdyPropagationPipelineOptions>,
      DumpOptions,
      DebugOptions,
      ImportOptions,
      ExportOptions {
  SdyPropagationPipelineOptions()
      : DumpOptions(this), DebugOptions(this), ImportOptions(this),
        ExportOptions(this) {}

  Option<bool> keepShardingRules{
      *this, "keep-sharding-rules",
      llvm::cl::desc("attach the sharding rule of each op as attribute "
                     "`sdy.sharding_rule` until the end of the pipeline"),
      llvm::cl::init(false)};
  Option<bool> report{
      *this, "report",
      llvm::cl::desc(
          "print visits, steps, conflicts, and ops without a rule to stderr"),
      llvm::cl::init(false)};
  Option<bool> reportConflicts{*this, "report-conflicts",
                               llvm::cl::desc("print only conflicts to stderr"),
                               llvm::cl::init(false)};
  Option<bool> conservative{
      *this, "conservative-propagation",
      llvm::cl::desc("do not propagate sub-axes, and do not propagate along "
                     "factors that need halos"),
      llvm::cl::init(false)};
  Option<PropagationStrategy> strategy{
      *this, "propagation-strategy",
      llvm::cl::desc("how conflicts between factors are resolved"),
      llvm::cl::init(PropagationStrategy::Aggressive),
      llvm::cl::values(
          clEnumValN(
              PropagationStrategy::Basic, "basic",
              "an axis propagates along a factor to all tensors or to none"),
          clEnumValN(PropagationStrategy::Aggressive, "aggressive",
                     "conflicts are resolved separately for each tensor"),
          clEnumValN(PropagationStrategy::BasicThenAggressive,
                     "basic-then-aggressive", "basic first, then aggressive"))};
  Option<bool> runOpPriority{
      *this, "run-op-priority-propagation",
      llvm::cl::desc("propagate in five op priorities, elementwise ops first"),
      llvm::cl::init(true)};
};

/// Adds passes to `pm` that prepare a module for propagation. They give names
/// to inlined meshes, remove axes of size 1, inline calls, clone constants for
/// each use, insert an op for each data-flow edge of region ops, apply sharding
/// constraints, and merge sharding groups. `debug` selects the debug
/// information that the passes attach. If `dropsNonDivisible` is true, the
/// export pipeline will drop axes that do not divide a dimension, and the
/// import warns about these axes.
void buildSdyImportPipeline(OpPassManager &pm, const ImportOptions &options,
                            const DumpOptions &dump, DebugInfo debug = {},
                            bool dropsNonDivisible = true);
/// Adds passes to `pm` that remove the ops that the import added, turn sharding
/// constraints into reshards, and close shardings. `kept` selects the debug
/// information that remains at the end.
void buildSdyExportPipeline(OpPassManager &pm, const ExportOptions &options,
                            const DumpOptions &dump, DebugInfo kept = {});
/// Adds the passes of the import pipeline, propagation, and the export
/// pipeline.
void buildSdyPropagationPipeline(OpPassManager &pm,
                                 const SdyPropagationPipelineOptions &options);

/// Registers `sdy-import-pipeline`, `sdy-export-pipeline` and
/// `sdy-propagation-pipeline`.
void registerSdyPipelines();

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PIPELINES_H
