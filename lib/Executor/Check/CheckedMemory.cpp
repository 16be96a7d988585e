//===- CheckedMemory.cpp - Checked tile memories --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckedMemory.h"

#include "../Engine/Interp/InterpFrame.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Executor/Support/RandomBits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// Adds the arguments that `block` may write.
static void findWritten(const InterpCode &code, const CodeBlock &block,
                        llvm::SmallBitVector &written) {
  auto add = [&](unsigned buffer) {
    if (int argument = code.argumentOfBuffer[buffer]; argument >= 0)
      written.set(argument);
  };
  for (const Inst &inst : block.insts) {
    if (inst.op == Opcode::Store) {
      add(code.accesses[inst.extra].buffer);
    } else if (inst.op == Opcode::For) {
      findWritten(code, code.loops[inst.extra].body, written);
    } else if (inst.op == Opcode::If) {
      for (const CodeBlock &branch : code.ifs[inst.extra].branches)
        findWritten(code, branch, written);
    } else if (inst.op == Opcode::Generic) {
      const GenericCode &generic = code.generics[inst.extra];
      findWritten(code, generic.body, written);
      for (const GenericOperand &operand :
           llvm::drop_begin(generic.operands, generic.numInputs))
        add(operand.reg);
    }
  }
}

CheckedMemory::CheckedMemory(const Program &program, ThreadPool &pool)
    : DeviceMemory(program.target.replicas), program(program), pool(pool),
      variables(program.variables.size()) {
  for (CodeletOp codelet : program.codelets) {
    codes.push_back(decodeCodelet(codelet));
    written.emplace_back(codes.back().argumentRanks.size());
    findWritten(codes.back(), codes.back().body, written.back());
  }
  findCodeOverlaps();
}

LogicalResult CheckedMemory::finish() { return failure(log.size() > 0); }

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

const TileLayout *CheckedMemory::getLayout(TileMappingAttr mapping) {
  std::unique_ptr<TileLayout> &layout = layouts[mapping];
  if (!layout)
    if (std::optional<TileLayout> made = TileLayout::get(mapping))
      layout = std::make_unique<TileLayout>(std::move(*made));
  return layout.get();
}

LogicalResult CheckedMemory::begin(unsigned number) {
  takeMemoryOfCode(number);
  const ProgramVariable &source = program.variables[number];
  Variable &variable = variables[number];
  int64_t replicas = program.target.replicas;
  int64_t elements, bytes;
  variable.layout = getLayout(source.mapping);
  if (variable.layout &&
      !llvm::MulOverflow(variable.layout->getTotal(), replicas, elements) &&
      !llvm::MulOverflow(elements, source.elementBytes, bytes)) {
    // As much as nothing, too.
    variable.values.reset(
        static_cast<char *>(std::calloc(std::max<int64_t>(bytes, 1), 1)));
    static_assert(kNeverWritten == 0, "fresh states");
    variable.states.reset(
        static_cast<uint8_t *>(std::calloc(std::max<int64_t>(elements, 1), 1)));
  }
  if (!variable.values || !variable.states)
    return source.op->emitOpError("exceeds the memory of the host");
  variable.undefinedFrom = nullptr;
  return success();
}

void CheckedMemory::end(unsigned variable) {
  takeMemoryOfCode(variable);
  variables[variable].values.reset();
  variables[variable].states.reset();
}

//===----------------------------------------------------------------------===//
// Compute sets
//===----------------------------------------------------------------------===//

/// The verifier keeps outputs apart: vertices race only where a codelet writes
/// an input that others use.
void CheckedMemory::findShared(const ComputeNode &node) {
  marks.clear();
  llvm::DenseMap<unsigned, unsigned> users;
  for (const VertexGroup &group : node.groups) {
    llvm::DenseSet<unsigned> used(group.variables.begin(),
                                  group.variables.end());
    for (unsigned variable : used)
      ++users[variable];
  }
  for (const VertexGroup &group : node.groups)
    for (unsigned i = 0; i < group.numInputs; ++i) {
      unsigned variable = group.variables[i];
      if (written[group.codelet].test(i) && users[variable] > 1)
        marks[variable].resize(variables[variable].layout->getTotal() *
                               program.target.replicas);
    }
}

LogicalResult CheckedMemory::compute(const ComputeNode &node) {
  findShared(node);
  for (unsigned group = 0; group < node.groups.size(); ++group)
    runGroup(node, group);
  return failure(log.isFull());
}

void CheckedMemory::runGroup(const ComputeNode &node, unsigned number) {
  const VertexGroup &group = node.groups[number];
  std::vector<VertexFindings> parts(pool.getNumThreads());
  pool.run(group.getNumRows() * active.size(),
           [&](unsigned part, int64_t begin, int64_t end) {
             runRows(group, number, begin, end, parts[part]);
           });
  VertexFindings findings;
  for (const VertexFindings &part : parts)
    findings.append(part);
  for (const VertexFinding &finding : findings.get())
    report(node, number, finding);
}

