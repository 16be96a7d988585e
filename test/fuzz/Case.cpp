//===- Case.cpp - A random program with a random schedule -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each request is either accepted or refused. If it is accepted, the schedule
// must be legal, have a nest and be the same when read again. If it is refused,
// a diagnostic must name a tensor, and nothing may have changed.
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/LowerToLoops.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::fuzz;

namespace {
/// Keeps what is reported, notes included, instead of printing it.
class Reported {
public:
  explicit Reported(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            add(diagnostic);
          return success();
        }) {}

  std::string text;

private:
  void add(Diagnostic &diagnostic) {
    text += (text.empty() ? "" : "\n  ") + diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      text += "\n    " + note.str();
  }

  ScopedDiagnosticHandler handler;
};
} // namespace

static std::string format(const FusionSchedule &fusion) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printSchedule(fusion, os);
  return text;
}

static SmallVector<FusionOp> getFusions(func::FuncOp function) {
  SmallVector<FusionOp> fusions;
  function.walk([&](FusionOp op) { fusions.push_back(op); });
  return fusions;
}

void Case::makeFunctions(ModuleOp module, ModuleOp references) {
  program = makeProgram(module, "fused" + std::to_string(seed), random);
  reference = program.function.clone();
  reference.setName("reference" + std::to_string(seed));
  references.push_back(reference);
  for (Type type : reference.getResultTypes())
    ranks.push_back(cast<ShapedType>(type).getRank());
}

