//===- Selection.cpp - Selection of weights by their names ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

#include "ipu-mlir/Tools/Files.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

bool Selection::Pattern::matches(StringRef name) const {
  return name == text ||
         llvm::cantFail(llvm::GlobPattern::create(text)).match(name);
}

/// Returns the lines of a file that are not empty.
static llvm::Expected<std::vector<std::string>> readLines(StringRef path) {
  auto buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  SmallVector<StringRef> parts;
  (*buffer)->getBuffer().split(parts, '\n');
  std::vector<std::string> lines;
  for (StringRef line : parts)
    if (line = line.trim(); !line.empty())
      lines.push_back(line.str());
  if (lines.empty())
    return makeError("'" + path +
                     "': expects a name of a weight in each line but has none");
  return lines;
}

llvm::Expected<Selection> Selection::create(const SelectionOptions &options) {
  Selection selection;
  auto add = [](StringRef option, StringRef text,
                std::vector<Pattern> &patterns) -> llvm::Error {
    if (text.empty())
      return makeError(option + " expects PATTERN but got ''");
    auto glob = llvm::GlobPattern::create(text);
    if (!glob)
      return makeError(option + " '" + text +
                       "': " + llvm::toString(glob.takeError()));
    patterns.push_back({option, text.str()});
    return llvm::Error::success();
  };
  for (StringRef text : options.train)
    if (llvm::Error error = add("--train", text, selection.train))
      return error;
  for (StringRef text : options.freeze)
    if (llvm::Error error = add("--freeze", text, selection.freeze))
      return error;
  for (const GroupOption &group : options.groups)
    if (llvm::Error error = add("--group", group.pattern, selection.groups))
      return error;
  if (options.trainable.empty())
    return selection;
  auto lines = readLines(options.trainable);
  if (!lines)
    return lines.takeError();
  selection.file = options.trainable;
  selection.lines = std::move(*lines);
  return selection;
}

void Selection::addVariable(StringRef name) {
  variables.insert(name);
  for (std::vector<Pattern> *patterns : {&train, &freeze})
    for (Pattern &pattern : *patterns)
      pattern.isUsed |= pattern.matches(name);
}

bool Selection::isNamed(StringRef name) const {
  return llvm::is_contained(lines, name) ||
         llvm::any_of(train, [&](const Pattern &pattern) {
           return pattern.text == name;
         });
}

std::string Selection::findExclusion(StringRef name) const {
  auto matches = [&](const Pattern &pattern) { return pattern.matches(name); };
  if (auto it = llvm::find_if(freeze, matches); it != freeze.end())
    return "--freeze '" + it->text + "'";
  bool isSelected = (train.empty() && lines.empty()) || isNamed(name) ||
                    llvm::any_of(train, matches);
  if (isSelected)
    return "";
  return train.empty()   ? "not in the file of --trainable"
         : lines.empty() ? "no --train matches it"
                         : "neither --train nor --trainable selects it";
}

llvm::Expected<std::optional<unsigned>> Selection::findGroup(StringRef name) {
  std::optional<unsigned> found;
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (!group.matches(name))
      continue;
    group.isUsed = true;
    if (found)
      return makeError("weight '" + name +
                       "' expects one --group but matches '" +
                       groups[*found].text + "' and '" + group.text + "'");
    found = i;
  }
  return found;
}

llvm::Error Selection::checkUses() const {
  for (const std::vector<Pattern> *patterns : {&train, &freeze, &groups})
    for (const Pattern &pattern : *patterns)
      if (!pattern.isUsed)
        return makeError(pattern.option + " '" + pattern.text +
                         "' matches no " +
                         (patterns == &groups ? "weight that is trained"
                                              : "float variable of the model"));
  for (StringRef line : lines)
    if (!variables.contains(line))
      return makeError("'" + file + "': '" + line +
                       "' is no float variable of the model");
  return llvm::Error::success();
}
