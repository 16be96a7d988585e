//===- FuseAttrs.cpp - #fuse.schedule ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

#include "ipu-mlir/Dialect/Fuse/IR/FuseEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/Fuse/IR/FuseAttrs.cpp.inc"

void FuseDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ipu-mlir/Dialect/Fuse/IR/FuseAttrs.cpp.inc"
      >();
}

llvm::hash_code fuse::hash_value(const ScheduleStep &step) {
  return llvm::hash_combine(step.kind, step.numbers);
}

ArrayRef<ScheduleStep> fuse::copySteps(AttributeStorageAllocator &allocator,
                                       ArrayRef<ScheduleStep> steps) {
  SmallVector<ScheduleStep> copies;
  for (const ScheduleStep &step : steps)
    copies.push_back({step.kind, allocator.copyInto(step.numbers)});
  return allocator.copyInto(ArrayRef<ScheduleStep>(copies));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// What stands in the parentheses of a step, as numbers.
static ParseResult parseNumbers(AsmParser &parser, StepKind kind,
                                SmallVectorImpl<int64_t> &numbers) {
  auto parseNumber = [&]() {
    return parser.parseInteger(numbers.emplace_back());
  };
  if (kind != StepKind::Split && kind != StepKind::Type)
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                          parseNumber);

  if (parser.parseLParen() || parseNumber() || parser.parseComma())
    return failure();
  if (kind == StepKind::Split && (parseNumber() || parser.parseComma()))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (kind == StepKind::Split) {
    if (word != "inner" && word != "outer")
      return parser.emitError(loc)
             << "expects 'inner' or 'outer' but got '" << word << "'";
    numbers.push_back(word == "inner");
  } else {
    std::optional<LoopType> type = symbolizeLoopType(word);
    if (!type || *type == LoopType::Serial)
      return parser.emitError(loc) << "expects 'parallel', 'vectorize' or "
                                      "'unroll' but got '"
                                   << word << "'";
    numbers.push_back(static_cast<int64_t>(*type));
  }
  return parser.parseRParen();
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringAttr> names;
  auto parseName = [&]() {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseName))
    return {};

  // Steps first: positions count the loops after all of them.
  SmallVector<std::pair<StepKind, SmallVector<int64_t, 4>>> parsed;
  std::optional<int64_t> computeAt, computeWith;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc stepLoc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return {};
    if (word == "ca" || word == "with") {
      std::optional<int64_t> &position = word == "ca" ? computeAt : computeWith;
      if (position || (word == "ca" && computeWith)) {
        parser.emitError(stepLoc) << "expects 'ca' and 'with' at most once "
                                     "each, in this order, but got '"
                                  << word << "'";
        return {};
      }
      if (parser.parseEqual() || parser.parseInteger(position.emplace()))
        return {};
      continue;
    }
    std::optional<StepKind> kind = symbolizeStepKind(word);
    if (!kind) {
      parser.emitError(stepLoc)
          << "expects a step, 'ca' or 'with' but got '" << word << "'";
      return {};
    }
    if (computeAt || computeWith) {
      parser.emitError(stepLoc)
          << "expects step '" << word << "' before 'ca' and 'with'";
      return {};
    }
    if (parseNumbers(
            parser, *kind,
            parsed.emplace_back(*kind, SmallVector<int64_t, 4>()).second))
      return {};
  }
  if (parser.parseGreater())
    return {};

  SmallVector<ScheduleStep> steps;
  for (const auto &[kind, numbers] : parsed)
    steps.push_back({kind, numbers});
  return ScheduleAttr::getChecked([&]() { return parser.emitError(loc); },
                                  parser.getContext(), names, steps,
                                  computeAt.value_or(0), computeWith);
}

static void printStep(AsmPrinter &printer, const ScheduleStep &step) {
  ArrayRef<int64_t> numbers = step.numbers;
  printer << stringifyStepKind(step.kind) << "(";
  switch (step.kind) {
  case StepKind::Split:
    printer << numbers[0] << ", " << numbers[1] << ", "
            << (numbers[2] ? "inner" : "outer");
    break;
  case StepKind::Type:
    printer << numbers[0] << ", "
            << stringifyLoopType(static_cast<LoopType>(numbers[1]));
    break;
  default:
    llvm::interleaveComma(numbers, printer.getStream());
  }
  printer << ")";
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getNames(), printer.getStream(), [&](StringAttr name) {
    printer.printKeywordOrString(name);
  });
  printer << "]";
  for (const ScheduleStep &step : getSteps()) {
    printer << ", ";
    printStep(printer, step);
  }
  if (getComputeAt())
    printer << ", ca = " << getComputeAt();
  if (getComputeWith())
    printer << ", with = " << *getComputeWith();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// Runs the steps on a list of which only the kind of each loop is known.
class StepChecker {
public:
  using EmitErrorFn = function_ref<InFlightDiagnostic()>;

  /// `kinds`: which loops are reductions; none: not known.
  StepChecker(EmitErrorFn emitError, int64_t numLoops,
              std::optional<ArrayRef<bool>> kinds)
      : emitError(emitError), isKnown(kinds.has_value()) {
    if (kinds)
      isReduction.assign(kinds->begin(), kinds->end());
    else
      isReduction.assign(numLoops, false);
  }

  LogicalResult run(ArrayRef<ScheduleStep> steps) {
    for (const ScheduleStep &step : steps)
      if (failed(run(step)))
        return failure();
    return success();
  }
  int64_t getNumLoops() const { return isReduction.size(); }

private:
  LogicalResult run(const ScheduleStep &step) {
    switch (step.kind) {
    case StepKind::Split:
      return split(step.numbers);
    case StepKind::Merge:
      return merge(step.numbers);
    case StepKind::Reorder:
      return reorder(step.numbers);
    case StepKind::RFactor:
      return rfactor(step.numbers);
    case StepKind::Type:
      return checkCount(step, 2) && checkAxis(step, step.numbers[0])
                 ? success()
                 : failure();
    }
    llvm_unreachable("unknown kind of step");
  }

