//===- ProgramSteps.cpp - Reading of steps --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramReader.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Executor/Program/TileLayout.h"
#include "ipu-mlir/Host/HostTensor.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Compute and exchange
//===----------------------------------------------------------------------===//

/// Emits an error for an operand that is not local; see isLocal().
static LogicalResult refuseOperand(VerticesOp op, CodeletOp codelet,
                                   unsigned index) {
  Value operand = op->getOperand(index);
  VarOp variable = getVariable(operand);
  MemRefType type = variable.getResult().getType();
  TileMappingAttr own = getTileMapping(type),
                  access = op.getAccessTileMapping(index);
  StridedView view = getView(operand);
  InFlightDiagnostic diag = op.emitOpError();
  if (isHeldAs(own, view, access)) {
    diag << "expects argument " << index << " of @" << codelet.getSymName()
         << " to have a dynamic last stride, because operand " << index
         << " is a view in another order; run ipu-materialize-exchange";
    diag.attachNote(codelet.getLoc())
        << "the argument has the type " << codelet.getArgumentTypes()[index];
    return diag;
  }
  std::optional<MissingElement> missing = findMissingElement(own, view, access);
  diag << "expects operand " << index << " to be "
       << (missing ? "on the tiles that read it"
                   : "stored in the order in which tiles read it")
       << "; run ipu-materialize-exchange";
  Diagnostic &note = diag.attachNote(variable.getLoc());
  if (!missing) {
    note << "variable defined here";
    return diag;
  }
  note << "tile " << missing->tile << " reads element "
       << printIndices(type.getShape(), missing->element) << " of variable \""
       << variable.getName() << "\", and this element is on ";
  if (missing->holder)
    note << "tile " << *missing->holder;
  else
    note << "no tile";
  return diag;
}

/// Fills the group's table, one row for each vertex.
static void readTable(VertexGroup &group, const RandomArguments &random) {
  // A variable's own map puts the same elements on the same tiles, but its
  // regions may have another rank than the codelet's arguments.
  SmallVector<TileMappingAttr> mappings;
  // The elements of each operand, with the dimensions of its access mapping.
  SmallVector<StridedView> views;
  for (auto [index, operand] : llvm::enumerate(group.op.getBuffers())) {
    mappings.push_back(group.op.getAccessTileMapping(index));
    // readVertices() has checked isLocal().
    views.push_back(*getView(operand).reshape(mappings.back().getDomain()));
  }
  for (TileMappingAttr mapping : mappings)
    group.rowSize += 1 + 2 * mapping.getDomain().size();
  if (random.draws)
    group.rowSize += kRngColumns;
  if (group.op.getDrawAttr())
    group.rowSize += kDrawColumns;
  if (random.numbered >= 0)
    group.rowSize += 1 + mappings[random.numbered].getDomain().size();
  TileMappingAttr first = group.op.getAccessTileMapping(0);
  SmallVector<int64_t> row;
  for (int64_t tile = 0, e = first.getNumTiles(); tile < e; ++tile) {
    row.clear();
    bool isIdle = false, hasOutput = false;
    SmallVector<int64_t> numbering;
    for (auto [index, mapping] : llvm::enumerate(mappings)) {
      IndexRegion region = mapping.getTileRegion(tile);
      if (index >= group.numInputs)
        (region.isEmpty() ? isIdle : hasOutput) = true;
      const StridedView &view = views[index];
      ArrayRef<int64_t> strides = view.strides;
      int64_t offset = view.offset;
      for (auto [start, stride] : llvm::zip_equal(region.offsets, strides))
        offset += start * stride;
      row.push_back(offset);
      row.append(region.sizes);
      llvm::append_range(row, strides);
      if (static_cast<int64_t>(index) == random.numbered) {
        numbering.push_back(offset);
        llvm::append_range(numbering, strides);
      }
    }
    if (random.draws)
      row.append({(first.getFirst() + tile) * kRngWordsOfTile, kRngWorkers,
                  kRngWords, kRngWords, 1});
    if (DrawAttr draw = group.op.getDrawAttr())
      row.append({draw.getNumber() * kMaxCodeletDraws, draw.getOffset()});
    row.append(numbering);
    if (isIdle) {
      group.writesAll &= !hasOutput;
      continue;
    }
    llvm::append_range(group.table, row);
    group.tiles.push_back(first.getFirst() + tile);
  }
}

