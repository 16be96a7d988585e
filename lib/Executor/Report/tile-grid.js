// Tiles as a heat map, one grid for each IPU, in the order of tiles.

const GRID_HEADER = 18;

// So many IPUs are drawn at once.
const GRIDS = 16;

// Options: label, getValues (a number of each tile), unit, chosen (tiles with a
// frame), choose(tile, adds). Has element (with a line that explains colours),
// canvas, redraw() and bring(tile), which draws the IPU of a tile.
function makeTileGrid(profile, options) {
  const { target } = profile.data;
  const columns = Math.ceil(Math.sqrt(target.tiles * 2));
  const rows = Math.ceil(target.tiles / columns);
  // Of a tile, and of the tiles of an IPU with their header.
  let size = 0, grid = 0;
  const getSize = (available) => {
    const width = Math.min(available, 760);
    size = width / columns;
    grid = rows * size + GRID_HEADER;
    return [width, grid * (groups.to - groups.from)];
  };
  const getIpu = (tile) => Math.floor(tile / target.tiles);
  const getPlace = (tile) => {
    const inner = tile % target.tiles;
    return [(inner % columns) * size, (getIpu(tile) - groups.from) * grid + GRID_HEADER - 2 + Math.floor(inner / columns) * size];
  };
  const scale = h("p", { class: "soft" });
  const groups = makeGroups({ count: target.ipus, size: GRIDS, name: "IPUs", change: () => picture.redraw() });
  const picture = makeCanvas(getSize, options.label, (context) => {
    const shown = options.getValues();
    const max = getMost(shown, 1);
    scale.textContent = `dark is 0, bright is ${formatNumber(max)} ${options.unit}`;
    context.fillStyle = getStyle("--front");
    context.font = "12px system-ui";
    for (let ipu = groups.from; ipu < groups.to; ipu++)
      context.fillText(`IPU ${ipu}`, 0, (ipu - groups.from) * grid + 12);
    const inset = size > 4 ? size - 1 : size;
    for (let tile = groups.from * target.tiles; tile < groups.to * target.tiles; tile++) {
      const [x, y] = getPlace(tile);
      context.fillStyle = getHeat(shown[tile] / max);
      context.fillRect(x, y, inset, inset);
    }
    context.lineWidth = 2;
    for (const tile of options.chosen().filter((t) => getIpu(t) >= groups.from && getIpu(t) < groups.to)) {
      const [x, y] = getPlace(tile);
      context.strokeStyle = "#ffffff";
      context.strokeRect(x, y, size, size);
      context.strokeStyle = "#d55e00";
      context.strokeRect(x - 1.5, y - 1.5, size + 2, size + 2);
    }
  });
  const { canvas } = picture;
  const tileAt = (event) => {
    const [x, y] = picture.getPoint(event);
    const ipu = groups.from + Math.floor(y / grid);
    const row = Math.floor((y % grid - GRID_HEADER + 2) / size), column = Math.floor(x / size);
    const inner = row * columns + column;
    return row >= 0 && column >= 0 && column < columns && inner < target.tiles && ipu < groups.to ? ipu * target.tiles + inner : null;
  };
  canvas.addEventListener("click", (event) => {
    const tile = tileAt(event);
    if (tile !== null)
      options.choose(tile, event.shiftKey);
  });
  canvas.addEventListener("mousemove", (event) => {
    const tile = tileAt(event);
    showTip(event, tile === null ? "" : `tile ${tile}: ${formatNumber(options.getValues()[tile])} ${options.unit}`);
  });
  canvas.addEventListener("mouseleave", (event) => showTip(event, ""));
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const tile = getTile() + (moves[event.key] || 0);
    if (!(event.key in moves) || tile < 0 || tile >= profile.tiles)
      return;
    event.preventDefault();
    options.choose(tile, event.shiftKey);
  });
  const bring = (tile) => groups.bring(getIpu(tile));
  return { element: h("div", {}, groups.element || [], picture.element, scale), canvas, redraw: picture.redraw, bring };
}
