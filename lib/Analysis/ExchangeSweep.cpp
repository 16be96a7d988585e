//===- ExchangeSweep.cpp - A move by a sweep --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are visited in the order of the target, in pieces that end where the
// set of tiles that hold them changes at the source or at the target. What was
// last seen of each box tells whether a piece goes on with a run.
//
//===----------------------------------------------------------------------===//

#include "ExchangeDetail.h"

#include <limits>
#include <map>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

namespace {
/// Coordinates that the same parts of a dimension hold: parts [low, high],
/// coordinates [begin, end).
struct Cell {
  int64_t low = 0, high = 0, begin = 0, end = 0;
};

/// Where a loop is on one side.
class Cursor {
public:
  explicit Cursor(const MapSide &side)
      : at(side.dims.size()), cells(side.dims.size()), side(side) {}

  /// Begins a loop of elements `step` apart.
  void start(int64_t first, int64_t step);
  /// Goes to iteration `x`, not before the last one.
  void seek(int64_t x);
  /// The first iteration after this one at which the cell may be another.
  int64_t getEnd() const { return end; }
  /// Whether some tile holds the elements, and whether it is one box.
  bool isHeld() const {
    return llvm::all_of(cells, [](const Cell &c) { return c.low <= c.high; });
  }
  bool isOneBox() const {
    return llvm::all_of(cells, [](const Cell &c) { return c.low == c.high; });
  }
  /// Where this element is in a box, and how far the next one is from it.
  struct Place {
    int64_t box, tile, index, step;
  };
  /// The place in the box of `getPart(dim)`.
  template <typename Fn>
  Place getPlace(Fn getPart) const {
    Place place = {0, 0, 0, 0};
    int64_t stride = 1;
    for (size_t dim = at.size(); dim-- > 0;) {
      const MapDim &d = side.dims[dim];
      int64_t part = getPart(dim);
      place.box += part * d.boxStride;
      place.tile += part * d.tileStride;
      place.index += (at[dim] - part * d.step) * stride;
      if (dim == moving)
        place.step = perStep * stride;
      stride *= d.getPartSize(part);
    }
    return place;
  }
  /// Calls `visit` with the place in each box, in order.
  template <typename Fn>
  void forEachPlace(Fn visit);
  Place getFirstPlace() {
    if (!rowsAreKnown)
      findRows();
    return getPlace(rows.front(), low());
  }

  SmallVector<int64_t, 4> at;
  SmallVector<Cell, 4> cells;

private:
  /// What boxes of certain parts of the other dimensions than the one that the
  /// loop moves along have in common. The index of an element in the box is
  /// (outer * (size of the part) + (index in the part)) * stride + inner.
  struct Row {
    int64_t box = 0, tile = 0, outer = 0, stride = 1, inner = 0;
  };
  void locate(size_t dim);
  void findRows();
  int64_t low() const { return moving < at.size() ? cells[moving].low : 0; }
  Place getPlace(const Row &row, int64_t part) const {
    if (moving == at.size())
      return {row.box, row.tile, row.inner, 0};
    const MapDim &d = side.dims[moving];
    int64_t index = row.outer * d.getPartSize(part) + at[moving] - part * d.step;
    return {row.box + part * d.boxStride, row.tile + part * d.tileStride,
            index * row.stride + row.inner, perStep * row.stride};
  }

  const MapSide &side;
  SmallVector<Row, 4> rows;
  bool rowsAreKnown = false;
  /// The dimension along which the loop moves, and how far each time. None if
  /// it does not move, or moves along several.
  size_t moving = 0;
  int64_t perStep = 0;
  int64_t first = 0, step = 0, x = 0, end = 0;
};
} // namespace

/// a / b of numbers that are not negative: quicker where both are small, as most
/// are, and there are many of these.
static int64_t divide(int64_t a, int64_t b) {
  if (((a | b) >> 32) == 0)
    return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return a / b;
}

/// The cell of a coordinate in a dimension.
static Cell getCell(const MapDim &dim, int64_t at) {
  if (dim.parts == 1 && dim.extent >= dim.size)
    return {0, 0, 0, dim.size};
  Cell cell;
  int64_t part = divide(at, dim.step);
  cell.high = std::min(part, dim.parts - 1);
  cell.low = at < dim.extent           ? 0
             : dim.extent == dim.step ? part
                                      : divide(at - dim.extent, dim.step) + 1;
  cell.begin = cell.high * dim.step;
  if (cell.low > 0)
    cell.begin = std::max(cell.begin, (cell.low - 1) * dim.step + dim.extent);
  cell.end = std::min(dim.size, cell.low * dim.step + dim.extent);
  if (cell.high + 1 < dim.parts)
    cell.end = std::min(cell.end, (cell.high + 1) * dim.step);
  return cell;
}

