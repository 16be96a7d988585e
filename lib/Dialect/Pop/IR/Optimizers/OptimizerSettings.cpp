//===- OptimizerSettings.cpp - Settings of optimizers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopOptimizerSettings.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::pop;

#include "ipu-mlir/Dialect/Pop/IR/PopOptimizerEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// The settings of each kind
//===----------------------------------------------------------------------===//

/// A set of kinds, a bit for each.
using Kinds = unsigned;

static constexpr Kinds of(OptimizerKind kind) { return 1U << unsigned(kind); }
static constexpr Kinds kVelocity =
    of(OptimizerKind::SGD1) | of(OptimizerKind::SGD2);
static constexpr Kinds kSGD = of(OptimizerKind::SGD0) | kVelocity;
static constexpr Kinds kLamb =
    of(OptimizerKind::Lamb) | of(OptimizerKind::LambNoBias);
static constexpr Kinds kAdam = of(OptimizerKind::Adam) |
                               of(OptimizerKind::AdamNoBias) |
                               of(OptimizerKind::AdaMax) | kLamb;
static constexpr Kinds kDelta = of(OptimizerKind::AdaDelta);
static constexpr Kinds kAveraged =
    of(OptimizerKind::RMSProp) | of(OptimizerKind::CenteredRMSProp) | kDelta;
static constexpr Kinds kAdaptive = of(OptimizerKind::AdaGrad) | kAveraged;
static constexpr Kinds kAll = kSGD | kAdam | kAdaptive;

namespace {
enum class SettingType { Number, Flag, Decay, FloatType };

/// A setting of the optimizers of `kinds`. The range of a number is from
/// `least`, without it if `isAbove`, to `limit`, without it if `isBelow`.
struct Setting {
  StringLiteral name;
  Kinds kinds;
  SettingType type;
  double fallback = 0;
  double least = 0;
  bool isAbove = false;
  double limit = std::numeric_limits<double>::infinity();
  bool isBelow = true;
};
} // namespace

/// A setting that several kinds have with different defaults has a row for
/// each.
static const Setting kSettings[] = {
    {"lr", kSGD, SettingType::Number, 0.1},
    {"lr", kDelta, SettingType::Number, 1.0},
    {"lr", kAll, SettingType::Number, 1e-3},
    {"loss_scale", kAll, SettingType::Number, 1.0, 0, /*isAbove=*/true},
    {"weight_decay", kAll, SettingType::Number},
    {"decay", kAdam | kAdaptive, SettingType::Decay},
    {"momentum", kVelocity | kAdaptive, SettingType::Number, 0, 0, false, 1.0},
    {"dampening", kSGD, SettingType::Number, 0, 0, false, 1.0,
     /*isBelow=*/false},
    {"velocity_scaling", kVelocity, SettingType::Number, 1.0, 0,
     /*isAbove=*/true},
    {"nesterov", kVelocity, SettingType::Flag},
    {"beta1", kAdam, SettingType::Number, 0.9, 0, false, 1.0},
    {"beta2", kAdam, SettingType::Number, 0.999, 0, false, 1.0},
    {"eps", kDelta, SettingType::Number, 1e-6, 0, /*isAbove=*/true},
    {"eps", kAdam | kAdaptive, SettingType::Number, 1e-8, 0, /*isAbove=*/true},
    {"max_weight_norm", kLamb, SettingType::Number, 65504.0},
    {"alpha", kDelta, SettingType::Number, 0.9, 0, false, 1.0},
    {"alpha", kAveraged, SettingType::Number, 0.99, 0, false, 1.0},
    {"tensorflow", kAdaptive, SettingType::Flag},
    {"accumulator", kAll, SettingType::FloatType},
    {"state", kAll, SettingType::FloatType},
    {"master", kAll, SettingType::Flag},
};

static const Setting *findSetting(OptimizerKind kind, StringRef name) {
  const auto *setting = llvm::find_if(kSettings, [&](const Setting &setting) {
    return setting.name == name && (setting.kinds & of(kind)) != 0;
  });
  return setting == std::end(kSettings) ? nullptr : setting;
}

//===----------------------------------------------------------------------===//
// OptimizerAttr
//===----------------------------------------------------------------------===//

