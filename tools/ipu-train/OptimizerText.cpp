//===- OptimizerText.cpp - Optimizers as text -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerText.h"

#include "Options.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

/// Parses an attribute without diagnostics. Sets `message` to the first error.
static Attribute parseQuietly(StringRef text, MLIRContext *context,
                              std::string &message) {
  ScopedDiagnosticHandler collect(context, [&](Diagnostic &diagnostic) {
    // Further errors only name the outer parser that failed.
    if (message.empty())
      message = diagnostic.str();
  });
  return parseAttribute(text, context);
}

/// Splits `text` at commas that are not in brackets or quotes.
static SmallVector<StringRef> splitSettings(StringRef text) {
  SmallVector<StringRef> parts;
  int depth = 0;
  bool isQuoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    isQuoted ^= text[i] == '"';
    if (isQuoted)
      continue;
    depth += StringRef("<([{").contains(text[i]);
    depth -= StringRef(">)]}").contains(text[i]);
    if (text[i] != ',' || depth > 0)
      continue;
    parts.push_back(text.slice(begin, i).trim());
    begin = i + 1;
  }
  parts.push_back(text.substr(begin).trim());
  return parts;
}

static bool isName(StringRef text) {
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, isOfName);
}

/// Describes the syntax error of a setting, `NAME=VALUE`. Returns an empty
/// string if there is no error.
static std::string checkSyntax(StringRef setting, MLIRContext *context) {
  auto [name, value] = setting.split('=');
  name = name.trim();
  value = value.trim();
  if (!isName(name) || value.empty())
    return ("expects SETTING=VALUE but got '" + setting + "'").str();
  std::string message;
  // Keywords are valid values, but not attributes.
  if (value == "operand" || value == "l2" || value == "decoupled" ||
      isa_and_nonnull<BoolAttr, FlatSymbolRefAttr, FloatAttr, IntegerAttr,
                      pop::ScheduleAttr, TypeAttr>(
          parseQuietly(value, context, message)))
    return "";
  // The message of the parser is only useful for schedules, not for numbers.
  if (!value.starts_with("#"))
    message.clear();
  return ("setting '" + name +
          "' expects a number such as 0.5, true, false, l2, decoupled, a float "
          "type or #pop.schedule<KIND,initial=NUMBER,...> but got '" +
          value + (message.empty() ? "'" : "': " + message))
      .str();
}

/// Removes what is before and after the kind and the settings.
static StringRef getInner(StringRef text) {
  text.consume_front(kOptimizerPrefix);
  text.consume_back(kOptimizerSuffix);
  return text;
}

static std::string joinSettings(ArrayRef<StringRef> parts) {
  return (kOptimizerPrefix + llvm::join(parts, ", ") + kOptimizerSuffix).str();
}

static StringRef getName(StringRef setting) {
  return setting.split('=').first.trim();
}

std::string train::expandKind(StringRef text) {
  SmallVector<StringRef> parts = splitSettings(getInner(text));
  auto has = [&](StringRef name) {
    return llvm::is_contained(
        llvm::map_range(ArrayRef(parts).drop_front(), getName), name);
  };
  if (parts.front() == "sgd") {
    // Only the kinds with a velocity have these settings.
    bool hasVelocity =
        has("momentum") || has("nesterov") || has("velocity_scaling");
    parts.front() = hasVelocity ? "sgd2" : "sgd0";
  } else if (parts.front() == "adamw") {
    parts.front() = "adam";
    if (!has("weight_decay"))
      parts.push_back("weight_decay = 0.01");
    parts.push_back("decay = decoupled");
  } else {
    return text.str();
  }
  return joinSettings(parts);
}

llvm::Expected<pop::OptimizerAttr>
train::parseOptimizer(StringRef option, StringRef text, MLIRContext *context) {
  context->loadDialect<pop::PopDialect>();
  std::string message;
  if (auto attr = dyn_cast_or_null<pop::OptimizerAttr>(
          parseQuietly(text, context, message)))
    return attr;
  // Errors of a parser do not say which setting they are about.
  SmallVector<StringRef> parts = splitSettings(getInner(text));
  if (!isName(parts.front()))
    return makeError(option +
                     " expects KIND,SETTING=VALUE... with the name of "
                     "a KIND but got '" +
                     parts.front() + "'");
  for (StringRef setting : ArrayRef(parts).drop_front())
    if (std::string error = checkSyntax(setting, context); !error.empty())
      return makeError(option + ": " + error);
  return makeError(option + ": " + message);
}

std::string train::replaceSettings(StringRef text, StringRef settings) {
  SmallVector<StringRef> parts = splitSettings(getInner(text));
  SmallVector<StringRef> others = splitSettings(settings);
  llvm::erase_if(parts, [&](StringRef part) {
    return llvm::any_of(others, [&](StringRef other) {
      return part.contains('=') && getName(part) == getName(other);
    });
  });
  llvm::append_range(parts, others);
  return joinSettings(parts);
}