void Cursor::locate(size_t dim) {
  Cell &cell = cells[dim];
  const MapDim &d = side.dims[dim];
  int64_t to = at[dim];
  if (to >= cell.begin && to < cell.end)
    return;
  if (to < cell.begin || cell.end == 0 || to - cell.end > d.step) {
    cell = getCell(d, to);
    return;
  }
  // A near one that follows is found without dividing.
  while (to >= cell.end) {
    cell.begin = cell.end;
    if (cell.low * d.step + d.extent <= cell.begin)
      ++cell.low;
    if (cell.high + 1 < d.parts && (cell.high + 1) * d.step <= cell.begin)
      ++cell.high;
    cell.end = std::min(d.size, cell.low * d.step + d.extent);
    if (cell.high + 1 < d.parts)
      cell.end = std::min(cell.end, (cell.high + 1) * d.step);
  }
}

void Cursor::findRows() {
  rowsAreKnown = true;
  rows.clear();
  SmallVector<int64_t, 4> parts;
  for (const Cell &cell : cells)
    parts.push_back(cell.low);
  while (true) {
    Row row;
    int64_t *index = &row.inner, stride = 1;
    for (size_t dim = at.size(); dim-- > 0;) {
      if (dim == moving) {
        row.stride = stride;
        index = &row.outer;
        stride = 1;
        continue;
      }
      const MapDim &d = side.dims[dim];
      row.box += parts[dim] * d.boxStride;
      row.tile += parts[dim] * d.tileStride;
      *index += (at[dim] - parts[dim] * d.step) * stride;
      stride *= d.getPartSize(parts[dim]);
    }
    rows.push_back(row);
    size_t dim = parts.size();
    for (; dim > 0; --dim) {
      if (dim - 1 == moving)
        continue;
      if (++parts[dim - 1] <= cells[dim - 1].high)
        break;
      parts[dim - 1] = cells[dim - 1].low;
    }
    if (dim == 0)
      return;
  }
}

template <typename Fn>
void Cursor::forEachPlace(Fn visit) {
  if (!rowsAreKnown)
    findRows();
  int64_t first = low(), last = moving < at.size() ? cells[moving].high : 0;
  for (const Row &row : rows)
    for (int64_t part = first; part <= last; ++part)
      visit(getPlace(row, part));
}

void Cursor::start(int64_t first, int64_t step) {
  this->first = first;
  this->step = step;
  moving = side.dims.size();
  perStep = 0;
  int64_t reach = std::abs(step);
  for (size_t dim = 0; dim < side.dims.size(); ++dim) {
    const MapDim &d = side.dims[dim];
    if (d.size == 1 || reach < d.stride)
      continue;
    if (reach % d.stride == 0) {
      moving = dim;
      perStep = step / d.stride;
    }
    break;
  }
  x = -1;
  end = 0;
}

void Cursor::seek(int64_t to) {
  if (x == to || (x >= 0 && step == 0))
    return;
  int64_t next = 0;
  if (x >= 0 && perStep != 0)
    next = at[moving] + (to - x) * perStep;
  if (x >= 0 && perStep != 0 && next >= 0 && next < side.dims[moving].size) {
    at[moving] = next;
    locate(moving);
  } else {
    int64_t rest = first + to * step;
    for (size_t dim = 0; dim < side.dims.size(); ++dim) {
      at[dim] = divide(rest, side.dims[dim].stride);
      rest -= at[dim] * side.dims[dim].stride;
      locate(dim);
    }
    rowsAreKnown = false;
  }
  x = to;
  if (step == 0) {
    end = std::numeric_limits<int64_t>::max();
  } else if (perStep == 0) {
    end = x + 1;
  } else {
    const Cell &cell = cells[moving];
    int64_t left = perStep > 0 ? cell.end - 1 - at[moving]
                               : at[moving] - cell.begin;
    int64_t by = std::abs(perStep);
    end = x + (by == 1 ? left : divide(left, by)) + 1;
  }
}

namespace {
class Sweep {
public:
  Sweep(const TargetModel &target, const ExchangeMove &move,
        const MoveLoops &loops, MoveTraffic &traffic, SourceTraffic &source);
  void run();

private:
  struct Run {
    int64_t tile = -1, nextTo = 0, nextFrom = 0, length = 0;
    bool isLocal = false;
  };
  /// Elements at hand: `count` of them, from `tile` on, at the source.
  struct Piece {
    int64_t count, tile, begin, step;
    Cursor::Place place;
  };

  void addPiece(const Piece &piece);
  bool addToBox(const Piece &piece, const Cursor::Place &place);
  bool addToTiles(const Piece &piece, const Cursor::Place &place);
  int64_t addRuns(int64_t number, int64_t count, int64_t tile,
                  const Cursor::Place &from, const Cursor::Place &to,
                  bool isLocal);
  void addLinks(const Piece &piece, int64_t box);
  void close(int64_t number, Run &run);
  bool addLink(int64_t from, int64_t to, int64_t count);
  bool holds(int64_t tile) const;