/// A keyword, a type, a number or an attribute.
static ParseResult parseSetting(AsmParser &parser, Attribute &value) {
  SMLoc loc = parser.getCurrentLocation();
  Builder &b = parser.getBuilder();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword,
                                            {"operand", "l2", "decoupled"}))) {
    value = keyword == "operand" ? Attribute(b.getUnitAttr())
                                 : b.getStringAttr(keyword);
    return success();
  }
  if (parser.parseAttribute(value))
    return failure();
  if (auto integer = dyn_cast<IntegerAttr>(value);
      integer && integer.getType().isSignlessInteger(64))
    value = b.getF64FloatAttr(double(integer.getInt()));
  if (isa<BoolAttr, FlatSymbolRefAttr, ScheduleAttr, TypeAttr>(value))
    return success();
  auto number = dyn_cast<FloatAttr>(value);
  if (number && number.getType().isF64())
    return success();
  return parser.emitError(loc) << "expects a number, a flag, a type, "
                                  "'@stream', '#pop.schedule<...>', "
                                  "'operand', 'l2' or 'decoupled' but got "
                               << value;
}

ParseResult mlir::pop::parseOptimizerSettings(AsmParser &parser,
                                              DictionaryAttr &settings) {
  NamedAttrList list;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    std::string name;
    Attribute value;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parseSetting(parser, value))
      return failure();
    // c1
    if (list.get(name))
      return parser.emitError(loc) << "has setting '" << name << "' twice";
    list.append(name, value);
  }
  settings = list.getDictionary(parser.getContext());
  return success();
}

void mlir::pop::printOptimizerSettings(AsmPrinter &printer,
                                       DictionaryAttr settings) {
  for (NamedAttribute setting : settings) {
    printer << ", " << setting.getName().getValue() << " = ";
    if (isa<UnitAttr>(setting.getValue()))
      printer << "operand";
    else if (auto keyword = dyn_cast<StringAttr>(setting.getValue()))
      printer << keyword.getValue();
    else if (auto number = dyn_cast<FloatAttr>(setting.getValue()))
      printer.printFloat(number.getValue());
    else
      printer << setting.getValue();
  }
}

/// Whether f32, in which optimizers compute, has the number: it is not rounded
/// to an infinity or to 0.
static bool isInRangeOfF32(FloatAttr number) {
  double value = number.getValueAsDouble();
  auto rounded = static_cast<float>(value);
  return std::isfinite(rounded) && (rounded != 0.0F || value == 0.0);
}

static bool isInRange(const Setting &setting, double value) {
  return (setting.isAbove ? value > setting.least : value >= setting.least) &&
         (setting.isBelow ? value < setting.limit : value <= setting.limit);
}

/// Whether the values of `schedule`, which are between these, are in the range
/// of `setting`.
static bool isInRange(const Setting &setting, ScheduleAttr schedule) {
  double initial = schedule.getInitial().getValueAsDouble();
  if (FloatAttr factor = schedule.getFactor();
      factor && !isInRange(setting, initial * factor.getValueAsDouble()))
    return false;
  FloatAttr final = schedule.getFinal();
  return isInRange(setting, initial) &&
         (!final || isInRange(setting, final.getValueAsDouble()));
}

/// Whether `value` is of the type of `setting`, and in its range.
static bool isValid(const Setting &setting, Attribute value) {
  switch (setting.type) {
  case SettingType::Flag:
    return isa<BoolAttr>(value);
  case SettingType::Decay:
    return isa<StringAttr>(value);
  case SettingType::FloatType: {
    auto type = dyn_cast<TypeAttr>(value);
    return type && type.getValue().isFloat() &&
           isPopElementType(type.getValue());
  }
  case SettingType::Number:
    break;
  }
  if (auto number = dyn_cast<FloatAttr>(value))
    return isInRange(setting, number.getValueAsDouble());
  if (auto schedule = dyn_cast<ScheduleAttr>(value))
    return isInRange(setting, schedule);
  return isa<UnitAttr, FlatSymbolRefAttr>(value);
}

static std::string describe(const Setting &setting) {
  switch (setting.type) {
  case SettingType::Flag:
    return "true or false";
  case SettingType::Decay:
    return "l2 or decoupled";
  case SettingType::FloatType:
    return "a float type";
  case SettingType::Number:
    break;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "a number " << (setting.isAbove ? "above " : "of at least ")
     << int64_t(setting.least);
  if (std::isfinite(setting.limit))
    os << " and " << (setting.isBelow ? "below " : "at most ")
       << int64_t(setting.limit);
  return text;
}

LogicalResult
OptimizerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      OptimizerKind kind, DictionaryAttr settings) {
  for (NamedAttribute attribute : settings) {
    StringRef name = attribute.getName().getValue();
    const Setting *setting = findSetting(kind, name);
    // c1
    if (!setting)
      return emitError() << "expects no setting '" << name
                         << "', because optimizer '"
                         << stringifyOptimizerKind(kind)
                         << "' does not have this setting";
    // c2
    if (!isValid(*setting, attribute.getValue()))
      return emitError() << "expects setting '" << name << "' to be "
                         << describe(*setting) << " but got "
                         << attribute.getValue();
    auto number = dyn_cast<FloatAttr>(attribute.getValue());
    if (number && !isInRangeOfF32(number))
      return emitError() << "expects setting '" << name
                         << "' to be in the range of f32 but got " << number;
  }
  auto isOn = [&](StringRef name) {
    auto flag = settings.getAs<BoolAttr>(name);
    return flag && flag.getValue();
  };
  if (isOn("nesterov") && settings.contains("dampening"))
    return emitError()
           << "expects no setting 'dampening' if 'nesterov' is true";
  return success();
}

