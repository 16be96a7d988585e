// Bytes of tiles: a map, a histogram, and what chosen tiles hold.

function viewMemory(profile) {
  const { data } = profile;
  const { memory, target } = data;
  const { categories, total } = profile.getTileBytes();
  if (state.tile === null)
    keep({ tile: memory.fullest_tile });
  const chosen = [state.tile];
  let shown = total;

  // One grid for each IPU, in the order of tiles.
  const columns = Math.ceil(Math.sqrt(target.tiles * 2));
  const rowsOfIPU = Math.ceil(target.tiles / columns);
  const width = Math.min(getWidth() * 0.55, 760), size = width / columns;
  const height = (rowsOfIPU * size + 18) * target.ipus;
  const getPlace = (tile) => {
    const ipu = Math.floor(tile / target.tiles), inner = tile % target.tiles;
    return [(inner % columns) * size, ipu * (rowsOfIPU * size + 18) + 16 + Math.floor(inner / columns) * size];
  };
  const scale = h("p", { class: "soft" });
  const map = makeCanvas(width, height, "map of tiles; arrow keys choose a tile", (context) => {
    let max = 1;
    for (const bytes of shown)
      max = Math.max(max, bytes);
    scale.textContent = `dark is 0, bright is ${formatNumber(max)} bytes`;
    context.fillStyle = getStyle("--front");
    context.font = "12px system-ui";
    for (let ipu = 0; ipu < target.ipus; ipu++)
      context.fillText(`IPU ${ipu}`, 0, ipu * (rowsOfIPU * size + 18) + 12);
    for (let tile = 0; tile < profile.tiles; tile++) {
      const [x, y] = getPlace(tile);
      context.fillStyle = getHeat(shown[tile] / max);
      context.fillRect(x, y, size > 4 ? size - 1 : size, size > 4 ? size - 1 : size);
    }
    context.lineWidth = 2;
    for (const tile of chosen) {
      const [x, y] = getPlace(tile);
      context.strokeStyle = "#ffffff";
      context.strokeRect(x, y, size, size);
      context.strokeStyle = "#d55e00";
      context.strokeRect(x - 1.5, y - 1.5, size + 2, size + 2);
    }
  });
  const tileAt = (event) => {
    const box = map.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const ipu = Math.floor(y / (rowsOfIPU * size + 18));
    const row = Math.floor((y - ipu * (rowsOfIPU * size + 18) - 16) / size), column = Math.floor(x / size);
    const inner = row * columns + column;
    return row >= 0 && column < columns && inner < target.tiles && ipu < target.ipus ? ipu * target.tiles + inner : null;
  };
  map.canvas.id = "tile-map";
  map.canvas.addEventListener("click", (event) => {
    const tile = tileAt(event);
    if (tile !== null)
      choose(tile, event.shiftKey);
  });
  map.canvas.addEventListener("mousemove", (event) => {
    const tile = tileAt(event);
    showTip(event, tile === null ? "" : `tile ${tile}: ${formatNumber(shown[tile])} bytes`);
  });
  map.canvas.addEventListener("mouseleave", (event) => showTip(event, ""));
  map.canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const tile = state.tile + (moves[event.key] || 0);
    if (!(event.key in moves) || tile < 0 || tile >= profile.tiles)
      return;
    event.preventDefault();
    choose(tile, event.shiftKey);
  });

  const entry = h("input", { id: "tile-entry", "aria-label": "tiles to show, as 0,5", size: "12", value: String(state.tile), onchange: () => {
    const tiles = entry.value.split(",").map(Number).filter((t) => Number.isInteger(t) && t >= 0 && t < profile.tiles);
    if (!tiles.length)
      return;
    chosen.splice(0, chosen.length, ...tiles);
    keep({ tile: tiles[tiles.length - 1] });
    update();
  } });
  const select = h("select", { id: "category", "aria-label": "category of the map", onchange: () => {
    shown = select.value === "" ? total : categories[Number(select.value)];
    map.redraw();
    drawPlot();
  } }, h("option", { value: "" }, "all categories"), memory.categories.map((c, i) => h("option", { value: i }, c.name.replaceAll("_", " "))));

  const details = h("div", { id: "tile-details" });
  const plotHolder = h("div");

  function choose(tile, adds) {
    if (!adds)
      chosen.length = 0;
    if (!chosen.includes(tile))
      chosen.push(tile);
    keep({ tile });
    entry.value = chosen.join(",");
    update();
  }

  function drawPlot() {
    plotHolder.replaceChildren(makePlot(getWidth(), 220, [{ label: "bytes", values: shown, colour: getStyle("--exchange"), fill: "rgba(86,180,233,0.3)" }],
      { xLabel: "tile", limit: shown === total ? target.tile_memory : 0, choose: (tile) => choose(tile, false) }).element);
  }

  function update() {
    map.redraw();
    const tile = state.tile, peak = profile.getPeakStep(tile);
    const variables = [];
    let unknown = 0;
    data.variables.forEach((variable, index) => {
      if (!variable.always_live && !profile.isLive(variable, peak))
        return;
      const bytes = getBytesOnTile(variable, tile);
      if (bytes === null)
        unknown++;
      else if (bytes > 0)
        variables.push({ variable, index, bytes });
    });
    const row = (name, get) => h("tr", { "data-category": name }, h("td", {}, name.replaceAll("_", " ")), chosen.map((t) => h("td", { class: "number" }, formatNumber(get(t)))));
    details.replaceChildren(
      h("h2", {}, chosen.length > 1 ? `Tiles ${chosen.join(", ")}` : `Tile ${tile}`),
      h("table", { id: "tile-categories" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "category"), chosen.map((t) => h("th", { scope: "col", class: "number" }, `tile ${t}`)))),
        h("tbody", {}, memory.categories.map((c, i) => row(c.name, (t) => categories[i][t])), row("total", (t) => total[t]))),
      h("h2", {}, `Variables of tile ${tile} at its peak, step ${peak}`),
      unknown ? h("p", { class: "soft" }, `${unknown} buffers of code are not shown: their places are not in the profile`) : "",
      makeTable({
        label: "variables of the tile", rows: variables, sort: "bytes", filter: (r) => `${r.variable.name} ${r.variable.location}`,
        choose: (r) => go({ view: "liveness", variable: r.index, step: data.steps.length ? peak : null }),
        columns: [
          { title: "variable", get: (r) => r.variable.name }, { title: "location", get: (r) => r.variable.location },
          { title: "type", get: (r) => r.variable.type },
          { title: "bytes", number: true, get: (r) => r.bytes, hint: "on this tile, without gaps" },
          { title: "always live", get: (r) => (r.variable.always_live ? "yes" : "no") },
        ],
      }).element);
  }

  const bins = memory.histogram.tiles;
  const most = Math.max(1, ...bins);
  drawPlot();
  update();
  return [
    h("p", { class: profile.fits ? "good" : "bad" }, describeVerdict(profile), `; the mean tile ${formatNumber(memory.mean_tile_bytes)} bytes`),
    h("div", { class: "controls" }, h("label", {}, "show ", select), h("label", {}, "tiles ", entry), saveButton(() => map.canvas, "memory")),
    h("div", { class: "columns" },
      h("section", {}, map.canvas, scale,
        h("h2", {}, "Tiles by bytes"),
        h("div", { class: "bins", id: "histogram", role: "img", "aria-label": "histogram; each bar has its numbers as a hint" },
          bins.map((tiles, i) => h("div", { "data-tiles": tiles, title: `${formatNumber(i * memory.histogram.bin_bytes)} to ${formatNumber((i + 1) * memory.histogram.bin_bytes)} bytes: ${formatNumber(tiles)} tiles`, style: { height: `${(tiles / most) * 100}%` } }))),
        h("p", { class: "soft" }, `each bar is ${formatNumber(memory.histogram.bin_bytes)} bytes wide, the highest has ${formatNumber(most)} tiles`)),
      h("section", {}, details)),
    h("h2", {}, "Bytes by tile"), h("p", { class: "soft" }, "drag to zoom, double click for all; click to choose a tile; the dashed line is the memory of a tile"), plotHolder,
  ];
}
VIEWS.push({ id: "memory", title: "Memory", make: viewMemory });
