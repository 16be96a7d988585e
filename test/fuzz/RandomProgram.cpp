//===- RandomProgram.cpp - Random linalg functions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Out: a graph of generic and named linalg ops on a few tensors whose sizes are
// small and often equal. The bodies of ops are in RandomBodies.cpp.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::fuse::fuzz;

/// Points of the largest iteration space: it is to run fast.
static constexpr int64_t kMaxPoints = 3000;
static constexpr size_t kMaxLoops = 4;

Program mlir::fuse::fuzz::makeProgram(ModuleOp module, StringRef name,
                                      Random &random) {
  return ProgramBuilder(module, name, random).run();
}

ProgramBuilder::ProgramBuilder(ModuleOp module, StringRef name, Random &random)
    : random(random),
      b(module.getLoc(), OpBuilder::atBlockEnd(module.getBody())) {
  unsigned kind = random.pick(10u);
  program.elements = kind < 4   ? Elements::Int
                     : kind < 7 ? Elements::Exact
                                : Elements::Real;
  element = program.elements == Elements::Int ? Type(b.getI32Type())
                                              : Type(b.getF32Type());
  program.function = func::FuncOp::create(b, name, b.getFunctionType({}, {}));
  b.setInsertionPointToStart(program.function.addEntryBlock());
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

RankedTensorType ProgramBuilder::getType(ArrayRef<unsigned> dims) {
  SmallVector<int64_t> shape;
  for (unsigned dim : dims)
    shape.push_back(extents[dim].isDynamic ? ShapedType::kDynamic
                                           : extents[dim].size);
  return RankedTensorType::get(shape, element);
}

Made ProgramBuilder::addArgument(ArrayRef<unsigned> dims) {
  Made made;
  made.value = program.function.front().addArgument(getType(dims), b.getLoc());
  made.dims.assign(dims.begin(), dims.end());
  made.bound = program.elements == Elements::Real ? 1 : 4;
  made.isArgument = true;
  SmallVector<int64_t> &shape = program.argumentShapes.emplace_back();
  for (auto [number, dim] : llvm::enumerate(dims)) {
    shape.push_back(extents[dim].size);
    if (extents[dim].isDynamic && !extents[dim].value)
      extents[dim].value = tensor::DimOp::create(b, made.value, number);
  }
  return made;
}

Value ProgramBuilder::createEmpty(ArrayRef<unsigned> dims) {
  SmallVector<Value> sizes;
  for (unsigned dim : dims)
    if (extents[dim].isDynamic)
      sizes.push_back(extents[dim].value);
  return tensor::EmptyOp::create(b, getType(dims), sizes);
}

Value ProgramBuilder::createFilled(ArrayRef<unsigned> dims, double value) {
  Value scalar = createConstant(value);
  return linalg::FillOp::create(b, scalar, createEmpty(dims)).getResult(0);
}

Made *ProgramBuilder::findTensor(ArrayRef<unsigned> dims) {
  for (Made &made : llvm::reverse(tensors))
    if (ArrayRef(made.dims) == dims)
      return &made;
  return nullptr;
}

/// One of the last ones more often.
Made &ProgramBuilder::pickTensor() {
  size_t window = random.chance(70) ? 4 : tensors.size();
  size_t first = tensors.size() > window ? tensors.size() - window : 0;
  return tensors[first + random.pick(unsigned(tensors.size() - first))];
}

//===----------------------------------------------------------------------===//
// Loops and maps
//===----------------------------------------------------------------------===//

bool ProgramBuilder::canAddLoop(unsigned extent) const {
  int64_t points = extents[extent].size;
  for (const Loop &loop : loops)
    points *= extents[loop.extent].size;
  return loops.size() < kMaxLoops && points <= kMaxPoints;
}

/// The loop of an index, or none if it is the constant 0; false if there can be
/// no loop.
bool ProgramBuilder::pickLoop(unsigned extent, llvm::SmallBitVector &taken,
                              std::optional<unsigned> &loop) {
  loop = std::nullopt;
  if ((extent == 0 && random.chance(50)) || random.chance(1))
    return true;
  SmallVector<unsigned> free, all;
  for (auto [number, other] : llvm::enumerate(loops)) {
    if (other.extent != extent)
      continue;
    all.push_back(number);
    if (number >= taken.size() || !taken.test(number))
      free.push_back(number);
  }
  // Twice the same loop now and then: a diagonal.
  if (!all.empty() && random.chance(3))
    free = all;
  if (free.empty() || random.chance(12)) {
    if (canAddLoop(extent)) {
      loop = loops.size();
      loops.push_back({extent});
    } else if (!all.empty()) {
      loop = all[random.pick(all.size())];
    } else {
      return false;
    }
  } else {
    loop = free[random.pick(free.size())];
  }
  taken.resize(std::max<size_t>(taken.size(), *loop + 1));
  taken.set(*loop);
  return true;
}

bool ProgramBuilder::addRead(Made &made) {
  Read read;
  read.made = &made;
  llvm::SmallBitVector taken;
  for (unsigned extent : made.dims) {
    std::optional<unsigned> loop;
    if (!pickLoop(extent, taken, loop))
      return false;
    read.index.push_back(loop ? b.getAffineDimExpr(*loop)
                              : b.getAffineConstantExpr(0));
  }
  reads.push_back(std::move(read));
  return true;
}

/// A sliding window along one dimension of a tensor, and weights for it.
bool ProgramBuilder::addWindow() {
  Made &made = pickTensor();
  SmallVector<unsigned> candidates;
  for (auto [number, dim] : llvm::enumerate(made.dims))
    if (!extents[dim].isDynamic && extents[dim].size > 1)
      candidates.push_back(number);
  if (candidates.empty())
    return false;
  unsigned slid = candidates[random.pick(candidates.size())];
  int64_t size = extents[made.dims[slid]].size;
  int64_t length = random.pick(1, std::min<int64_t>(3, size));
  int64_t stride = random.pick(1, 2);
  unsigned window = extents.size(), moves = window + 1;
  extents.emplace_back(length);
  extents.emplace_back((size - length) / stride + 1);
  Read read, weights;
  // References to tensors stay valid: it is a deque.
  read.made = &made;
  unsigned along = 0;
  for (auto [number, dim] : llvm::enumerate(made.dims)) {
    unsigned extent = number == slid ? moves : dim;
    if (!canAddLoop(extent))
      return false;
    if (number == slid)
      along = loops.size();
    read.index.push_back(b.getAffineDimExpr(loops.size()));
    loops.push_back({extent});
  }
  if (!canAddLoop(window))
    return false;
  AffineExpr tap = b.getAffineDimExpr(loops.size());
  loops.push_back({window});
  read.index[slid] = b.getAffineDimExpr(along) * stride + tap;
  Made &added = tensors.emplace_back(addArgument({window}));
  weights.made = &added;
  added.isUsed = true;
  weights.index.push_back(tap);
  reads.push_back(std::move(read));
  reads.push_back(std::move(weights));
  return true;
}

/// Another order of the loops.
void ProgramBuilder::shuffleLoops() {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(loops.size()));
  random.shuffle(order);
  SmallVector<Loop> shuffled(loops.size());
  SmallVector<AffineExpr> dims(loops.size());
  for (auto [from, to] : llvm::enumerate(order)) {
    shuffled[to] = loops[from];
    dims[from] = b.getAffineDimExpr(to);
  }
  loops = std::move(shuffled);
  for (Read &read : reads)
    for (AffineExpr &index : read.index)
      index = index.replaceDims(dims);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool ProgramBuilder::addGeneric(bool hasReduction) {
  loops.clear();
  reads.clear();
  if (random.chance(6)) {
    if (!addWindow())
      return false;
  } else {
    unsigned count = 1 + random.pick(3u) * random.pick(2u);
    for (unsigned i = 0; i < count; ++i)
      if (!addRead(pickTensor()))
        return false;
  }
  size_t numRead = loops.size();
  if (random.chance(12)) {
    unsigned extent = random.pick(numExtents);
    if (canAddLoop(extent))
      loops.push_back({extent});
  }
  if (hasReduction) {
    // What is only written cannot be reduced: nothing gives its size.
    bool any = false;
    for (size_t i = 0; i < numRead; ++i)
      any |= loops[i].isReduced = random.chance(50);
    if (!any && numRead)
      loops[random.pick(unsigned(numRead))].isReduced = true;
    if (!numRead || !isReducedRead())
      return false;
  }
  if (random.chance(35))
    shuffleLoops();
  return createGeneric();
}

/// Each reduced loop must index some operand by itself.
bool ProgramBuilder::isReducedRead() const {
  for (auto [number, loop] : llvm::enumerate(loops)) {
    AffineExpr dim = getAffineDimExpr(number, b.getContext());
    if (loop.isReduced && llvm::none_of(reads, [&](const Read &read) {
          return llvm::is_contained(read.index, dim);
        }))
      return false;
  }
  return true;
}

bool ProgramBuilder::createGeneric() {
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs, inits;
  MLIRContext *context = b.getContext();
  for (const Read &read : reads) {
    maps.push_back(AffineMap::get(loops.size(), 0, read.index, context));
    inputs.push_back(read.made->value);
  }
  SmallVector<utils::IteratorType> types;
  SmallVector<unsigned> parallel;
  bool reduces = false;
  int64_t numAddends = 1;
  for (auto [number, loop] : llvm::enumerate(loops)) {
    reduces |= loop.isReduced;
    types.push_back(loop.isReduced ? utils::IteratorType::reduction
                                   : utils::IteratorType::parallel);
    if (loop.isReduced)
      numAddends *= extents[loop.extent].size;
    else
      parallel.push_back(number);
  }
  Body body = pickBody(reduces, numAddends);
  SmallVector<Made> results;
  for (unsigned i = 0; i < body.results.size(); ++i) {
    if (random.chance(20))
      random.shuffle(parallel);
    SmallVector<AffineExpr> exprs;
    Made made = body.results[i].made;
    for (unsigned loop : parallel) {
      exprs.push_back(b.getAffineDimExpr(loop));
      made.dims.push_back(loops[loop].extent);
    }
    maps.push_back(AffineMap::get(loops.size(), 0, exprs, context));
    inits.push_back(createInit(made, body.results[i]));
    results.push_back(made);
  }
  SmallVector<Type> resultTypes = llvm::to_vector(ValueRange(inits).getTypes());
  auto op = linalg::GenericOp::create(
      b, resultTypes, inputs, inits, maps, types,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        createBody(body, builder, loc, args);
      });
  for (auto [made, value] : llvm::zip_equal(results, op.getResults()))
    addMade(made, value);
  return true;
}

