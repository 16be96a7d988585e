//===- ReadInPlace.cpp - Contractions that read views ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadInPlace.h"

#include "../Support/StridedCopy.h"
#include "EngineCodelets.h"
#include "FusedSets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::ipu;

/// Whether the codelet is one reduction of two operands, perhaps after what
/// fills its output.
static bool isContraction(CodeletOp codelet) {
  linalg::GenericOp contraction;
  for (Operation &op : codelet.getBody().front().without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || contraction)
      return false;
    if (generic.getNumReductionLoops() > 0)
      contraction = generic;
  }
  return contraction && contraction.getNumDpsInputs() == 2;
}

/// Writes a region of a move's target, at `region`, as one of its source. False
/// if the source has no such region, or `type` does not allow its strides.
static bool readFromSource(MutableArrayRef<int64_t> region, MemRefType type,
                           const CopyLoops &loops) {
  SmallVector<int64_t> typeStrides;
  int64_t typeOffset;
  if (failed(type.getStridesAndOffset(typeStrides, typeOffset)))
    return false;
  int64_t rank = type.getRank(), rest = region.front();
  MutableArrayRef<int64_t> sizes = region.slice(1, rank);
  MutableArrayRef<int64_t> strides = region.slice(1 + rank, rank);
  if (llvm::is_contained(sizes, 0))
    return false;
  // The target is whole: its loops are digits of an offset.
  SmallVector<int64_t> last;
  region.front() = loops.fromOffset;
  for (auto [from, to] : llvm::zip_equal(loops.fromStrides, loops.toStrides)) {
    last.push_back(rest / to);
    region.front() += last.back() * from;
    rest %= to;
  }
  for (auto [size, stride, typeStride] :
       llvm::zip_equal(sizes, strides, typeStrides)) {
    size_t loop = 0;
    while (loop < last.size() && loops.toStrides[loop] > stride)
      ++loop;
    if (loop == last.size() || stride % loops.toStrides[loop] != 0)
      return false;
    int64_t step = stride / loops.toStrides[loop];
    last[loop] += step * (size - 1);
    stride = step * loops.fromStrides[loop];
    if (ShapedType::isDynamic(typeStride) || stride == typeStride)
      continue;
    if (size > 1)
      return false;
    stride = typeStride;
  }
  return llvm::all_of(llvm::zip_equal(last, loops.sizes), [](auto it) {
    return std::get<0>(it) < std::get<1>(it);
  });
}

/// What `group` does, with the source of `move` where it reads the target; none
/// if it cannot read that.
static std::optional<VertexGroup> readFromSource(const Program &program,
                                                 const VertexGroup &group,
                                                 const ProgramMove &move) {
  CodeletOp codelet = program.codelets[group.codelet];
  if (!isContraction(codelet))
    return std::nullopt;
  CopyLoops loops = getCopyLoops(move.from, move.to);
  VertexGroup result = group;
  int64_t column = 0;
  for (auto [number, variable] : llvm::enumerate(result.variables)) {
    auto type = cast<MemRefType>(codelet.getArgumentTypes()[number]);
    int64_t columns = getNumColumns(type);
    if (variable == move.target) {
      variable = move.source;
      MutableArrayRef<int64_t> rest(result.table);
      for (; !rest.empty(); rest = rest.drop_front(result.rowSize))
        if (!readFromSource(rest.slice(column, columns), type, loops))
          return std::nullopt;
    }
    column += columns;
  }
  return result;
}

/// Elements that are next to each other in a view: fewer would be read one by
/// one, as often as they are packed.
static constexpr int64_t kLeastRun = 16;

/// Whether the move copies a view of another variable, which contractions can
/// read in vectors, to all of its target.
static bool copiesView(const Program &program, const ProgramMove &move) {
  if (move.source == move.target || !move.to.isContiguous() ||
      move.to.getNumElements() !=
          program.variables[move.target].type.getNumElements() ||
      isWholeMove(program, move))
    return false;
  CopyLoops loops = getCopyLoops(move.from, move.to);
  return !loops.sizes.empty() && loops.sizes.back() >= kLeastRun &&
         loops.fromStrides.back() == 1;
}

/// Lets all that reads the target of the move, of which the exchange before
/// `nodes` is, read the source. False if something else has to read or write
/// one of them; then nothing is changed.
static bool readFromSource(const Program &program, const ProgramMove &move,
                           MutableArrayRef<ProgramNode> nodes) {
  std::vector<std::pair<VertexGroup *, VertexGroup>> changed;
  ProgramNode *sourceEnd = nullptr;
  for (ProgramNode &node : nodes) {
    if (auto *compute = std::get_if<ComputeNode>(&node)) {
      for (VertexGroup &group : compute->groups) {
        ArrayRef<unsigned> variables = group.variables;
        if (llvm::is_contained(variables.drop_front(group.numInputs),
                               move.source) ||
            llvm::is_contained(variables.drop_front(group.numInputs),
                               move.target))
          return false;
        if (!llvm::is_contained(variables, move.target))
          continue;
        std::optional<VertexGroup> replacement =
            readFromSource(program, group, move);
        if (!replacement)
          return false;
        changed.emplace_back(&group, std::move(*replacement));
      }
      continue;
    }
    if (auto *exchange = std::get_if<ExchangeNode>(&node)) {
      for (const ProgramMove &other : exchange->moves)
        if (other.source == move.target || other.target == move.target ||
            other.target == move.source)
          return false;
      continue;
    }
    if (auto *end = std::get_if<LiveRangeEndNode>(&node)) {
      if (end->variable == move.source)
        sourceEnd = &node;
      if (end->variable != move.target)
        continue;
      for (auto &[group, replacement] : changed)
        *group = std::move(replacement);
      // The source is needed until here.
      if (sourceEnd)
        std::rotate(sourceEnd, sourceEnd + 1, &node + 1);
      return true;
    }
    if (auto *begin = std::get_if<LiveRangeBeginNode>(&node)) {
      if (begin->variable == move.source)
        return false;
      continue;
    }
    if (!std::holds_alternative<SyncNode>(node))
      return false;
  }
  return false;
}

static void readInPlace(const Program &program, ProgramSequence &sequence) {
  MutableArrayRef<ProgramNode> nodes = sequence.nodes;
  while (!nodes.empty()) {
    ProgramNode &node = nodes.front();
    nodes = nodes.drop_front();
    if (auto *repeat = std::get_if<std::unique_ptr<RepeatNode>>(&node)) {
      readInPlace(program, (*repeat)->body);
    } else if (auto *branch = std::get_if<std::unique_ptr<IfNode>>(&node)) {
      readInPlace(program, (*branch)->thenBody);
      readInPlace(program, (*branch)->elseBody);
    } else if (auto *loop = std::get_if<std::unique_ptr<WhileNode>>(&node)) {
      readInPlace(program, (*loop)->before);
      readInPlace(program, (*loop)->body);
    } else if (auto *exchange = std::get_if<ExchangeNode>(&node)) {
      llvm::erase_if(exchange->moves, [&](const ProgramMove &move) {
        return copiesView(program, move) &&
               readFromSource(program, move, nodes);
      });
    }
  }
}

void mlir::ipu::readInPlace(Program &program) {
  ::readInPlace(program, program.body);
  for (ProgramFunction &function : program.functions)
    ::readInPlace(program, function.body);
}
