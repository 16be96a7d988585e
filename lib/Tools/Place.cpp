//===- Place.cpp - Placement of models ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Place.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Support/LocationName.h"
#include "ipu-mlir/Tools/Files.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::tools;

/// The greatest number of names in a message.
static constexpr size_t kMaxNames = 20;

namespace {
/// The ops and variables of a module with the same name.
using NamedOps = llvm::MapVector<StringRef, SmallVector<Operation *>>;

struct NamePattern {
  explicit NamePattern(const PlaceSpec &spec)
      : spec(&spec),
        glob(llvm::cantFail(llvm::GlobPattern::create(spec.pattern))) {}

  bool matches(StringRef name) const {
    return name == spec->pattern || glob.match(name);
  }

  const PlaceSpec *spec;
  llvm::GlobPattern glob;
  bool isUsed = false;
};
} // namespace

/// Returns whether `op` can be placed by its name. Constants are on the IPUs
/// of their users, and refs on those of their variables.
static bool isNamed(Operation *op) {
  if (isa<pop::VariableOp, CallOpInterface>(op))
    return true;
  bool isStored = op->getNumOperands() > 0 || op->getNumResults() > 0;
  return isa_and_nonnull<pop::PopDialect>(op->getDialect()) && isStored &&
         pop::isPlaceable(op) && op->getNumRegions() == 0 &&
         !op->hasTrait<OpTrait::ConstantLike>() && !isa<pop::GetVariableOp>(op);
}

static NamedOps getNamedOps(ModuleOp module) {
  NamedOps named;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Other modules are other programs.
    if (isa<ModuleOp>(op) && op != module)
      return WalkResult::skip();
    if (!isNamed(op))
      return WalkResult::advance();
    if (auto variable = dyn_cast<pop::VariableOp>(op))
      named[variable.getSymName()].push_back(op);
    else if (StringAttr name = getLocationName(op->getLoc()))
      named[name].push_back(op);
    return WalkResult::advance();
  });
  return named;
}

static llvm::Error reportUnmatched(const PlaceSpec &spec,
                                   const NamedOps &named) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "--place '" << spec.pattern << "' matches no node or variable";
  if (named.empty())
    os << "; the model has none with a name";
  else
    os << "; the names are ";
  size_t shown = std::min(named.size(), kMaxNames);
  llvm::interleaveComma(
      ArrayRef(named.begin(), shown), os,
      [&](const auto &entry) { os << "'" << entry.first << "'"; });
  if (shown < named.size())
    os << " and " << named.size() - shown << " others";
  return makeError(text);
}

/// Returns the pattern that matches `name`, or null if none does.
static llvm::Expected<const PlaceSpec *>
findPattern(StringRef name, MutableArrayRef<NamePattern> patterns) {
  const PlaceSpec *found = nullptr;
  for (NamePattern &pattern : patterns) {
    if (!pattern.matches(name))
      continue;
    if (found)
      return makeError("'" + name + "' expects one --place but matches '" +
                       found->pattern + "' and '" + pattern.spec->pattern +
                       "'");
    pattern.isUsed = true;
    found = pattern.spec;
  }
  return found;
}

llvm::Error tools::placeNames(ArrayRef<PlaceSpec> specs, ModuleOp module) {
  int64_t numIPUs = getTargetModel(module).ipus;
  SmallVector<NamePattern> patterns;
  for (const PlaceSpec &spec : specs) {
    if (spec.ipu >= numIPUs)
      return makeError("--place '" + spec.pattern + "=" + Twine(spec.ipu) +
                       "': expects an IPU from 0 to " + Twine(numIPUs - 1) +
                       "; --ipus sets the number of IPUs of a replica");
    patterns.emplace_back(spec);
  }
  NamedOps named = getNamedOps(module);
  for (auto &[name, ops] : named) {
    llvm::Expected<const PlaceSpec *> spec = findPattern(name, patterns);
    if (!spec)
      return spec.takeError();
    for (Operation *op : *spec ? ArrayRef(ops) : ArrayRef<Operation *>())
      op->setAttr(pop::PopDialect::kVgraphAttrName,
                  Builder(op).getI64IntegerAttr((*spec)->ipu));
  }
  for (const NamePattern &pattern : patterns)
    if (!pattern.isUsed)
      return reportUnmatched(*pattern.spec, named);
  return llvm::Error::success();
}
