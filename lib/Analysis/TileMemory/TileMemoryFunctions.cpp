//===- TileMemoryFunctions.cpp - Functions of a program ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryProblemReader.h"

using namespace mlir;
using namespace mlir::ipu;

/// Calls nest in the stack of this process as well.
static constexpr unsigned kMaxCallDepth = 1000;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult ProblemReader::addCall(CallOp op) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee || callee.isDeclaration())
    return op.emitOpError() << "expects " << op.getCalleeAttr()
                            << " to be a 'func.func' with a body";
  if (!functionsRead.contains(callee)) {
    // The same error at each recursion, on whichever path.
    if (!std::exchange(isRecursionChecked, true))
      if (auto module = entry->getParentOfType<ModuleOp>();
          module && failed(FunctionCalls(module).verifyNoRecursion()))
        return failure();
    if (callDepth >= kMaxCallDepth)
      return op.emitOpError()
             << "is nested in more than " << kMaxCallDepth << " calls";
    ++callDepth;
    if (failed(readFunction(callee)))
      return failure();
    --callDepth;
  }
  liveRanges.call(callee, getStep(), isAlwaysExecuted(op));
  addControlStep(op);
  return success();
}

/// Returns whether `storage` is used only while `function` is executed: by the
/// function itself, or by functions that only it and its callees call.
bool ProblemReader::isPrivate(unsigned storage, Operation *function) {
  auto module = entry->getParentOfType<ModuleOp>();
  if (!module || problem.variables[storage].alwaysLive)
    return false;
  if (!calls) {
    calls.emplace(module);
    module.walk([&](VarOp variable) {
      if (FlatSymbolRefAttr name = variable.getStorageAttr())
        usersOfStorage[name.getAttr()].insert(
            variable->getParentOfType<func::FuncOp>());
    });
  }
  SmallVector<Operation *> worklist = llvm::to_vector(
      usersOfStorage[cast<StorageOp>(problem.variables[storage].op)
                         .getSymNameAttr()]);
  llvm::DenseSet<Operation *> seen(worklist.begin(), worklist.end());
  while (!worklist.empty()) {
    Operation *user = worklist.pop_back_val();
    if (user == function)
      continue;
    ArrayRef<CallOpInterface> callers =
        calls->getCallsOf(cast<FunctionOpInterface>(user));
    if (callers.empty())
      return false;
    for (CallOpInterface call : callers)
      if (Operation *caller = call->getParentOfType<FunctionOpInterface>();
          seen.insert(caller).second)
        worklist.push_back(caller);
  }
  return true;
}

