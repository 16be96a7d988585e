//===- TileMemoryReport.cpp - Says what does not fit ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::ipu;

static constexpr unsigned kLargest = 5;

SmallVector<std::pair<unsigned, int64_t>>
mlir::ipu::getLargestAtPeak(const MemoryProblem &problem,
                            const TileClass &tileClass, unsigned count) {
  SmallVector<std::pair<unsigned, int64_t>> result;
  for (const MemoryPlacement &placement : tileClass.placements) {
    const MemoryVariable &variable = problem.variables[placement.variable];
    if (variable.isLive(tileClass.peakStep))
      result.emplace_back(
          placement.variable,
          problem.layouts[variable.layout].get(tileClass.getFirstTile()));
  }
  llvm::sort(result, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  result.resize(std::min<size_t>(result.size(), count));
  return result;
}

namespace {
class Reporter {
public:
  Reporter(func::FuncOp function, const MemoryProblem &problem,
           const MemoryPlan &plan, bool isWarning)
      : function(function), problem(problem), plan(plan), isWarning(isWarning) {
  }

  void reportCode(const TileClass &tileClass);
  void reportMemory(const TileClass &tileClass);

private:
  /// Without the op itself, which may be the whole program.
  InFlightDiagnostic emit(Operation *op) {
    return isWarning ? emitWarning(op->getLoc()) : emitError(op->getLoc());
  }
  void noteCategories(InFlightDiagnostic &diag, const TileClass &tileClass,
                      bool onlyCode);
  std::string suggest(const TileClass &tileClass);

  func::FuncOp function;
  const MemoryProblem &problem;
  const MemoryPlan &plan;
  bool isWarning;
};
} // namespace

void Reporter::noteCategories(InFlightDiagnostic &diag,
                              const TileClass &tileClass, bool onlyCode) {
  Diagnostic &note = diag.attachNote(function.getLoc());
  note << "bytes of tile " << tileClass.getFirstTile() << ": ";
  bool isFirst = true;
  for (unsigned i = 0; i < kNumMemoryCategories; ++i) {
    const MemoryCategoryInfo &info =
        getMemoryCategoryInfo(static_cast<MemoryCategory>(i));
    int64_t bytes = tileClass.categories.bytes[i];
    if (bytes == 0 || (onlyCode && !info.isCode))
      continue;
    note << (isFirst ? "" : ", ") << info.name << ' ' << bytes;
    isFirst = false;
  }
}

/// What may help depends on which code takes most.
static StringRef suggestLessCode(const MemoryBytes &bytes) {
  int64_t vertices = bytes[MemoryCategory::VertexCode];
  int64_t exchanges = bytes[MemoryCategory::ExchangeCode];
  int64_t control = bytes[MemoryCategory::ControlCode];
  if (control >= std::max(vertices, exchanges))
    return "most of it is the sequence of steps: run repeated steps in an "
           "'ipu.repeat'";
  if (exchanges >= vertices)
    return "most of it is code of exchanges: keep tensors on the tiles that "
           "use them, or move them in longer contiguous runs";
  return "most of it is codelets: use fewer of them on one tile";
}

void Reporter::reportCode(const TileClass &tileClass) {
  int64_t code = tileClass.codeBytes;
  InFlightDiagnostic diag = emit(function);
  diag << "program has too much code: tile " << tileClass.getFirstTile()
       << " needs " << code << " bytes, " << code - problem.codeMemory
       << " more than the " << problem.codeMemory
       << " that instructions can be fetched from";
  noteCategories(diag, tileClass, /*onlyCode=*/true);
  diag.attachNote(function.getLoc()) << suggestLessCode(tileClass.categories);
}

std::string Reporter::suggest(const TileClass &tileClass) {
  int64_t over = tileClass.highWater - problem.tileMemory;
  Count copies;
  auto live = getLargestAtPeak(problem, tileClass, problem.variables.size());
  for (auto [number, bytes] : live) {
    auto op = dyn_cast_or_null<VarOp>(problem.variables[number].op);
    copies += op && op.getCopies() ? bytes : 0;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t mean = plan.getSum().getTotal() / problem.numTiles;
  int64_t always = tileClass.categories[MemoryCategory::AlwaysLive];
  if (tileClass.lowerBound <= problem.tileMemory)
    os << "only gaps make it too much; lower available_memory_proportion, so "
          "that temporary tensors are smaller";
  else if (copies.get() >= over)
    os << "copies of operands take " << copies.get()
       << " bytes of it; lower available_memory_proportion, so that operands "
          "are cut finer or computed with in serial parts";
  else if (!live.empty() && problem.variables[live.front().first].buffer)
    os << "load less code to buffers at once, or to executable memory";
  else if (mean <= problem.tileMemory && !live.empty())
    os << "tiles hold " << mean << " bytes on average; spread \""
       << problem.variables[live.front().first].getName()
       << "\" over more tiles";
  else if (always >= tileClass.highWater / 2)
    os << "variables with initial values take " << always
       << " bytes of it; use more tiles or IPUs, or a narrower element type";
  else
    os << "use more tiles or IPUs, or compute in several serial parts, such as "
          "a smaller batch";
  return text;
}

void Reporter::reportMemory(const TileClass &tileClass) {
  bool hasStep =
      tileClass.peakStep < static_cast<int64_t>(problem.steps.size());
  Operation *at =
      hasStep ? problem.steps[tileClass.peakStep] : function.getOperation();
  int64_t tiles = 0;
  for (const TileClass &other : plan.classes)
    if (other.highWater > problem.tileMemory)
      tiles += other.getNumTiles();
  InFlightDiagnostic diag = emit(at);
  diag << "program does not fit: tile " << tileClass.getFirstTile() << " needs "
       << tileClass.highWater << " bytes at step " << tileClass.peakStep;
  if (hasStep)
    diag << " ('" << at->getName() << "')";
  diag << ", " << tileClass.highWater - problem.tileMemory << " more than its "
       << problem.tileMemory;
  if (tiles > 1)
    diag << " (" << tiles << " tiles have too little)";
  noteCategories(diag, tileClass, /*onlyCode=*/false);
  for (auto [number, bytes] : getLargestAtPeak(problem, tileClass, kLargest)) {
    const MemoryVariable &variable = problem.variables[number];
    Diagnostic &note = diag.attachNote(variable.op->getLoc());
    note << '"' << variable.getName() << "\" takes " << bytes
         << " bytes of tile " << tileClass.getFirstTile();
    if (variable.alwaysLive) {
      note << ", always";
      continue;
    }
    note << " in steps ";
    llvm::interleaveComma(variable.getRanges(), note, [&](StepRange range) {
      note << range.first << " to " << range.second - 1;
    });
  }
  diag.attachNote(function.getLoc()) << suggest(tileClass);
}

LogicalResult mlir::ipu::checkMemory(func::FuncOp function,
                                     const MemoryProblem &problem,
                                     const MemoryPlan &plan,
                                     bool allowOutOfMemory) {
  if (fits(problem, plan))
    return success();
  Reporter reporter(function, problem, plan, allowOutOfMemory);
  const TileClass &mostCode = plan.getMostCode();
  if (mostCode.codeBytes > problem.codeMemory)
    reporter.reportCode(mostCode);
  if (plan.getFullest().highWater > problem.tileMemory)
    reporter.reportMemory(plan.getFullest());
  return success(allowOutOfMemory);
}

MemorySummaryAttr mlir::ipu::getMemorySummary(MLIRContext *context,
                                              const MemoryPlan &plan) {
  const TileClass &fullest = plan.getFullest();
  const MemoryBytes &bytes = fullest.categories;
  return MemorySummaryAttr::get(
      context, fullest.getFirstTile(), fullest.peakStep, plan.classes.size(),
      fullest.highWater, fullest.lowerBound, bytes[MemoryCategory::Stack],
      bytes[MemoryCategory::VertexCode], bytes[MemoryCategory::ExchangeCode],
      bytes[MemoryCategory::ControlCode], bytes[MemoryCategory::VertexState],
      bytes[MemoryCategory::HostExchange], bytes[MemoryCategory::AlwaysLive],
      bytes[MemoryCategory::NotAlwaysLive], bytes[MemoryCategory::Gaps]);
}