  bool checkCount(const ScheduleStep &step, size_t count) {
    if (step.numbers.size() == count)
      return true;
    emitError() << "step '" << stringifyStepKind(step.kind) << "' expects "
                << count << " numbers but got " << step.numbers.size();
    return false;
  }
  bool checkAxis(const ScheduleStep &step, int64_t axis) {
    if (axis >= 0 && axis < getNumLoops())
      return true;
    emitError() << "step '" << stringifyStepKind(step.kind)
                << "' expects an axis below " << getNumLoops() << " but got "
                << axis;
    return false;
  }

  LogicalResult split(ArrayRef<int64_t> numbers) {
    ScheduleStep step{StepKind::Split, numbers};
    if (!checkCount(step, 3) || !checkAxis(step, numbers[0]))
      return failure();
    if (numbers[1] < 1)
      return emitError()
             << "step 'split' expects a factor of at least 1 but got "
             << numbers[1];
    if (numbers[1] > kMaxSplitFactor)
      return emitError() << "step 'split' expects a factor of at most "
                         << kMaxSplitFactor << " but got " << numbers[1];
    if (getNumLoops() >= kMaxLoops)
      return emitError() << "expects at most " << kMaxLoops
                         << " loops but step 'split' makes more";
    isReduction.insert(isReduction.begin() + numbers[0],
                       isReduction[numbers[0]]);
    return success();
  }

  LogicalResult merge(ArrayRef<int64_t> numbers) {
    ScheduleStep step{StepKind::Merge, numbers};
    if (!checkCount(step, 2) || !checkAxis(step, numbers[0]) ||
        !checkAxis(step, numbers[1]))
      return failure();
    if (numbers[0] == numbers[1])
      return emitError()
             << "step 'merge' expects two different axes but got axis "
             << numbers[0] << " twice";
    if (isReduction[numbers[0]] != isReduction[numbers[1]])
      return emitError() << "step 'merge' expects two reductions or none but "
                            "axis "
                         << numbers[isReduction[numbers[0]] ? 0 : 1]
                         << " is a reduction and axis "
                         << numbers[isReduction[numbers[0]] ? 1 : 0]
                         << " is not";
    isReduction.erase(isReduction.begin() + numbers[1]);
    return success();
  }

  LogicalResult reorder(ArrayRef<int64_t> numbers) {
    SmallVector<bool> result, seen(getNumLoops(), false);
    bool isPermutation = static_cast<int64_t>(numbers.size()) == getNumLoops();
    for (int64_t axis : numbers) {
      isPermutation &= axis >= 0 && axis < getNumLoops() && !seen[axis];
      if (!isPermutation)
        break;
      seen[axis] = true;
      result.push_back(isReduction[axis]);
    }
    if (!isPermutation)
      return emitError() << "step 'reorder' expects a permutation of "
                         << getNumLoops() << " loops but got (" << numbers
                         << ")";
    isReduction.assign(result.begin(), result.end());
    return success();
  }

  LogicalResult rfactor(ArrayRef<int64_t> numbers) {
    if (hasRFactor)
      return emitError() << "expects at most one step 'rfactor'";
    hasRFactor = true;
    if (numbers.empty())
      return emitError() << "step 'rfactor' expects at least one axis";
    for (int64_t axis : numbers) {
      if (!checkAxis({StepKind::RFactor, numbers}, axis))
        return failure();
      if (llvm::count(numbers, axis) > 1)
        return emitError()
               << "step 'rfactor' expects each axis once but got axis " << axis
               << " twice";
      if (isKnown && !isReduction[axis])
        return emitError() << "step 'rfactor' expects reductions but axis "
                           << axis << " is not a reduction";
      isReduction[axis] = false;
    }
    if (isKnown && !llvm::is_contained(isReduction, true))
      return emitError() << "step 'rfactor' expects at least one reduction "
                            "that it does not list but lists all reductions";
    return success();
  }

  EmitErrorFn emitError;
  bool isKnown;
  bool hasRFactor = false;
  std::vector<bool> isReduction;
};
} // namespace

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<StringAttr> names,
                                   ArrayRef<ScheduleStep> steps,
                                   int64_t computeAt,
                                   std::optional<int64_t> computeWith) {
  // c2
  StepChecker checker(emitError, names.size(), std::nullopt);
  if (failed(checker.run(steps)))
    return failure();
  // c3
  int64_t numLoops = checker.getNumLoops();
  for (int64_t position : {computeAt, computeWith.value_or(0)})
    if (position < 0 || position > numLoops)
      return emitError() << "expects positions from 0 to " << numLoops
                         << ", the number of loops, but got " << position;
  if (computeWith && *computeWith < computeAt)
    return emitError()
           << "expects 'with' to be at least the position 'ca', which is "
           << computeAt << ", but got " << *computeWith;
  return success();
}

LogicalResult
ScheduleAttr::verifyFor(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<bool> isReduction) const {
  // c1
  if (getNames().size() != isReduction.size())
    return emitError() << "expects " << isReduction.size()
                       << " names, one per loop of the op, but got "
                       << getNames().size();
  // c2, c5
  return StepChecker(emitError, isReduction.size(), isReduction)
      .run(getSteps());
}

int64_t ScheduleAttr::getNumLoops() const {
  int64_t numLoops = getNames().size();
  for (const ScheduleStep &step : getSteps())
    numLoops += (step.kind == StepKind::Split) - (step.kind == StepKind::Merge);
  return numLoops;
}