/// Each tile has its own row, as all others have.
LogicalResult CheckedMemory::advanceRngCounters(const AdvanceRngNode &node) {
  unsigned rng = node.rng;
  int64_t words = variables[rng].layout->getTotal();
  for (int64_t replica : active.get()) {
    auto *state = reinterpret_cast<uint32_t *>(getValues(rng, replica));
    for (int64_t at = 0; at < words; at += kRngWordsOfTile)
      advanceCounter(state + at, node.advance);
  }
  return success();
}

/// Whether output `operand` is also read, as an input.
static bool isInPlace(const VertexGroup &group, unsigned operand) {
  return llvm::is_contained(ArrayRef(group.alias).take_front(group.numInputs),
                            operand);
}

/// A tile stores the elements of its region in the order of the variable. An
/// operand may be a view with the dimensions in another order: `shape` are the
/// sizes of the region of the operand, and `strides` its strides in the
/// variable. Returns the strides of the operand in the memory of the tile.
static SmallVector<int64_t> getStridesOnTile(ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> strides) {
  StridedView region{0, llvm::to_vector(shape), llvm::to_vector(strides)};
  SmallVector<int64_t> onTile(shape.size(), 1);
  int64_t stride = 1;
  SmallVector<unsigned> order = getOrderOfStrides(region);
  for (unsigned dim : llvm::reverse(order)) {
    onTile[dim] = stride;
    stride *= shape[dim];
  }
  return onTile;
}

/// Rows of all active replicas, one replica after another.
void CheckedMemory::runRows(const VertexGroup &group, unsigned number,
                            int64_t begin, int64_t end,
                            VertexFindings &findings) {
  unsigned numOperands = group.variables.size();
  VertexChecks checks;
  checks.operands.resize(numOperands + group.rng.has_value());
  checks.vertex = number + 1;
  checks.findings = &findings;
  Frame<VertexChecks> frame(codes[group.codelet], std::move(checks));
  ArrayRef<int64_t> ranks = codes[group.codelet].argumentRanks;
  SmallVector<char *> storage(numOperands + group.rng.has_value());
  SmallVector<int64_t> row, sizes(numOperands);
  for (int64_t all = begin; all < end; ++all) {
    int64_t replica = active.get()[all / group.getNumRows()];
    int64_t tableRow = all % group.getNumRows();
    const int64_t *region = group.getRow(tableRow);
    frame.checks.row = all;
    row.clear();
    for (unsigned i = 0; i < numOperands; ++i) {
      unsigned variable = group.variables[i];
      const TileLayout &layout = *variables[variable].layout;
      // The tile mapping of an operand is equivalent to the one by which it is
      // read.
      int64_t tile = group.tiles[tableRow] - layout.getTileMapping().getFirst();
      int64_t start = layout.getStart(tile);
      storage[i] = getValues(variable, replica) +
                   start * program.variables[variable].elementBytes;
      CheckedOperand &operand = frame.checks.operands[i];
      operand.states = getStates(variable, replica) + start;
      operand.isInput = i < group.numInputs;
      auto it = marks.find(variable);
      if (it != marks.end())
        operand.marks = it->second.data() + replica * layout.getTotal() + start;
      ArrayRef<int64_t> shape(region + 1, ranks[i]);
      row.push_back(0);
      llvm::append_range(row, shape);
      llvm::append_range(
          row,
          getStridesOnTile(shape, ArrayRef(region + 1 + ranks[i], ranks[i])));
      region += 1 + 2 * ranks[i];
      sizes[i] = layout.getSize(tile);
      // What was there before is none of the codelet's business.
      if (!operand.isInput && !isInPlace(group, i))
        std::fill_n(operand.states, sizes[i], kNeverWritten);
    }
    if (group.rng) {
      const TileLayout &layout = *variables[*group.rng].layout;
      int64_t start = layout.getStart(group.tiles[tableRow]);
      storage.back() =
          getValues(*group.rng, replica) + start * int64_t(sizeof(uint32_t));
      frame.checks.operands.back().states =
          getStates(*group.rng, replica) + start;
      row.push_back(0);
      row.append(region + 1, region + kRngColumns);
      region += kRngColumns;
    }
    row.append(region, group.getRow(tableRow) + group.rowSize);
    Operation *failed = frame.run(row.data(), storage);
    endVertex(group, failed, frame.checks, sizes);
  }
}

