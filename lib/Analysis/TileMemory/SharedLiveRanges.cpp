//===- SharedLiveRanges.cpp - Live ranges across functions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLiveRanges.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

void SharedLiveRanges::beginFunction(int64_t step) {
  stack.emplace_back();
  stack.back().first = step;
}

void SharedLiveRanges::endFunction(
    Operation *function, function_ref<bool(unsigned variable)> isPrivate) {
  Function &ended = stack.back();
  ended.uses.remove_if([&](unsigned variable) {
    return ended.overwritten.contains(variable) && isPrivate(variable);
  });
  functions[function] = std::move(ended);
  stack.pop_back();
}

void SharedLiveRanges::beginLoop(int64_t step) {
  Function &function = stack.back();
  if (function.loopDepth++ == 0)
    function.loopBegin = step;
}

void SharedLiveRanges::endLoop(int64_t last) {
  Function &function = stack.back();
  if (--function.loopDepth > 0)
    return;
  // What is left there by one iteration is there in the next one.
  Variables uses = std::move(function.usesInLoop);
  function.usesInLoop.clear();
  for (unsigned variable : uses) {
    use(variable, function.loopBegin);
    use(variable, last);
  }
}

void SharedLiveRanges::use(unsigned variable, int64_t step, bool overwrites) {
  Function &function = stack.back();
  if (function.uses.insert(variable) && overwrites)
    function.overwritten.insert(variable);
  if (function.loopDepth > 0)
    function.usesInLoop.insert(variable);
  auto [it, isNew] = hulls.try_emplace(variable, step, step + 1);
  it->second.first = std::min(it->second.first, step);
  it->second.second = std::max(it->second.second, step + 1);
}

void SharedLiveRanges::call(Operation *callee, int64_t step, bool isAlways) {
  const Function &called = functions.at(callee);
  stack.back().first = std::min(stack.back().first, called.first);
  calls.push_back({step, called.first});
  for (unsigned variable : called.uses)
    use(variable, step, isAlways && called.overwritten.contains(variable));
}

namespace {
/// The least of neighbouring numbers, in constant time after O(n log n).
class RangeMinimum {
public:
  explicit RangeMinimum(std::vector<int64_t> values) {
    levels.push_back(std::move(values));
    for (size_t width = 1; 2 * width <= levels[0].size(); width *= 2) {
      const std::vector<int64_t> &half = levels.back();
      std::vector<int64_t> whole(half.size() - width);
      for (size_t i = 0; i < whole.size(); ++i)
        whole[i] = std::min(half[i], half[i + width]);
      levels.push_back(std::move(whole));
    }
  }

  /// Of [begin, end), which is not empty.
  int64_t get(size_t begin, size_t end) const {
    unsigned level = llvm::Log2_64(end - begin);
    return std::min(levels[level][begin],
                    levels[level][end - (size_t(1) << level)]);
  }

private:
  std::vector<std::vector<int64_t>> levels;
};
} // namespace

void SharedLiveRanges::finish(MutableArrayRef<MemoryVariable> variables) const {
  for (auto [variable, hull] : hulls)
    std::tie(variables[variable].begin, variables[variable].end) = hull;
  std::vector<int64_t> firsts;
  firsts.reserve(calls.size());
  for (const Call &call : calls)
    firsts.push_back(call.first);
  RangeMinimum least(std::move(firsts));
  auto findCall = [&](int64_t step) {
    return llvm::partition_point(
               calls, [&](const Call &call) { return call.step < step; }) -
           calls.begin();
  };
  for (MemoryVariable &variable : variables) {
    int64_t begin = findCall(variable.begin), end = findCall(variable.end);
    if (begin < end)
      variable.begin = std::min(variable.begin, least.get(begin, end));
  }
}