LogicalResult ProblemReader::readFunction(func::FuncOp callee) {
  Operation *caller = std::exchange(function, callee.getOperation());
  functionsRead.insert(callee);
  codeOfFunction.insert({callee, getNoBytes()});
  liveRanges.beginFunction(getStep());
  if (!callee.getBody().empty() && failed(readBlock(callee.getBody().front())))
    return failure();
  liveRanges.endFunction(
      callee, [&](unsigned storage) { return isPrivate(storage, callee); });
  function = caller;
  return success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static int64_t getCodeBytes(const TargetModel &target, CodeletOp codelet) {
  CodeletCostAttr cost = codelet.getCost();
  if (usesMatrixUnit(cost))
    return target.codelet_amp_bytes;
  if (cost.getKind() == CostKind::Reduce ||
      cost.getKind() == CostKind::ReduceBlocks ||
      cost.getKind() == CostKind::ReduceColumns)
    return target.codelet_reduce_bytes;
  if (llvm::is_contained({CostKind::Gather, CostKind::Scatter,
                          CostKind::ScatterBuckets, CostKind::BucketIndices,
                          CostKind::Sort, CostKind::DynamicSlice,
                          CostKind::DynamicUpdate},
                         cost.getKind()))
    return target.codelet_gather_bytes;
  bool isFlat = llvm::all_of(codelet.getArgumentTypes(), [](Type type) {
    return cast<MemRefType>(type).getRank() <= 1;
  });
  return isFlat ? target.codelet_1d_bytes : target.codelet_2d_bytes;
}

/// The code of a codelet belongs to the one function that uses it. Where
/// several do it comes with each of them, if none is always there.
void ProblemReader::addCodelets(IsLoaded isLoaded) {
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (auto [number, code] : llvm::enumerate(codeOfFunction))
    numbers[code.first] = number;
  for (auto &[codelet, use] : codelets) {
    int64_t bytes = getCodeBytes(target, cast<CodeletOp>(codelet));
    TileCounts perTile = transform(
        use.vertices, [&](int64_t count) { return count > 0 ? bytes : 0; });
    constexpr auto category = static_cast<unsigned>(MemoryCategory::VertexCode);
    if (use.functions.size() == 1) {
      codeOfFunction[use.functions.front()][category].add(perTile);
    } else if (llvm::all_of(use.functions, isLoaded)) {
      std::vector<unsigned> users;
      for (Operation *user : use.functions)
        users.push_back(numbers.lookup(user));
      llvm::sort(users);
      sharedCode.try_emplace(std::move(users), getNoBytes())
          .first->second[category]
          .add(perTile);
    } else {
      get(MemoryCategory::VertexCode).add(perTile);
    }
    if (use.vertices.get(tile) > 0)
      notePart(codelet, MemoryCategory::VertexCode, bytes);
  }
}

SmallVector<StepRange>
ProblemReader::getSteps(const CodeLiveness &liveness,
                        FunctionOpInterface callee) const {
  SmallVector<StepRange> ranges;
  for (auto [step, op] : llvm::enumerate(problem.steps)) {
    if (!liveness.isResidentDuring(op, callee))
      continue;
    int64_t at = step;
    if (ranges.empty() || ranges.back().second < at)
      ranges.emplace_back(at, at);
    ranges.back().second = at + 1;
  }
  return ranges;
}

TileCounts mlir::ipu::getBytesInBuffer(const TargetModel &target,
                                       const TileCounts &bytes,
                                       CodeLocation buffer) {
  TileCounts result(target.getTilesPerReplica());
  // The tiles of each IPU that hold the buffer.
  int64_t begin = 0, end = target.tiles;
  if (buffer == CodeLocation::ComputeBuffer)
    end = target.getComputeTiles();
  else if (target.io_tiles > 0)
    begin = target.getComputeTiles();
  int64_t rest = bytes.getSum();
  if (rest == 0)
    return result;
  int64_t share = Count(rest).divideCeil((end - begin) * target.ipus).get();
  for (int64_t ipu = 0; ipu < target.ipus && rest > 0; ++ipu) {
    int64_t first = ipu * target.tiles + begin;
    int64_t numWhole = std::min(end - begin, rest / share);
    result.add(first, numWhole, share);
    rest -= numWhole * share;
    if (numWhole < end - begin && rest > 0)
      result.add(first + numWhole, 1, std::exchange(rest, 0));
  }
  return result;
}

/// Adds the parts of `bytes` to one sum.
static void addParts(TileCounts &sum, const BytesPerTile &bytes) {
  for (const TileCounts &part : bytes)
    sum.add(part);
}

/// Loads bring the code of functions that nothing calls as well, with all of
/// their codelets.
LogicalResult ProblemReader::addUncalled(const CodeLiveness &liveness) {
  for (FunctionOpInterface loaded : liveness.getLoadedGraphs()) {
    auto callee = dyn_cast<func::FuncOp>(loaded.getOperation());
    if (!callee || codeOfFunction.contains(callee) ||
        codeOfUncalled.contains(callee))
      continue;
    ProblemReader reader(callee);
    if (failed(reader.readFunction(callee)))
      return failure();
    BytesPerTile &bytes = reader.codeOfFunction[callee];
    for (auto &[codelet, use] : reader.codelets)
      if (use.functions.contains(callee))
        bytes[static_cast<unsigned>(MemoryCategory::VertexCode)].add(
            transform(use.vertices, [&, codelet = codelet](int64_t count) {
              return count > 0 ? getCodeBytes(target, cast<CodeletOp>(codelet))
                               : 0;
            }));
    codeOfUncalled.insert({callee, std::move(bytes)});
  }
  return success();
}

/// What is in a buffer cannot be called there: it is data, at one address as
/// long as it is there.
void ProblemReader::addBuffer(const CodeLiveness &liveness,
                              CodeLocation buffer) {
  for (FunctionOpInterface callee : liveness.getLoadedGraphs()) {
    SmallVector<StepRange> ranges = getSteps(liveness, callee);
    if (ranges.empty())
      continue;
    TileCounts bytes(numTiles);
    auto *code = codeOfFunction.find(callee);
    if (code == codeOfFunction.end()) {
      addParts(bytes, codeOfUncalled[callee]);
    } else {
      addParts(bytes, code->second);
      unsigned number = code - codeOfFunction.begin();
      for (const auto &[users, shared] : sharedCode)
        if (llvm::is_contained(users, number))
          addParts(bytes, shared);
    }
    MemoryVariable variable;
    variable.layout = problem.layouts.size();
    problem.layouts.push_back(getBytesInBuffer(target, bytes, buffer));
    variable.begin = ranges.front().first;
    variable.end = ranges.back().second;
    if (ranges.size() > 1)
      variable.ranges.assign(ranges.begin(), ranges.end());
    variable.align = target.memory_align_bytes;
    variable.op = callee;
    variable.buffer = buffer;
    problem.variables.push_back(std::move(variable));
  }
}

/// Sorts `ranges` and unites those that meet.
static SmallVector<StepRange> unite(SmallVector<StepRange> ranges) {
  llvm::sort(ranges);
  SmallVector<StepRange> united;
  for (StepRange range : ranges) {
    if (united.empty() || united.back().second < range.first)
      united.push_back(range);
    united.back().second = std::max(united.back().second, range.second);
  }
  return united;
}

void ProblemReader::addExecutable(const CodeLiveness &liveness) {
  auto add = [&](BytesPerTile &bytes, ArrayRef<Operation *> functions) {
    MemoryCode code;
    code.functions.assign(functions.begin(), functions.end());
    code.bytes = std::exchange(bytes, getNoBytes());
    SmallVector<StepRange> steps;
    for (Operation *function : functions)
      llvm::append_range(
          steps, getSteps(liveness, cast<FunctionOpInterface>(function)));
    code.steps = unite(std::move(steps));
    problem.code.push_back(std::move(code));
  };
  for (auto *list : {&codeOfFunction, &codeOfUncalled})
    for (auto &[callee, bytes] : *list)
      if (!liveness.isAlwaysLive(cast<FunctionOpInterface>(callee)))
        add(bytes, callee);
  for (auto &[users, bytes] : sharedCode) {
    SmallVector<Operation *> functions;
    for (unsigned user : users)
      functions.push_back(std::next(codeOfFunction.begin(), user)->first);
    add(bytes, functions);
  }
}

LogicalResult ProblemReader::addLoadedCode(ModuleOp module) {
  FailureOr<CodeLiveness> executable = CodeLiveness::create(module, entry);
  if (failed(executable) || failed(addUncalled(*executable)))
    return failure();
  addCodelets([&](Operation *user) {
    return !executable->isAlwaysLive(cast<FunctionOpInterface>(user));
  });
  for (CodeLocation buffer :
       {CodeLocation::ComputeBuffer, CodeLocation::IOBuffer}) {
    FailureOr<CodeLiveness> liveness =
        CodeLiveness::create(module, entry, buffer);
    if (failed(liveness) || failed(addUncalled(*liveness)))
      return failure();
    addBuffer(*liveness, buffer);
  }
  addExecutable(*executable);
  return success();
}

LogicalResult ProblemReader::addCode() {
  auto module = entry->getParentOfType<ModuleOp>();
  if (!loadsCode || !module)
    addCodelets([](Operation *) { return false; });
  else if (failed(addLoadedCode(module)))
    return failure();
  for (auto &[callee, bytes] : codeOfFunction)
    for (auto [sum, part] : llvm::zip_equal(problem.fixed, bytes))
      sum.add(part);
  return success();
}

FailureOr<MemoryProblem> ProblemReader::read() {
  readStates();
  if (failed(readFunction(entry)))
    return failure();
  // A program without steps holds its variables all the same.
  problem.numSteps = std::max<int64_t>(getStep(), 1);
  liveRanges.finish(problem.variables);
  for (MemoryVariable &variable : problem.variables) {
    if (variable.alwaysLive)
      std::tie(variable.begin, variable.end) =
          std::make_pair(int64_t(0), problem.numSteps);
  }
  if (failed(addCode()))
    return failure();
  return std::move(problem);
}

FailureOr<MemoryProblem> mlir::ipu::readMemoryProblem(func::FuncOp function) {
  return ProblemReader(function).read();
}

std::vector<CodePart> mlir::ipu::getCodeParts(func::FuncOp function,
                                              int64_t tile) {
  std::vector<CodePart> parts;
  if (failed(ProblemReader(function, &parts, tile).read()))
    return {};
  return parts;
}

SmallVector<func::FuncOp> mlir::ipu::getPrograms(ModuleOp module) {
  llvm::DenseSet<StringAttr> called;
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<CallOp>(op))
      called.insert(call.getCalleeAttr().getAttr());
    auto move = dyn_cast<CodeLoadOpInterface>(op);
    for (unsigned i = 0; move && i <= getMaxEnumValForCodeLocation(); ++i)
      for (SymbolRefAttr name :
           move.getWrittenGraphs(static_cast<CodeLocation>(i)))
        called.insert(name.getLeafReference());
  });
  SmallVector<func::FuncOp> programs;
  for (auto function : module.getOps<func::FuncOp>()) {
    // A function without variables and calls is no program.
    bool isProgram = function
                         .walk([](Operation *op) {
                           return isa<VarOp, CallOp>(op)
                                      ? WalkResult::interrupt()
                                      : WalkResult::advance();
                         })
                         .wasInterrupted();
    // Nor is one that is only loaded.
    if (isProgram && !called.contains(function.getSymNameAttr()))
      programs.push_back(function);
  }
  return programs;
}