Value ProgramBuilder::createInit(Made &made, BodyResult &result) {
  if (!result.usesInit)
    return createEmpty(made.dims);
  // Accumulates into what is there, or starts with a number.
  if (random.chance(result.isAccumulator ? 25 : 100)) {
    Made *other = findTensor(made.dims);
    if (!other || random.chance(40))
      other = &tensors.emplace_back(addArgument(made.dims));
    other->isUsed = true;
    made.bound += other->bound;
    made.error += other->error;
    return other->value;
  }
  return createFilled(made.dims, result.start);
}

void ProgramBuilder::addMade(Made made, Value value) {
  for (const Read &read : reads)
    read.made->isUsed = true;
  made.value = value;
  if (random.chance(15))
    value.getDefiningOp()->setAttr(
        "fuse.name", b.getStringAttr("T" + std::to_string(tensors.size())));
  tensors.push_back(std::move(made));
}

/// Ops with a name of their own.
bool ProgramBuilder::addNamed() {
  Made &from = pickTensor();
  loops.clear();
  reads.clear();
  Made made;
  made.bound = from.bound;
  made.error = from.error;
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(from.dims.size()));
  // Upstream's linalg.transpose has no map for rank 0.
  if (!order.empty() && random.chance(50)) {
    random.shuffle(order);
    for (int64_t dim : order)
      made.dims.push_back(from.dims[dim]);
    auto op = linalg::TransposeOp::create(b, from.value, createEmpty(made.dims),
                                          order);
    from.isUsed = true;
    addMade(made, op->getResult(0));
    return true;
  }
  int64_t points = 1;
  for (unsigned dim : from.dims)
    points *= extents[dim].size;
  unsigned extent = random.pick(numExtents);
  if (from.dims.size() >= kMaxLoops - 1 ||
      points * extents[extent].size > kMaxPoints)
    return false;
  int64_t added = random.pick(0, from.dims.size());
  made.dims = from.dims;
  made.dims.insert(made.dims.begin() + added, extent);
  auto op = linalg::BroadcastOp::create(b, from.value, createEmpty(made.dims),
                                        ArrayRef<int64_t>(added));
  from.isUsed = true;
  addMade(made, op->getResult(0));
  return true;
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

