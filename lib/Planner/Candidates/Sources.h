//===- Sources.h - Sources of candidates ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each source that findCandidates() asks. The sources in
// OwnSources.cpp begin with partitions of the ops that compute a tensor or with
// the tensor alone, those in OperandSources.cpp with operands of a step, and
// those in ReaderSources.cpp with the steps that read a tensor.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLANNER_CANDIDATES_SOURCES_H
#define IPU_MLIR_LIB_PLANNER_CANDIDATES_SOURCES_H

#include "ipu-mlir/Planner/Candidates/CandidateSource.h"
#include "ipu-mlir/Planner/Partition/PartitionCache.h"

namespace mlir::ipu {

using SourcePtr = std::shared_ptr<const CandidateSource>;

/// `given`: the only tile mapping that the tensor may have.
SourcePtr createGivenMapping();
/// `generic`: the row-major tile mapping or the first legal partition.
SourcePtr createGenericMapping();

/// `best`: the best partition of the ops that compute the tensor.
SourcePtr createBestPartition(PartitionCache &cache);
/// `whole-blocks`: the best partition whose parts consist of whole blocks of
/// elements that a reader combines, so that the reader can stay on the tiles.
SourcePtr createWholeBlocks(PartitionCache &cache);
/// `partition`: the next best partitions.
SourcePtr createNextPartitions(PartitionCache &cache);
/// `operand-once`: for each operand, the best partition in which no two tiles
/// read the same part of the operand.
SourcePtr createOperandOnce(PartitionCache &cache);
/// `nested`: the best partitions over IPUs and then over tiles.
SourcePtr createNestedPartitions(PartitionCache &cache);
/// `shared-sums`: tiles that hold partial sums of the same elements share these
/// elements evenly. For a tensor of partial sums, the blocks of its best
/// partition grow for this purpose. A sum of partial sums stays on the tiles
/// that hold the partial sums.
SourcePtr createSharedSums(const PlanModel &model, PartitionCache &cache);
/// `last-tiles`: the chosen tile mapping, up to the last tile.
SourcePtr createLastTiles();

/// `operand`: the partition with which an operand does not move or, if windows
/// have a stride, a similar tile mapping; the tile mapping of the operand of a
/// move, rescaled to the result; and the tile mapping of a copied view.
SourcePtr createOperandMapping();
/// `copied`: a variable has the tile mapping of the tensor that is copied to
/// it, if it has no other candidate. If slices of a tensor are written one
/// after the other, each slice has the tile mapping of what is written to it.
SourcePtr createCopiedMapping();
/// `separated`: like `operand`, but dimensions that the operand of a move
/// merges are split again. For example, rows and columns are merged in the
/// result of a convolution 1 x 1, but a pad between rows separates them.
SourcePtr createSeparatedDims();

/// `reader`: each part of an operand is on a tile that reads it.
SourcePtr createReaderMapping();
/// `copies`: each tile holds all elements that it reads. The source proposes
/// this for moved tensors with one reader, and for constants and variables that
/// may have copies. `isLate` is for constants with few candidates.
SourcePtr createReaderCopies(bool isLate);
/// `copy-target`: a tensor that is copied to a variable has the tile mapping of
/// the variable, or each of its slices has.
SourcePtr createTargetMapping();
/// `slabs`: a tensor that is read in another order is split along one of its
/// dimensions. The part of a tile may then be contiguous in the other order.
SourcePtr createSlabs();
/// `squares`: a tensor that is read in another order is divided along two of
/// its dimensions, so that each tile has whole squares that it can transpose.
SourcePtr createSquares();

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_CANDIDATES_SOURCES_H