void CheckedMemory::endVertex(const VertexGroup &group, Operation *failed,
                              VertexChecks &checks, ArrayRef<int64_t> sizes) {
  if (failed)
    checks.findFault(failed);
  for (unsigned i = group.numInputs; i < sizes.size(); ++i) {
    uint8_t *states = checks.operands[i].states;
    if (isInPlace(group, i) || areDefined(states, sizes[i]))
      continue;
    VerticesOp op = group.op;
    for (int64_t at = 0; at < sizes[i]; ++at)
      if (!failed && states[at] != kDefined)
        checks.find(FindingKind::Unwritten, op, i, at);
    std::fill_n(states, sizes[i], kDefined);
  }
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

std::string CheckedMemory::describe(const ElementLocation &location) const {
  const ProgramVariable &variable = program.variables[location.variable];
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "element " << printIndices(variable.type.getShape(), location.element)
     << " of variable \"" << variable.name << "\" on tile "
     << variable.mapping.getFirst() + location.tile << " of replica "
     << location.replica;
  return text;
}

void CheckedMemory::explainUndefined(InFlightDiagnostic &diag,
                                     unsigned variable, uint8_t state) const {
  // Each move was run before the one that it is followed from, or is one of a
  // loop.
  for (unsigned depth = 0; depth < 4 && state == kMovedUndefined; ++depth) {
    const ProgramMove *move = variables[variable].undefinedFrom;
    if (!move)
      return;
    MoveOp op = move->op;
    variable = move->source;
    diag.attachNote(op.getLoc())
        << "copied here from variable \"" << program.variables[variable].name
        << "\", which is undefined";
    if (!variables[variable].undefinedFrom)
      state = kNeverWritten;
  }
  const ProgramVariable &source = program.variables[variable];
  if (state == kOverwritten)
    diag.attachNote(source.op->getLoc())
        << "code was loaded over variable \"" << source.name << '"';
  else
    diag.attachNote(source.op->getLoc())
        << "variable \"" << source.name
        << "\" is undefined from here until it is written";
}

void CheckedMemory::describe(InFlightDiagnostic &diag,
                             const VertexFinding &finding,
                             const ElementLocation &location) const {
  Operation *op = finding.op;
  if (finding.kind != FindingKind::Fault)
    diag << "'" << op->getName() << "' ";
  switch (finding.kind) {
  case FindingKind::Undefined:
    diag << "reads " << describe(location) << ", which is undefined";
    return;
  case FindingKind::InputWritten:
    diag << "writes " << describe(location)
         << ", which is an input of the vertex";
    return;
  case FindingKind::Unwritten:
    diag << "op does not write " << describe(location)
         << ", which is an output";
    return;
  case FindingKind::Race:
    diag << (finding.isWrite ? "writes " : "reads ") << describe(location)
         << ", which another vertex of the compute set "
         << (finding.isWrite ? "uses" : "writes");
    return;
  case FindingKind::Fault:
    diag << getFaultMessage(op) << " on tile "
         << program.variables[location.variable].mapping.getFirst() +
                location.tile
         << " of replica " << location.replica;
    break;
  case FindingKind::Divergence:
    llvm_unreachable("not a finding of a vertex");
  }
  if (finding.size < 0)
    return;
  Diagnostic &note = diag.attachNote(op->getLoc());
  note << "index " << finding.index << " is outside of " << finding.size
       << " elements of ";
  if (finding.argument < 0)
    note << "local memory";
  else
    note << "argument " << finding.argument << ", variable \""
         << program.variables[location.variable].name << "\"";
}

void CheckedMemory::report(const ComputeNode &node, unsigned number,
                           const VertexFinding &finding) {
  const VertexGroup &group = node.groups[number];
  VerticesOp vertices = group.op;
  if (!log.start(finding.kind, finding.op, vertices, finding.argument))
    return;
  int64_t rows = group.getNumRows();
  ElementLocation location;
  // Any variable tells where a fault in local memory is.
  unsigned argument = std::max(finding.argument, 0);
  location.variable = argument < group.variables.size()
                          ? group.variables[argument]
                          : *group.rng;
  location.tile = group.tiles[finding.row % rows] -
                  program.variables[location.variable].mapping.getFirst();
  location.replica = active.get()[finding.row / rows];
  if (finding.kind != FindingKind::Fault)
    location.element = variables[location.variable].layout->getElement(
        location.tile, finding.at);
  InFlightDiagnostic diag = emitError(finding.op->getLoc());
  describe(diag, finding, location);

  CodeletOp codelet = program.codelets[group.codelet];
  if (finding.kind == FindingKind::Unwritten)
    diag.attachNote(codelet.getLoc()) << "codelet defined here";
  else
    diag.attachNote(vertices.getLoc()) << "vertices run here";
  if (finding.kind == FindingKind::Race) {
    VerticesOp other = node.groups[finding.other].op;
    diag.attachNote(other.getLoc()) << "the other vertex runs here";
  }
  if (finding.kind == FindingKind::Undefined)
    explainUndefined(diag, location.variable, finding.state);
  if (finding.numElements > 1 && finding.kind != FindingKind::Fault)
    diag.attachNote() << "first of " << finding.numElements << " elements on "
                      << finding.numRows
                      << (finding.numRows > 1 ? " tiles" : " tile")
                      << (program.target.replicas == 1 ? ""
                          : active.areAll()
                              ? " of all replicas"
                              : " of all replicas that execute the op");
  log.finish(diag);
}
