// Tile mappings as text: #ipu.map<[domain], grid = [..], blocks = [..], first = n>.
// Tile first + i holds the box of grid point i, the last axis fastest.

function parseTileMap(text) {
  const domain = /^#ipu\.map<\[([\d, ]*)\]/.exec(text);
  const grid = /grid = \[([\d, ]*)\]/.exec(text);
  const blocks = /blocks = \[([^\]]*)\]/.exec(text);
  if (!domain || !grid || !blocks)
    return null;
  const numbers = (list) => list.split(",").filter((n) => n.trim()).map(Number);
  const first = /first = (\d+)/.exec(text);
  const result = { dims: numbers(domain[1]), grid: numbers(grid[1]), blocks: [], first: first ? Number(first[1]) : 0 };
  for (const block of blocks[1].split(",").filter((b) => b.trim())) {
    const part = /^p(\d+) \* (\d+) : (\d+)$/.exec(block.trim());
    if (!part && block.trim() !== "all")
      return null;
    result.blocks.push(part && { axis: Number(part[1]), step: Number(part[2]), extent: Number(part[3]) });
  }
  return result;
}

// Elements of the box on `tile`; 0 if it has none.
function getElementsOnTile(map, tile) {
  let rest = tile - map.first;
  const size = map.grid.reduce((a, b) => a * b, 1);
  if (rest < 0 || rest >= size)
    return 0;
  const at = new Array(map.grid.length);
  for (let axis = map.grid.length - 1; axis >= 0; axis--) {
    at[axis] = rest % map.grid[axis];
    rest = Math.floor(rest / map.grid[axis]);
  }
  return map.dims.reduce((product, dim, i) => {
    const block = map.blocks[i];
    return product * (block ? Math.max(0, Math.min(block.extent, dim - at[block.axis] * block.step)) : dim);
  }, 1);
}

// Bytes of an element, as a tile stores it.
function getElementBytes(type) {
  const bits = /^[a-z]+(\d+)/.exec(type);
  return bits ? Math.max(1, Number(bits[1]) / 8) : 0;
}

// Bytes of `variable` on `tile`; null of code, whose place is not known.
function getBytesOnTile(variable, tile) {
  if (variable.tileMap === undefined)
    variable.tileMap = variable.map ? parseTileMap(variable.map) : null;
  if (!variable.tileMap)
    return null;
  return getElementsOnTile(variable.tileMap, tile) * getElementBytes(variable.type);
}
