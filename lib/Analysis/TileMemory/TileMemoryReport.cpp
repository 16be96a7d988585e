//===- TileMemoryReport.cpp - Reports of exceeded memory --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

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
           const MemoryPlan &plan, bool isWarning, StringRef howToAllow)
      : function(function), problem(problem), plan(plan), isWarning(isWarning),
        howToAllow(howToAllow) {}

  void reportCode(const TileClass &tileClass);
  void reportMemory(const TileClass &tileClass);

private:
  /// Without the op itself, which may be the whole program.
  InFlightDiagnostic emit(Operation *op) {
    return isWarning ? emitWarning(op->getLoc()) : emitError(op->getLoc());
  }
  void noteCode(InFlightDiagnostic &diag, const TileClass &tileClass);
  void noteCategories(InFlightDiagnostic &diag, const TileClass &tileClass,
                      bool onlyCode);
  void noteHowToAllow(InFlightDiagnostic &diag) {
    if (!isWarning && !howToAllow.empty())
      diag.attachNote(function.getLoc()) << howToAllow;
  }
  std::string describeReason(const TileClass &tileClass);
  std::string describeTile(const TileClass &tileClass);

  func::FuncOp function;
  const MemoryProblem &problem;
  const MemoryPlan &plan;
  bool isWarning;
  StringRef howToAllow;
};
} // namespace

static void listBytes(Diagnostic &note, const MemoryBytes &bytes,
                      function_ref<bool(const MemoryCategoryInfo &)> lists) {
  StringRef separator = "";
  for (unsigned i = 0; i < kNumMemoryCategories; ++i) {
    const MemoryCategoryInfo &info =
        getMemoryCategoryInfo(static_cast<MemoryCategory>(i));
    if (bytes.bytes[i] == 0 || !lists(info))
      continue;
    note << separator << info.name << ' ' << bytes.bytes[i];
    separator = ", ";
  }
}

void Reporter::noteCategories(InFlightDiagnostic &diag,
                              const TileClass &tileClass, bool onlyCode) {
  Diagnostic &note = diag.attachNote(function.getLoc());
  note << "bytes of tile " << tileClass.getFirstTile() << ": ";
  listBytes(note, tileClass.categories, [&](const MemoryCategoryInfo &info) {
    return info.isCode || !onlyCode;
  });
}

namespace {
/// Code of ops that were one when the user wrote it.
struct CodeGroup {
  Operation *first = nullptr;
  MemoryBytes bytes;
  int64_t pieces = 0;
};
} // namespace