Program ProgramBuilder::run() {
  // Extent 0 is the constant 1.
  extents.emplace_back(1);
  numExtents = 3 + random.pick(3u);
  while (extents.size() < numExtents)
    extents.emplace_back(random.chance(80) ? random.pick(2, 8)
                                           : random.pick(1, 12));
  SmallVector<SmallVector<unsigned>> arguments(2 + random.pick(2u));
  for (auto [number, dims] : llvm::enumerate(arguments)) {
    unsigned rank = number == 0 ? random.pick(1, 3) : random.pick(0, 3);
    for (unsigned i = 0; i < rank; ++i)
      dims.push_back(random.chance(10)
                         ? 0
                         : 1 + random.pick(unsigned(extents.size() - 1)));
  }
  if (random.chance(20))
    for (unsigned dim : arguments.front())
      extents[dim].isDynamic = dim != 0 && random.chance(60);
  for (ArrayRef<unsigned> dims : arguments)
    tensors.push_back(addArgument(dims));

  unsigned count = random.pick(2, 9), made = 0;
  for (unsigned attempt = 0; made < count && attempt < 60; ++attempt) {
    unsigned kind = random.pick(100u);
    made += kind < 12 ? addNamed() : addGeneric(/*hasReduction=*/kind < 42);
  }
  finish();
  return program;
}

void ProgramBuilder::finish() {
  SmallVector<Value> results;
  for (const Made &made : tensors) {
    if (made.isArgument || (made.isUsed && !random.chance(12)))
      continue;
    results.push_back(made.value);
    program.tolerances.push_back(made.error);
  }
  func::ReturnOp::create(b, results);
  Block &body = program.function.front();
  program.function.setFunctionType(b.getFunctionType(
      body.getArgumentTypes(), ValueRange(results).getTypes()));
}
