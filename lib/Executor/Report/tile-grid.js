// Tiles as a heat map, one grid for each IPU, in the order of tiles.

const GRID_HEADER = 18;

// Options: label, getValues (a number of each tile), unit, chosen (tiles with a
// frame), choose(tile, adds). Has canvas, scale (a line that explains colours) and
// redraw().
function makeTileGrid(profile, options) {
  const { target } = profile.data;
  const columns = Math.ceil(Math.sqrt(target.tiles * 2));
  const rows = Math.ceil(target.tiles / columns);
  // Of a tile, and of the tiles of an IPU with their header.
  let size = 0, grid = 0;
  const getSize = () => {
    const width = Math.min(getWidth() * 0.55, 760);
    size = width / columns;
    grid = rows * size + GRID_HEADER;
    return [width, grid * target.ipus];
  };
  const getPlace = (tile) => {
    const ipu = Math.floor(tile / target.tiles), inner = tile % target.tiles;
    return [(inner % columns) * size, ipu * grid + GRID_HEADER - 2 + Math.floor(inner / columns) * size];
  };
  const scale = h("p", { class: "soft" });
  const picture = makeCanvas(getSize, options.label, (context) => {
    const shown = options.getValues();
    let max = 1;
    for (const value of shown)
      max = Math.max(max, value);
    scale.textContent = `dark is 0, bright is ${formatNumber(max)} ${options.unit}`;
    context.fillStyle = getStyle("--front");
    context.font = "12px system-ui";
    for (let ipu = 0; ipu < target.ipus; ipu++)
      context.fillText(`IPU ${ipu}`, 0, ipu * grid + 12);
    const inset = size > 4 ? size - 1 : size;
    for (let tile = 0; tile < profile.tiles; tile++) {
      const [x, y] = getPlace(tile);
      context.fillStyle = getHeat(shown[tile] / max);
      context.fillRect(x, y, inset, inset);
    }
    context.lineWidth = 2;
    for (const tile of options.chosen()) {
      const [x, y] = getPlace(tile);
      context.strokeStyle = "#ffffff";
      context.strokeRect(x, y, size, size);
      context.strokeStyle = "#d55e00";
      context.strokeRect(x - 1.5, y - 1.5, size + 2, size + 2);
    }
  });
  const { canvas } = picture;
  const tileAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const ipu = Math.floor(y / grid);
    const row = Math.floor((y - ipu * grid - GRID_HEADER + 2) / size), column = Math.floor(x / size);
    const inner = row * columns + column;
    return row >= 0 && column >= 0 && column < columns && inner < target.tiles && ipu < target.ipus ? ipu * target.tiles + inner : null;
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
    const tile = state.tile + (moves[event.key] || 0);
    if (!(event.key in moves) || tile < 0 || tile >= profile.tiles)
      return;
    event.preventDefault();
    options.choose(tile, event.shiftKey);
  });
  return { canvas, scale, redraw: picture.redraw };
}
