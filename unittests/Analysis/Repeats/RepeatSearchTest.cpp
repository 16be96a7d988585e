//===- RepeatSearchTest.cpp - Tests of repeated sequences -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Repeats/RepeatSearch.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <string>

using namespace mlir::ipu;
using llvm::ArrayRef;

using Text = std::vector<unsigned>;

static Text getText(const std::string &letters) {
  return Text(letters.begin(), letters.end());
}

/// Returns the sequences that `search` found, with their positions.
static std::map<std::string, std::vector<unsigned>>
getSequences(const std::string &letters) {
  RepeatSearch search(getText(letters));
  std::map<std::string, std::vector<unsigned>> result;
  for (const Repeat &repeat : search.getRepeats()) {
    llvm::SmallVector<unsigned> positions = search.getPositions(repeat);
    std::vector<unsigned> &found =
        result[letters.substr(positions.front(), repeat.length)];
    EXPECT_TRUE(found.empty());
    found.assign(positions.begin(), positions.end());
  }
  return result;
}

TEST(RepeatSearchTest, FindsNothing) {
  EXPECT_TRUE(getSequences("").empty());
  EXPECT_TRUE(getSequences("a").empty());
  EXPECT_TRUE(getSequences("abcdef").empty());
}

TEST(RepeatSearchTest, FindsMaximalSequences) {
  auto sequences = getSequences("xabcyabcz");
  EXPECT_EQ(sequences["abc"], (std::vector<unsigned>{1, 5}));
  EXPECT_EQ(sequences.count("ab"), 0u);
}

/// A period is found once, with all of its occurrences, although longer
/// sequences occur, too, and overlap.
TEST(RepeatSearchTest, FindsPeriods) {
  auto sequences = getSequences("abcabcabcabc");
  EXPECT_EQ(sequences["abc"], (std::vector<unsigned>{0, 3, 6, 9}));
  for (const auto &[sequence, positions] : sequences)
    EXPECT_LE(sequence.size(), 3u);
  EXPECT_EQ(getSequences("aaaaaaaa").size(), 1u);
}

/// Returns the longest sequence at all of `positions`.
static unsigned getCommonLength(const Text &text,
                                const std::set<unsigned> &positions) {
  for (unsigned length = 0;; ++length)
    for (unsigned position : positions)
      if (position + length >= text.size() ||
          text[position + length] != text[*positions.begin() + length])
        return length;
}

/// The repeats are those of a search through all pairs of positions.
TEST(RepeatSearchTest, AgreesWithBruteForce) {
  std::mt19937 random(7);
  for (unsigned trial = 0; trial < 300; ++trial) {
    Text text(random() % 24);
    for (unsigned &token : text)
      token = random() % 3;
    // All sets of positions at which a sequence of some length starts.
    std::set<std::set<unsigned>> expected;
    for (unsigned length = 1; length < text.size(); ++length) {
      std::map<Text, std::set<unsigned>> positions;
      for (unsigned at = 0; at + length <= text.size(); ++at)
        positions[Text(text.begin() + at, text.begin() + at + length)].insert(
            at);
      for (const auto &[sequence, at] : positions)
        if (at.size() > 1)
          expected.insert(at);
    }
    std::map<std::set<unsigned>, unsigned> lengths;
    for (const std::set<unsigned> &positions : expected) {
      unsigned length = getCommonLength(text, positions), previous = 0;
      bool isFirst = true;
      for (unsigned position : positions) {
        if (!isFirst)
          length = std::min(length, position - previous);
        isFirst = false;
        previous = position;
      }
      lengths[positions] = length;
    }
    RepeatSearch search(text);
    std::map<std::set<unsigned>, unsigned> found;
    for (const Repeat &repeat : search.getRepeats()) {
      llvm::SmallVector<unsigned> positions = search.getPositions(repeat);
      EXPECT_EQ(repeat.getNumPositions(), positions.size());
      EXPECT_TRUE(llvm::is_contained(positions, search.getAnyPosition(repeat)));
      found[std::set<unsigned>(positions.begin(), positions.end())] =
          repeat.length;
    }
    for (const auto &[positions, length] : found)
      EXPECT_EQ(lengths[positions], length);
    // Missing repeats have an equally long repeat with more positions.
    for (const auto &[positions, length] : lengths)
      EXPECT_TRUE(llvm::any_of(
          found, [&, &own = positions, size = length](const auto &other) {
            return other.second == size &&
                   std::includes(other.first.begin(), other.first.end(),
                                 own.begin(), own.end());
          }));
  }
}