void Case::erase() {
  program.function.erase();
  reference.erase();
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

void Case::schedule(Statistics &statistics) {
  formed = program.function.clone();
  ++statistics.programs;
  for (FusionOp op : getFusions(program.function)) {
    ++statistics.fusions;
    for (Operation &inner : op.getBody().front())
      statistics.tensors += isScheduleTensor(&inner);
  }
  unsigned count = random.pick(2, 12);
  for (unsigned i = 0; i < count && !hasFailed(); ++i)
    ask(statistics);
  if (!hasFailed())
    lower(statistics);
}

void Case::ask(Statistics &statistics) {
  SmallVector<FusionOp> fusions = getFusions(program.function);
  if (fusions.empty())
    return;
  // The largest one more often.
  FusionOp op = fusions[random.pick(unsigned(fusions.size()))];
  if (random.chance(75))
    for (FusionOp other : fusions)
      if (other.getBody().front().getOperations().size() >
          op.getBody().front().getOperations().size())
        op = other;
  Reported reported(op.getContext());
  FailureOr<FusionSchedule> fusion = FusionSchedule::read(op);
  if (failed(fusion))
    return fail("fusion cannot be read: " + reported.text);
  std::string textBefore = format(*fusion);
  const Schedule before = fusion->schedule;
  Request request = pickRequest(before, random);
  script.push_back(request);
  Statistics::Count &count = statistics.kinds[unsigned(request.kind)];
  ++count.asked;
  LogicalResult result =
      apply(request, *fusion, [&] { return emitError(op.getLoc()); });
  if (succeeded(result)) {
    if (!reported.text.empty())
      return fail("accepted, but reported: " + reported.text);
    return checkAccepted(request, before, op, format(*fusion), count);
  }
  FailureOr<FusionSchedule> after = FusionSchedule::read(op);
  if (failed(after) || format(*after) != textBefore)
    return fail("refused, but changed: " + reported.text);
  checkRefused(request, before, reported.text, count);
}

void Case::checkAccepted(const Request &request, const Schedule &before,
                         FusionOp op, const std::string &text,
                         Statistics::Count &count) {
  ++count.accepted;
  Reported reported(op.getContext());
  FailureOr<FusionSchedule> after = FusionSchedule::read(op);
  if (failed(after) || failed(mlir::verify(op)))
    return fail("cannot be read after it was accepted: " + reported.text);
  if (format(*after) != text)
    return fail("reads as\n" + format(*after) + "but was written as\n" + text);
  const Schedule &schedule = after->schedule;
  LoopClasses classes = LoopClasses::build(schedule);
  if (MaybeViolation violation = verifyLegality(schedule, classes))
    return fail("accepted, but not legal: " + violation->text);
  LoopNest nest;
  if (MaybeViolation violation = buildLoopNest(schedule, classes, nest))
    return fail("legal, but no nest: " + violation->text);
  std::optional<bool> allowed = true;
  if (request.kind == Request::Kind::MostInlined ||
      request.kind == Request::Kind::InlineMost ||
      request.kind < Request::Kind::ComputeAt)
    allowed = isAllowed(before, request);
  if (!allowed || !*allowed)
    return;
  ++count.allowed;
  count.fulfilled += isFulfilled(before, schedule, request);
}

void Case::checkRefused(const Request &request, const Schedule &before,
                        StringRef diagnostic, Statistics::Count &count) {
  // Another tensor may be in the way, or the clone of one.
  bool isNamed = diagnostic.contains("'" + request.tensor + ".clone");
  for (TensorId t = 0; t < before.getNumTensors(); ++t)
    isNamed |= diagnostic.contains("'" + before.getTensor(t).name + "'");
  if (!isNamed)
    return fail("refused, but no tensor is named: " + diagnostic.str());
  script.pop_back();
  std::optional<bool> allowed = isAllowed(before, request);
  count.allowed += allowed && *allowed;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Whether the elements of each reduction are taken in the order of the
/// program.
static bool hasProgramOrder(const Schedule &schedule) {
  for (TensorId t = 0; t < schedule.getNumTensors(); ++t) {
    const Tensor &tensor = schedule.getTensor(t);
    SmallVector<AxisId> order, loops;
    for (AxisId axis : tensor.root)
      if (schedule.getAxis(axis).isReduction())
        order.push_back(axis);
    for (ExprId id : schedule.getHistory(tensor.loop)) {
      const AxisExpr &expr = schedule.getExpr(id);
      auto it = llvm::find(order, expr.inputs.front());
      if (it == order.end())
        continue;
      for (AxisId input : expr.inputs) {
        if (it == order.end() || *it != input)
          return false;
        it = order.erase(it);
      }
      order.insert(it, expr.outputs.begin(), expr.outputs.end());
    }
    for (AxisId axis : tensor.loop) {
      if (!schedule.getAxis(axis).isReduction())
        continue;
      loops.push_back(axis);
      if (schedule.getAxis(axis).loopType == LoopType::Vectorize)
        return false;
    }
    if (loops != order)
      return false;
  }
  return true;
}

/// Makes all loops serial. Whether some were not.
bool Case::dropLoopTypes() {
  bool any = false;
  for (FusionOp op : getFusions(program.function)) {
    FusionSchedule fusion = *FusionSchedule::read(op);
    for (AxisId axis = 0; axis < fusion.schedule.getNumAxes(); ++axis) {
      LoopType &type = fusion.schedule.getAxis(axis).loopType;
      any |= type != LoopType::Serial;
      type = LoopType::Serial;
    }
    fusion.write();
  }
  return any;
}

/// Replaces the function by one with loops.
bool Case::tryLower(std::string &diagnostic) {
  Reported reported(program.function.getContext());
  func::FuncOp lowered = program.function.clone();
  LowerToLoopsOptions options;
  options.affine = isAffine;
  options.peel = isPeeled;
  options.identityLayout = isAffine != isPeeled;
  for (FusionOp op : getFusions(lowered)) {
    keepsOrder &= hasProgramOrder(FusionSchedule::read(op)->schedule) &&
                  llvm::none_of(script, [](const Request &request) {
                    return request.kind == Request::Kind::RFactor;
                  });
    if (succeeded(lowerToLoops(op, options)))
      continue;
    diagnostic = reported.text;
    lowered.erase();
    return false;
  }
  if (failed(mlir::verify(lowered)))
    fail("loops are not valid: " + reported.text);
  program.function->getBlock()->push_back(lowered);
  program.function.erase();
  program.function = lowered;
  return true;
}

void Case::lower(Statistics &statistics) {
  isAffine = random.chance(70);
  isPeeled = random.chance(75);
  std::string diagnostic;
  if (tryLower(diagnostic))
    return;
  if (diagnostic.find('\'') == std::string::npos)
    return fail("does not lower, and no tensor is named: " + diagnostic);
  ++statistics.refusedTypes;
  keepsOrder = true;
  if (!dropLoopTypes())
    return fail("legal, but does not lower: " + diagnostic);
  if (!tryLower(diagnostic))
    fail("legal, but does not lower without loop types: " + diagnostic);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

std::vector<Buffer> Case::makeArguments() {
  std::vector<Buffer> arguments;
  bool isWide = random.chance(20);
  for (ArrayRef<int64_t> shape : program.argumentShapes) {
    Buffer &buffer = arguments.emplace_back();
    buffer.shape.assign(shape.begin(), shape.end());
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    for (int64_t i = 0; i < count; ++i) {
      int64_t small = random.pick(-4, 4);
      float real = float(random.pick(-1024, 1024)) / 1024.0f * 0.999f;
      uint32_t bits = 0;
      if (program.elements == Elements::Int)
        bits = isWide ? uint32_t(random.pick(0, UINT32_MAX)) : uint32_t(small);
      else
        bits = llvm::bit_cast<uint32_t>(
            program.elements == Elements::Exact ? float(small) : real);
      buffer.elements.push_back(bits);
    }
  }
  return arguments;
}

bool Case::isEqual(uint32_t bits, uint32_t other, double tolerance) const {
  if (bits == other)
    return true;
  if (program.elements == Elements::Int)
    return false;
  float a = llvm::bit_cast<float>(bits), b = llvm::bit_cast<float>(other);
  return program.elements == Elements::Real && !keepsOrder
             ? std::abs(double(a) - double(b)) <= tolerance
             : a == b;
}

void Case::run(const Batch &batch, Statistics &statistics) {
  std::vector<Buffer> arguments = makeArguments(), expected, actual;
  // No number of f32, or one that is out of the way.
  char undefined = program.elements == Elements::Int ? 0x5B : 0xFF;
  std::string number = std::to_string(seed);
  std::string error =
      batch.run("reference" + number, arguments, ranks, undefined, expected);
  if (!error.empty())
    return fail("reference " + error);
  error = batch.run("fused" + number, arguments, ranks, undefined, actual);
  if (!error.empty())
    return fail(error);
  if (program.isOrdered && !keepsOrder)
    return;
  ++(program.elements == Elements::Real && !keepsOrder ? statistics.close
                                                       : statistics.exact);
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].shape != actual[i].shape)
      return fail(llvm::formatv("result {0} has another shape", i));
    for (size_t j = 0; j < expected[i].elements.size(); ++j) {
      uint32_t is = actual[i].elements[j], wanted = expected[i].elements[j];
      if (isEqual(is, wanted, program.tolerances[i]))
        continue;
      return fail(
          program.elements == Elements::Int
              ? llvm::formatv("element {0} of result {1} is {2}, not {3}", j, i,
                              int32_t(is), int32_t(wanted))
                    .str()
              : llvm::formatv("element {0} of result {1} is {2:e}, not {3:e} "
                              "(tolerance {4:e})",
                              j, i, llvm::bit_cast<float>(is),
                              llvm::bit_cast<float>(wanted),
                              program.tolerances[i])
                    .str());
    }
  }
}

//===----------------------------------------------------------------------===//
// Reproducing
//===----------------------------------------------------------------------===//

std::string Case::getReproducer() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// RUN: ipu-opt %s --transform-interpreter --fuse-to-loops='loops="
     << (isAffine ? "affine" : "scf") << " peel=" << isPeeled << "'\n";
  if (!formed)
    return text;
  OpBuilder builder(formed.get()->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  module.get()->setAttr("transform.with_named_sequence", builder.getUnitAttr());
  module->push_back(formed.get().clone());
  module.get().print(os);
  text.erase(text.rfind('}'));
  os << "  transform.named_sequence @__transform_main(%m: "
        "!transform.any_op) {\n";
  for (auto [number, request] : llvm::enumerate(script))
    os << getScript(request, number);
  os << "    transform.yield\n  }\n}\n";
  return text;
}