Attribute OptimizerAttr::getSetting(StringRef name) const {
  if (Attribute value = getSettings().get(name))
    return value;
  const Setting *setting = findSetting(getKind(), name);
  assert(setting && "the kind has no such setting");
  Builder b(getContext());
  switch (setting->type) {
  case SettingType::Number:
    return b.getF64FloatAttr(setting->fallback);
  case SettingType::Flag:
    return b.getBoolAttr(false);
  case SettingType::Decay:
    return b.getStringAttr("l2");
  case SettingType::FloatType:
    return {};
  }
  llvm_unreachable("unknown type of setting");
}

std::optional<double> OptimizerAttr::getConstant(StringRef name) const {
  auto number = dyn_cast<FloatAttr>(getSetting(name));
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

bool OptimizerAttr::isSet(StringRef name) const {
  return cast<BoolAttr>(getSetting(name)).getValue();
}

bool OptimizerAttr::hasSetting(StringRef name) const {
  return findSetting(getKind(), name) != nullptr;
}

OptimizerAttr OptimizerAttr::withSetting(StringRef name,
                                         Attribute value) const {
  NamedAttrList list(getSettings());
  list.set(name, value);
  return get(getContext(), getKind(), list.getDictionary(getContext()));
}

SmallVector<StringRef> OptimizerAttr::getOperandSettings() const {
  SmallVector<StringRef> names;
  for (NamedAttribute setting : getSettings())
    if (isa<UnitAttr>(setting.getValue()))
      names.push_back(setting.getName().getValue());
  return names;
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ScheduleKind kind, FloatAttr initial,
                                   FloatAttr final, FloatAttr factor,
                                   int64_t steps, int64_t warmup) {
  bool isConstant = kind == ScheduleKind::Constant;
  // c1
  if (isConstant ? steps != 0 : steps < 1)
    return emitError() << "expects 'steps' to be "
                       << (isConstant ? "0" : "at least 1") << " but got "
                       << steps;
  if (warmup < 0)
    return emitError() << "expects 'warmup' to be at least 0 but got "
                       << warmup;
  // c2
  bool isStep = kind == ScheduleKind::Step;
  if (isStep != (factor != nullptr))
    return emitError() << "expects " << (isStep ? "a" : "no")
                       << " 'factor' for '" << stringifyScheduleKind(kind)
                       << "'";
  bool hasFinal = !isConstant && !isStep;
  if (final && !hasFinal)
    return emitError() << "expects no 'final' for '"
                       << stringifyScheduleKind(kind) << "'";
  for (FloatAttr number : {initial, final})
    if (number && !isInRangeOfF32(number))
      return emitError() << "expects numbers in the range of f32 but got "
                         << number;
  double by = factor ? factor.getValueAsDouble() : 1.0;
  if (std::isnan(by) || by < 0 || by > 1)
    return emitError() << "expects 'factor' to be from 0 to 1 but got "
                       << factor;
  return success();
}

//===----------------------------------------------------------------------===//
// AnchorAttr
//===----------------------------------------------------------------------===//

LogicalResult AnchorAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 AnchorKind kind, int64_t interval) {
  // c1
  bool isEveryN = kind == AnchorKind::EveryN;
  if (isEveryN ? interval < 1 : interval != 0)
    return emitError() << "expects " << (isEveryN ? "a positive" : "no")
                       << " interval for '" << stringifyAnchorKind(kind)
                       << "' but got " << interval;
  return success();
}

//===----------------------------------------------------------------------===//
// ClipNormAttr
//===----------------------------------------------------------------------===//

LogicalResult ClipNormAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   FloatAttr maxNorm, ArrayAttr weights) {
  // c1
  APFloat norm = maxNorm.getValue();
  if (norm.isZero() || norm.isNegative() || !isInRangeOfF32(maxNorm))
    return emitError()
           << "expects a norm above 0, in the range of f32, but got "
           << maxNorm;
  // c2
  if (!weights)
    return success();
  if (weights.empty() || !llvm::all_of(weights, llvm::IsaPred<StringAttr>))
    return emitError() << "expects names of weights but got " << weights;
  llvm::SmallPtrSet<Attribute, 8> seen;
  for (Attribute weight : weights)
    if (!seen.insert(weight).second)
      return emitError() << "expects each weight once but got " << weight
                         << " twice";
  return success();
}