  const TargetModel &target;
  MapSide fromSide, toSide;
  Cursor from, to;
  const MoveLoops &loops;
  MoveTraffic &traffic;
  SourceTraffic &source;
  int64_t elementBytes;
  /// Whether tiles of one box may get different elements from elsewhere: then
  /// each tile is looked at, else each box.
  bool perTile;
  SmallVector<Run, 0> runs;
  SmallVector<int32_t, 0> boxOfTile, tileOfBox;
  /// Runs that a tile gets of a box from another one.
  std::map<std::tuple<int64_t, int64_t, int64_t>, int64_t> runsOfTiles;
  std::pair<int64_t, int64_t> lastPartners = {-1, -1};
};
} // namespace

Sweep::Sweep(const TargetModel &target, const ExchangeMove &move,
             const MoveLoops &loops, MoveTraffic &traffic,
             SourceTraffic &source)
    : target(target), fromSide(move.fromMap), toSide(move.toMap),
      from(fromSide), to(toSide), loops(loops), traffic(traffic), source(source),
      elementBytes(move.elementBytes), perTile(fromSide.hasOverlaps()) {
  toSide.getBoxes(boxOfTile, tileOfBox);
  traffic.first = toSide.first;
  if (perTile) {
    traffic.inPairs = true;
    traffic.tileOfBox.resize(toSide.numTiles);
    std::iota(traffic.tileOfBox.begin(), traffic.tileOfBox.end(), 0);
    traffic.boxOfTile = traffic.tileOfBox;
    traffic.copies = {0};
  } else {
    traffic.boxOfTile = boxOfTile;
    traffic.tileOfBox = tileOfBox;
    traffic.copies = toSide.copies;
  }
  traffic.boxes.resize(traffic.tileOfBox.size());
  traffic.local.resize(toSide.numTiles);
  runs.resize(traffic.boxes.size());
}

void Sweep::close(int64_t number, Run &run) {
  if (run.length * elementBytes % 4 == 0)
    return;
  traffic.boxes[number].subword += run.length;
  if (run.isLocal)
    traffic.local[run.tile - toSide.first].subword += run.length;
}

/// Adds `count` elements to what box `number` (or tile, if `perTile`) gets from
/// `tile`; returns how many runs begin.
int64_t Sweep::addRuns(int64_t number, int64_t count, int64_t tile,
                       const Cursor::Place &from, const Cursor::Place &to,
                       bool isLocal) {
  Run &run = runs[number];
  bool isOneRun = count == 1 || (from.step == 1 && to.step == 1);
  bool goesOn =
      run.tile == tile && run.nextTo == to.index && run.nextFrom == from.index;
  int64_t begun = (isOneRun ? 1 : count) - goesOn;
  MoveTraffic::Part &part = traffic.boxes[number];
  part.elements += count;
  part.runs += begun;
  if (isLocal) {
    MoveTraffic::Part &local = traffic.local[tile - toSide.first];
    local.elements += count;
    local.runs += begun;
  }
  if (elementBytes % 4 != 0) {
    if (!goesOn) {
      close(number, run);
      run.length = 0;
    }
    run.isLocal = isLocal;
    run.tile = tile;
    if (isOneRun) {
      run.length += count;
    } else {
      ++run.length;
      close(number, run);
      run.length = 1;
      // Each of those between the first and the last is a run.
      part.subword += count - 2;
      if (isLocal)
        traffic.local[tile - toSide.first].subword += count - 2;
    }
  }
  run.tile = tile;
  run.nextTo = to.index + (count - 1) * to.step + 1;
  run.nextFrom = from.index + (count - 1) * from.step + 1;
  return begun;
}

bool Sweep::addLink(int64_t fromIPU, int64_t toIPU, int64_t count) {
  traffic.linkIn[toIPU] += count;
  if (lastPartners != std::make_pair(fromIPU, toIPU)) {
    lastPartners = {fromIPU, toIPU};
    traffic.partners.insert(lastPartners);
  }
  return true;
}

void Sweep::addLinks(const Piece &piece, int64_t box) {
  int64_t home = piece.tile / target.tiles, last = home;
  bool leaves = false;
  for (int64_t copy : toSide.copies) {
    int64_t ipu = (toSide.first + tileOfBox[box] + copy) / target.tiles;
    if (ipu != home && ipu != last)
      leaves |= addLink(home, ipu, piece.count);
    last = ipu;
  }
  if (leaves)
    traffic.linkOut[home] += piece.count;
}

