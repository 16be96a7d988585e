//===- MemoryFlags.h - Flags of memory transforms ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_MEMORYFLAGS_H
#define IPU_MLIR_TOOLS_MEMORYFLAGS_H

#include "ipu-mlir/Compiler/MemoryTransforms.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::ipu::tools {

/// Parses classes and names of variables, the value of `flag`.
llvm::Expected<std::vector<std::string>> parseVariables(llvm::StringRef flag,
                                                        llvm::StringRef text);

/// The flags of transforms with which a program needs less tile memory, as
/// text.
struct MemoryFlags {
  explicit MemoryFlags(llvm::cl::OptionCategory &category)
      : category(category) {}

  /// Parses the flags into `transforms`, which must have its default value.
  llvm::Error parse(MemoryTransforms &transforms) const;

  llvm::cl::OptionCategory &category;
  llvm::cl::opt<std::string> batchSerialize{
      "batch-serialize", llvm::cl::value_desc("N"),
      llvm::cl::desc("Process the samples that are on the device at the same "
                     "time in N parts, one after the other, so that fewer "
                     "bytes are live (default 1)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> offChip{
      "off-chip", llvm::cl::value_desc("VARIABLES"),
      llvm::cl::desc("Keep variables in streaming memory, and load them where "
                     "they are used: weights, optimizer (states of "
                     "optimizers), accumulators (of gradients), or names with "
                     "wildcards, separated by commas; with --phases also "
                     "activations"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> phases{
      "phases", llvm::cl::value_desc("N"),
      llvm::cl::desc("Execute the program in N phases, with few bytes between "
                     "phases"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> serializeMatmuls{
      "serialize-matmuls", llvm::cl::value_desc("N"),
      llvm::cl::desc("Divide matrix products that are marked, and large ones "
                     "into up to N parts, which are computed one after the "
                     "other"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> outline{
      "outline",
      llvm::cl::desc("Make functions of repeated sequences of ops, so that the "
                     "tiles hold their code once"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> schedule{
      "schedule",
      llvm::cl::desc("Reorder ops so that fewer bytes are live at the same "
                     "time"),
      llvm::cl::cat(category)};
};

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_MEMORYFLAGS_H
