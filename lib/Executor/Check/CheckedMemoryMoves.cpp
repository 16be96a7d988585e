//===- CheckedMemoryMoves.cpp - Moves between checked tile memories -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Support/StridedCopy.h"
#include "CheckedMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include <atomic>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Between tiles and an image of the variable
//===----------------------------------------------------------------------===//

/// Copies a run into `image` where there is nothing; returns the first element
/// that is there with another value, or -1.
static int64_t addRun(ElementImage &image, int64_t elementBytes,
                      const char *values, const uint8_t *states,
                      int64_t element, int64_t size) {
  int64_t diverged = -1;
  for (int64_t i = 0; i < size; ++i) {
    int64_t at = element - image.low + i;
    char *value = image.values.data() + at * elementBytes;
    const char *from = values + i * elementBytes;
    if (image.states[at] == kAbsent) {
      std::memcpy(value, from, elementBytes);
      image.states[at] = states[i];
      continue;
    }
    // What was reported as undefined counts as defined on one tile only.
    if (diverged < 0 && image.states[at] == kDefined && states[i] == kDefined &&
        std::memcmp(value, from, elementBytes) != 0)
      diverged = element + i;
  }
  return diverged;
}

ElementImage CheckedMemory::gather(unsigned number, int64_t replica,
                                   int64_t low, int64_t high) {
  const Variable &variable = variables[number];
  int64_t elementBytes = program.variables[number].elementBytes;
  ElementImage image;
  image.low = low;
  image.size = high - low + 1;
  image.values.resize(image.size * elementBytes);
  image.states.resize(image.size, kAbsent);
  const char *values = getValues(number, replica);
  const uint8_t *states = getStates(number, replica);
  const TileLayout &layout = *variable.layout;
  if (layout.getTileMapping().isDisjoint()) {
    pool.run(layout.getNumTiles(), [&](unsigned, int64_t begin, int64_t end) {
      for (int64_t tile = begin; tile < end; ++tile)
        layout.forEachRun(tile, low, high,
                          [&](int64_t element, int64_t location, int64_t size) {
                            std::memcpy(image.values.data() +
                                            (element - low) * elementBytes,
                                        values + location * elementBytes,
                                        size * elementBytes);
                            std::memcpy(image.states.data() + element - low,
                                        states + location, size);
                          });
    });
    return image;
  }
  for (int64_t tile = 0; tile < layout.getNumTiles(); ++tile)
    layout.forEachRun(
        tile, low, high, [&](int64_t element, int64_t location, int64_t size) {
          int64_t diverged =
              addRun(image, elementBytes, values + location * elementBytes,
                     states + location, element, size);
          if (diverged < 0 || image.diverged >= 0)
            return;
          image.diverged = diverged;
          image.divergedTile = tile;
        });
  return image;
}

bool CheckedMemory::scatter(unsigned number, int64_t replica, int64_t low,
                            int64_t high, const char *from,
                            const uint8_t *fromStates) {
  const TileLayout &layout = *variables[number].layout;
  int64_t elementBytes = program.variables[number].elementBytes;
  char *values = getValues(number, replica);
  uint8_t *states = getStates(number, replica);
  std::atomic<bool> anyUndefined = false;
  auto copy = [&](int64_t element, int64_t location, int64_t size) {
    std::memcpy(values + location * elementBytes,
                from + (element - low) * elementBytes, size * elementBytes);
    if (!fromStates || areDefined(fromStates + element - low, size)) {
      std::fill_n(states + location, size, kDefined);
      return;
    }
    for (int64_t i = 0; i < size; ++i) {
      bool isDefined = fromStates[element - low + i] == kDefined;
      states[location + i] = isDefined ? kDefined : kMovedUndefined;
      if (!isDefined)
        anyUndefined = true;
    }
  };
  auto copyPresent = [&](int64_t element, int64_t location, int64_t size) {
    for (int64_t i = 0; i < size;) {
      auto isAbsent = [&](int64_t at) {
        return fromStates && fromStates[element - low + at] == kAbsent;
      };
      int64_t begin = i;
      while (i < size && !isAbsent(i))
        ++i;
      if (begin < i)
        copy(element + begin, location + begin, i - begin);
      while (i < size && isAbsent(i))
        ++i;
    }
  };
  pool.run(layout.getNumTiles(), [&](unsigned, int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile)
      layout.forEachRun(tile, low, high, copyPresent);
  });
  return anyUndefined;
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// No element that an exchange reads is written in it, so that moves may be
/// done one after another.
LogicalResult CheckedMemory::exchange(const ExchangeNode &node) {
  for (const ProgramMove &move : node.moves)
    for (int64_t replica : active.get())
      runMove(move, replica);
  return failure(log.isFull());
}