/// Adds a piece to a box; returns whether it has to be sent. No other tile than
/// the piece's holds the elements.
bool Sweep::addToBox(const Piece &piece, const Cursor::Place &place) {
  int64_t tile = piece.tile - toSide.first;
  bool isLocal =
      tile >= 0 && tile < toSide.numTiles && boxOfTile[tile] == place.box;
  int64_t begun = addRuns(place.box, piece.count, piece.tile, piece.place,
                          place, isLocal);
  if (target.ipus > 1)
    addLinks(piece, place.box);
  if (isLocal && toSide.copies.size() == 1)
    return false;
  source.sendRuns[piece.tile] += begun;
  return true;
}

bool Sweep::holds(int64_t tile) const {
  int64_t inGrid = tile - fromSide.first;
  if (inGrid < 0 || inGrid >= fromSide.numTiles)
    return false;
  for (auto [dim, cell] : llvm::enumerate(from.cells)) {
    int64_t part = fromSide.getPart(dim, inGrid);
    if (part < cell.low || part > cell.high)
      return false;
  }
  return true;
}

/// As addToBox, where other tiles may hold the elements.
bool Sweep::addToTiles(const Piece &piece, const Cursor::Place &place) {
  int64_t box = place.box;
  int64_t home = piece.tile / target.tiles, lastIPU = home;
  bool isSent = false, leaves = false;
  for (int64_t copy : toSide.copies) {
    int64_t number = tileOfBox[box] + copy, tile = toSide.first + number;
    if (holds(tile)) {
      auto own = from.getPlace([&](size_t dim) {
        return fromSide.getPart(dim, tile - fromSide.first);
      });
      addRuns(number, piece.count, tile, own, place, true);
      continue;
    }
    isSent = true;
    int64_t begun =
        addRuns(number, piece.count, piece.tile, piece.place, place, false);
    runsOfTiles[{piece.tile, box, tile}] += begun;
    int64_t ipu = tile / target.tiles;
    if (ipu != home && ipu != lastIPU)
      leaves |= addLink(home, ipu, piece.count);
    lastIPU = ipu;
    // The mate has to have the same box and take the piece as well.
    int64_t mate = getMate(target, tile) - toSide.first;
    if (mate < 0 || mate >= toSide.numTiles || boxOfTile[mate] != box ||
        holds(mate + toSide.first))
      traffic.inPairs = false;
  }
  if (leaves)
    traffic.linkOut[home] += piece.count;
  return isSent;
}

void Sweep::addPiece(const Piece &piece) {
  // Of several takers only one can be the one that sends.
  bool isSent = !perTile && !to.isOneBox();
  to.forEachPlace([&](const Cursor::Place &place) {
    isSent |= perTile ? addToTiles(piece, place) : addToBox(piece, place);
  });
  if (isSent)
    source.add(piece.tile, piece.begin, piece.step, piece.count);
}

void Sweep::run() {
  ArrayRef<MoveLoop> outer = loops.loops;
  MoveLoop inner = {1, 0, 0};
  if (!outer.empty()) {
    inner = outer.back();
    outer = outer.drop_back();
  }
  SmallVector<int64_t, 4> at(outer.size(), 0);
  int64_t fromFirst = loops.from, toFirst = loops.to;
  while (true) {
    from.start(fromFirst, inner.from);
    to.start(toFirst, inner.to);
    for (int64_t x = 0; x < inner.size;) {
      from.seek(x);
      to.seek(x);
      int64_t end = std::min({inner.size, from.getEnd(), to.getEnd()});
      if (from.isHeld() && to.isHeld()) {
        Cursor::Place place = from.getFirstPlace();
        addPiece({end - x, fromSide.first + place.tile,
                  fromFirst + x * inner.from, inner.from, place});
      }
      x = end;
    }
    size_t dim = outer.size();
    for (; dim > 0; --dim) {
      const MoveLoop &loop = outer[dim - 1];
      fromFirst += loop.from;
      toFirst += loop.to;
      if (++at[dim - 1] < loop.size)
        break;
      fromFirst -= loop.size * loop.from;
      toFirst -= loop.size * loop.to;
      at[dim - 1] = 0;
    }
    if (dim == 0)
      break;
  }
  if (elementBytes % 4 != 0)
    for (auto [number, run] : llvm::enumerate(runs))
      close(number, run);
  // All tiles of a box take what is sent once.
  int64_t most = 0;
  for (auto it = runsOfTiles.begin(), e = runsOfTiles.end(); it != e;) {
    auto [tile, box, receiver] = it->first;
    most = std::max(most, it->second);
    ++it;
    if (it == e || std::get<0>(it->first) != tile ||
        std::get<1>(it->first) != box) {
      source.sendRuns[tile] += most;
      most = 0;
    }
  }
}

void exchange::addBySweep(const TargetModel &target, const ExchangeMove &move,
                          const MoveLoops &loops, MoveTraffic &traffic,
                          SourceTraffic &source) {
  Sweep(target, move, loops, traffic, source).run();
}