static FailureOr<VertexGroup> readVertices(VerticesOp op,
                                           ProgramReader &reader) {
  VertexGroup group;
  group.op = op;
  group.numInputs = op.getInputs().size();
  auto codelet = reader.lookup<CodeletOp>(op, op.getCodeletAttr());
  FailureOr<EngineCodelet> engineCodelet = reader.addCodelet(codelet);
  if (failed(engineCodelet))
    return failure();
  group.codelet = engineCodelet->number;
  group.definesAll = engineCodelet->definesAll;
  for (auto [index, operand] : llvm::enumerate(op.getBuffers())) {
    FailureOr<unsigned> variable = reader.getUsedVariable(op, operand);
    if (failed(variable))
      return failure();
    if (!getVariable(operand) || !isLocal(op, codelet, index))
      return refuseOperand(op, codelet, index);
    group.variables.push_back(*variable);
  }
  // The verifier lets a vertex read a variable that the group writes only where
  // the same vertex writes it.
  for (unsigned i = 0; i < group.variables.size(); ++i) {
    auto *writer = llvm::find(
        llvm::drop_begin(group.variables, group.numInputs), group.variables[i]);
    group.alias.push_back(
        writer == group.variables.end() ? i : writer - group.variables.begin());
  }
  if (Value rng = op.getRng()) {
    FailureOr<unsigned> variable = reader.getUsedVariable(op, rng);
    if (failed(variable))
      return failure();
    group.rng = *variable;
    group.alias.push_back(group.variables.size());
  }
  readTable(group, engineCodelet->random);
  if (engineCodelet->loop) {
    SmallVector<unsigned> ranks;
    for (unsigned index = 0; index < group.variables.size(); ++index)
      ranks.push_back(op.getAccessTileMapping(index).getDomain().size());
    group.inBlocks =
        splitBlocks(group, *engineCodelet->loop, ranks, engineCodelet->inBlocks,
                    engineCodelet->definesAllInBlocks);
    group.definesAll |= group.inBlocks && group.inBlocks->definesAll;
  }
  return group;
}

static LogicalResult readComputeSet(ComputeSetOp op, ProgramReader &reader) {
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  ComputeNode node;
  node.step = *step;
  for (auto vertices : op.getBody().getOps<VerticesOp>()) {
    FailureOr<VertexGroup> group = readVertices(vertices, reader);
    if (failed(group))
      return failure();
    node.groups.push_back(std::move(*group));
  }
  reader.addNode(std::move(node));
  return success();
}

static LogicalResult readAdvanceRng(AdvanceRngOp op, ProgramReader &reader) {
  FailureOr<unsigned> rng = reader.getUsedVariable(op, op.getRng());
  if (failed(rng))
    return failure();
  reader.addNode(AdvanceRngNode{*rng, CounterAdvance::get(op)});
  return success();
}

static LogicalResult readExchange(ExchangeOp op, ProgramReader &reader) {
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  ExchangeNode node;
  node.step = *step;
  for (auto moveOp : op.getBody().getOps<MoveOp>()) {
    FailureOr<unsigned> source =
        reader.getUsedVariable(moveOp, moveOp.getSource());
    FailureOr<unsigned> target =
        reader.getUsedVariable(moveOp, moveOp.getTarget());
    if (failed(source) || failed(target))
      return failure();
    ProgramMove move;
    move.op = moveOp;
    move.source = *source;
    move.target = *target;
    move.from = getStridedView(cast<MemRefType>(moveOp.getSource().getType()));
    move.to = getStridedView(cast<MemRefType>(moveOp.getTarget().getType()));
    move.elementBytes = reader.getProgram().variables[*source].elementBytes;
    if (!llvm::is_contained(move.to.sizes, 0))
      node.moves.push_back(std::move(move));
  }
  reader.addNode(std::move(node));
  return success();
}

//===----------------------------------------------------------------------===//
// Host and sync
//===----------------------------------------------------------------------===//

FailureOr<unsigned> ProgramReader::getStream(Operation *user,
                                             FlatSymbolRefAttr name) {
  auto op = symbols.lookupNearestSymbolFrom<StreamOp>(user, name);
  auto [it, isNew] = numberOfStream.try_emplace(op, program.streams.size());
  if (!isNew)
    return it->second;
  ProgramStream stream;
  stream.op = op;
  stream.name = op.getSymName().str();
  stream.type = cast<RankedTensorType>(op.getType());
  stream.replicated = op.getReplicated() && program.target.replicas > 1;
  stream.hostType = getStreamType(op);
  stream.transfers = getHostTransfers(op);
  if (!getTensorBytes(stream.hostType))
    return op.emitOpError() << "cannot be executed with host tensors of type "
                            << stream.hostType;
  program.streams.push_back(stream);
  return it->second;
}

/// An `ipu.host_load` or `ipu.host_store`.
template <typename HostCopyOp>
static LogicalResult readHostCopy(HostCopyOp op, ProgramReader &reader) {
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  FailureOr<unsigned> stream = reader.getStream(op, op.getStreamAttr());
  FailureOr<unsigned> variable = reader.getUsedVariable(op, op.getVariable());
  if (failed(stream) || failed(variable))
    return failure();
  reader.addNode(HostCopyNode{*step, *stream, *variable,
                              std::is_same_v<HostCopyOp, HostLoadOp>});
  return success();
}

static LogicalResult readSync(SyncOp op, ProgramReader &reader) {
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  reader.addNode(SyncNode{*step, op.getKind()});
  return success();
}

static LogicalResult readExpect(ExpectOp op, ProgramReader &reader) {
  FailureOr<unsigned> variable = reader.getUsedVariable(op, op.getVariable());
  if (failed(variable))
    return failure();
  reader.addNode(ExpectNode{op, *variable});
  return success();
}

void mlir::ipu::attachStepModels(MLIRContext &context) {
  attachExecutable<AdvanceRngOp, readAdvanceRng>(context);
  attachExecutable<ComputeSetOp, readComputeSet>(context);
  attachExecutable<ExchangeOp, readExchange>(context);
  attachExecutable<ExpectOp, readExpect>(context);
  attachExecutable<HostLoadOp, readHostCopy<HostLoadOp>>(context);
  attachExecutable<HostStoreOp, readHostCopy<HostStoreOp>>(context);
  attachExecutable<SyncOp, readSync>(context);
}