void CheckedMemory::runMove(const ProgramMove &move, int64_t replica) {
  // Views show elements of their variables, so that ranges do not overflow.
  auto [fromLow, fromHigh] = *getRange(move.from);
  auto [toLow, toHigh] = *getRange(move.to);
  ElementImage from = gather(move.source, replica, fromLow, fromHigh);
  MoveOp op = move.op;
  reportDivergence(op, move.source, replica, from, move.from);

  ElementImage to;
  to.size = toHigh - toLow + 1;
  to.values.resize(to.size * move.elementBytes);
  to.states.resize(to.size, kAbsent);
  StridedView fromView = move.from, toView = move.to;
  fromView.offset -= fromLow;
  toView.offset -= toLow;
  CopyLoops loops = getCopyLoops(fromView, toView);
  pool.run(loops.sizes.empty() ? 1 : loops.sizes.front(),
           [&](unsigned, int64_t begin, int64_t end) {
             copyElements(loops, move.elementBytes, from.values.data(),
                          to.values.data(), begin, end);
             copyElements(loops, /*elementBytes=*/1,
                          reinterpret_cast<const char *>(from.states.data()),
                          reinterpret_cast<char *>(to.states.data()), begin,
                          end);
           });
  if (scatter(move.target, replica, toLow, toHigh, to.values.data(),
              to.states.data()))
    variables[move.target].undefinedFrom = &move;
}

/// Whether `view` shows `element`, from dimension `dim` on.
static bool shows(const StridedView &view, int64_t element, int64_t at,
                  unsigned dim = 0) {
  if (dim == view.sizes.size())
    return at == element;
  for (int64_t i = 0; i < view.sizes[dim]; ++i)
    if (shows(view, element, at + i * view.strides[dim], dim + 1))
      return true;
  return false;
}

void CheckedMemory::reportDivergence(Operation *op, unsigned variable,
                                     int64_t replica, const ElementImage &image,
                                     const StridedView &view) {
  if (image.diverged < 0 || !shows(view, image.diverged, view.offset) ||
      !log.start(FindingKind::Divergence, op, op, /*argument=*/0))
    return;
  TileMappingAttr mapping = program.variables[variable].mapping;
  ElementLocation location{variable, image.diverged,
                           *getFirstHolder(mapping, image.diverged), replica};
  InFlightDiagnostic diag = op->emitOpError();
  diag << "reads " << describe(location) << ", which has another value on tile "
       << mapping.getFirst() + image.divergedTile;
  diag.attachNote(program.variables[variable].op->getLoc())
      << "variable defined here";
  log.finish(diag);
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

LogicalResult CheckedMemory::write(unsigned variable,
                                   function_ref<ReplicaData(int64_t)> getData) {
  int64_t size = program.variables[variable].type.getNumElements();
  for (int64_t replica : active.get()) {
    ReplicaData data = getData(replica);
    // No move is to blame then.
    if (scatter(variable, replica, 0, size - 1, data.values, data.states))
      variables[variable].undefinedFrom = nullptr;
  }
  return success();
}

LogicalResult CheckedMemory::read(Operation *user, unsigned number,
                                  int64_t replica, char *to, uint8_t *states) {
  int64_t size = program.variables[number].type.getNumElements();
  ElementImage image = gather(number, replica, 0, size - 1);
  llvm::copy(image.values, to);
  reportDivergence(user, number, replica, image, StridedView::identity({size}));
  if (states)
    llvm::copy(image.states, states);
  else if (!areDefined(image.states.data(), size))
    reportUndefined(user, number, replica, image);
  return failure(log.isFull());
}

void CheckedMemory::look(unsigned number, int64_t replica, int64_t low,
                         int64_t high, ElementsSeen &seen) {
  ElementImage image = gather(number, replica, low, high);
  seen.valueBuffer = std::move(image.values);
  seen.stateBuffer = std::move(image.states);
  seen.values = seen.valueBuffer.data();
  seen.states = seen.stateBuffer.data();
}

void CheckedMemory::reportUndefined(Operation *user, unsigned number,
                                    int64_t replica,
                                    const ElementImage &image) {
  if (!log.start(FindingKind::Undefined, user, user, /*argument=*/number))
    return;
  auto isUndefined = [](uint8_t state) { return state != kDefined; };
  auto first = llvm::find_if(image.states, isUndefined);
  int64_t count = llvm::count_if(image.states, isUndefined);
  int64_t element = first - image.states.begin();
  // The verifier saw that each element is on some tile.
  ElementLocation location{
      number, element,
      *getFirstHolder(program.variables[number].mapping, element), replica};
  InFlightDiagnostic diag = user->emitOpError();
  diag << "reads " << describe(location) << ", which is undefined";
  explainUndefined(diag, number, *first);
  if (count > 1)
    diag.attachNote() << "first of " << count << " elements";
  log.finish(diag);
}

LogicalResult CheckedMemory::readUndefined(Operation *user,
                                           const Twine &message) {
  if (log.start(FindingKind::Undefined, user, user, /*argument=*/-1)) {
    InFlightDiagnostic diag = user->emitOpError() << message;
    log.finish(diag);
  }
  return failure(log.isFull());
}