/// The ops of a program that make most code, by where users wrote them: those
/// that an op became have its location.
void Reporter::noteCode(InFlightDiagnostic &diag, const TileClass &tileClass) {
  // Codelets have the location of one of many users.
  llvm::MapVector<std::pair<const void *, unsigned>, CodeGroup> groups;
  for (const CodePart &part :
       getCodeParts(function, tileClass.getFirstTile())) {
    CodeGroup &group = groups[{part.op->getLoc().getAsOpaquePointer(),
                               isa<CodeletOp>(part.op)}];
    if (!group.first)
      group.first = part.op;
    int64_t &bytes = group.bytes[part.category];
    bytes = (Count(bytes) + part.bytes).get();
    group.pieces += part.category == MemoryCategory::VertexCode ? 0 : 1;
  }
  SmallVector<std::pair<int64_t, const CodeGroup *>> largest;
  for (const CodeGroup &group : llvm::make_second_range(groups))
    largest.emplace_back(group.bytes.getTotal(), &group);
  // Groups are in order of what made them, and so in memory.
  llvm::sort(largest, [](const auto &a, const auto &b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  for (auto [bytes, largestGroup] : ArrayRef(largest).take_front(kLargest)) {
    const CodeGroup &group = *largestGroup;
    Diagnostic &note = diag.attachNote(group.first->getLoc());
    if (auto codelet = dyn_cast<CodeletOp>(group.first)) {
      note << "codelet @" << codelet.getSymName() << " takes " << bytes
           << " bytes of code";
      continue;
    }
    note << '"' << cast<StepOpInterface>(group.first).getStepName() << "\" ('"
         << group.first->getName() << "')";
    if (group.pieces > 1)
      note << " and " << group.pieces - 1 << " more "
           << (group.pieces == 2 ? "step" : "steps") << " at the same location";
    StringRef separator = group.pieces > 1 ? " take " : " takes ";
    for (unsigned i = 0; i < kNumMemoryCategories; ++i) {
      if (group.bytes.bytes[i] == 0)
        continue;
      note << separator << group.bytes.bytes[i] << " bytes of "
           << getMemoryCategoryInfo(static_cast<MemoryCategory>(i)).name;
      separator = ", ";
    }
  }
}

/// Which code there is most of.
static StringRef describeCode(const MemoryBytes &bytes) {
  int64_t vertices = bytes[MemoryCategory::VertexCode];
  int64_t exchanges = bytes[MemoryCategory::ExchangeCode];
  int64_t control = bytes[MemoryCategory::ControlCode];
  if (control >= std::max(vertices, exchanges))
    return "most of the code is for the sequence of steps (control_code)";
  return exchanges >= vertices
             ? "most of the code is for exchanges (exchange_code)"
             : "most of the code is in codelets (vertex_code)";
}

/// Whether code takes more than data do.
static bool isMostlyCode(const MemoryBytes &bytes) {
  Count code, data;
  for (unsigned i = 0; i < kNumMemoryCategories; ++i) {
    auto category = static_cast<MemoryCategory>(i);
    if (category != MemoryCategory::Stack)
      (getMemoryCategoryInfo(category).isCode ? code : data) += bytes[category];
  }
  return code.get() > data.get();
}

/// Names the first tile of `tileClass` and, if a replica has several IPUs, its
/// IPU.
std::string Reporter::describeTile(const TileClass &tileClass) {
  TargetModel target = getTargetModel(function->getParentOfType<ModuleOp>());
  int64_t tile = tileClass.getFirstTile();
  std::string text = ("tile " + Twine(tile)).str();
  if (target.ipus > 1)
    text += (" of IPU " + Twine(tile / target.tiles)).str();
  return text;
}

void Reporter::reportCode(const TileClass &tileClass) {
  int64_t code = tileClass.codeBytes;
  InFlightDiagnostic diag = emit(function);
  diag << "program has too much code: " << describeTile(tileClass) << " needs "
       << code << " bytes, " << code - problem.codeMemory << " more than the "
       << problem.codeMemory << " bytes from which instructions can be fetched";
  noteCategories(diag, tileClass, /*onlyCode=*/true);
  noteCode(diag, tileClass);
  diag.attachNote(function.getLoc()) << describeCode(tileClass.categories);
  noteHowToAllow(diag);
}

/// What there is most of, as far as that is the reason.
std::string Reporter::describeReason(const TileClass &tileClass) {
  int64_t over = tileClass.highWater - problem.tileMemory;
  Count copies, buffers;
  auto live = getLargestAtPeak(problem, tileClass, problem.variables.size());
  for (auto [number, bytes] : live) {
    const MemoryVariable &variable = problem.variables[number];
    auto op = dyn_cast_or_null<VarOp>(variable.op);
    copies += op && op.getCopies() ? bytes : 0;
    buffers += variable.buffer ? bytes : 0;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t mean = plan.getSum().getTotal() / problem.numTiles;
  int64_t always = tileClass.categories[MemoryCategory::AlwaysLive];
  if (tileClass.lowerBound <= problem.tileMemory)
    os << "the program would fit without gaps, with " << tileClass.lowerBound
       << " bytes";
  else if (copies.get() >= over)
    os << "copies of operands take " << copies.get() << " of these bytes";
  else if (!live.empty() && problem.variables[live.front().first].buffer)
    os << "code in buffers takes " << buffers.get() << " of these bytes";
  else if (isMostlyCode(tileClass.categories))
    os << describeCode(tileClass.categories);
  else if (mean > problem.tileMemory && always >= tileClass.highWater / 2)
    os << "variables that are always live take " << always << " of these bytes";
  else
    os << "tiles hold " << mean << " bytes on average";
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
  diag << "program does not fit: " << describeTile(tileClass) << " needs "
       << tileClass.highWater << " bytes at step " << tileClass.peakStep;
  if (hasStep)
    diag << " ('" << at->getName() << "')";
  diag << ", " << tileClass.highWater - problem.tileMemory << " more than its "
       << problem.tileMemory;
  if (tiles > 1)
    diag << " (" << tiles << " tiles have too little memory)";
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
    SmallVector<StepRange, 1> ranges = variable.getRanges();
    auto isOneStep = [](StepRange range) {
      return range.second - range.first == 1;
    };
    note << (ranges.size() == 1 && isOneStep(ranges.front()) ? " in step "
                                                             : " in steps ");
    llvm::interleaveComma(ranges, note, [&](StepRange range) {
      note << range.first;
      if (!isOneStep(range))
        note << " to " << range.second - 1;
    });
  }
  if (isMostlyCode(tileClass.categories))
    noteCode(diag, tileClass);
  diag.attachNote(function.getLoc()) << describeReason(tileClass);
  noteHowToAllow(diag);
}

LogicalResult mlir::ipu::checkMemory(func::FuncOp function,
                                     const MemoryProblem &problem,
                                     const MemoryPlan &plan,
                                     bool allowOutOfMemory,
                                     StringRef howToAllow) {
  if (fits(problem, plan))
    return success();
  Reporter reporter(function, problem, plan, allowOutOfMemory, howToAllow);
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
