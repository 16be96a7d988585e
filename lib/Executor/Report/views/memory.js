// Bytes of tiles: a map, a histogram, and what chosen tiles hold.

function viewMemory(profile) {
  const { data } = profile;
  const { memory, target } = data;
  const { categories, total } = profile.getTileBytes();
  if (state.tile === null)
    keep({ tile: memory.fullest_tile });
  const chosen = [state.tile];
  let shown = total;

  const grid = makeTileGrid(profile, { label: "map of tiles; arrow keys choose a tile", unit: "bytes", getValues: () => shown, chosen: () => chosen, choose });
  grid.canvas.id = "tile-map";

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
    grid.redraw();
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
    plotHolder.replaceChildren(makePlot(getWidth, 220, [{ label: "bytes", values: shown, colour: getStyle("--exchange"), fill: "rgba(86,180,233,0.3)" }],
      { xLabel: "tile", limit: shown === total ? target.tile_memory : 0, choose: (tile) => choose(tile, false) }).element);
  }

  function update() {
    grid.redraw();
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
    h("div", { class: "controls" }, h("label", {}, "show ", select), h("label", {}, "tiles ", entry)),
    h("div", { class: "columns" },
      h("section", {}, grid.canvas, grid.scale,
        h("h2", {}, "Tiles by bytes"),
        h("div", { class: "bins", id: "histogram", role: "img", "aria-label": "histogram; each bar has its numbers as a hint" },
          bins.map((tiles, i) => h("div", { "data-tiles": tiles, title: `${formatNumber(i * memory.histogram.bin_bytes)} to ${formatNumber((i + 1) * memory.histogram.bin_bytes)} bytes: ${formatNumber(tiles)} tiles`, style: { height: `${(tiles / most) * 100}%` } }))),
        h("p", { class: "soft" }, `each bar is ${formatNumber(memory.histogram.bin_bytes)} bytes wide, the highest has ${formatNumber(most)} tiles`)),
      h("section", {}, details)),
    h("h2", {}, "Bytes by tile"), h("p", { class: "soft" }, "drag to zoom, double click for all; click to choose a tile; the dashed line is the memory of a tile"), plotHolder,
    describeCode(profile),
  ];
}

// What the code of the tile that has most is made of.
function describeCode(profile) {
  const { code, memory } = profile.data;
  const sum = (list) => list.reduce((total, entry) => total + entry.bytes, 0);
  const table = (label, list) => makeTable({
    label, rows: list, sort: "bytes", filter: (r) => r.name,
    columns: [{ title: label, get: (r) => r.name }, { title: "bytes", number: true, get: (r) => r.bytes }],
  }).element;
  return h("section", { id: "code" },
    h("h2", {}, `Code of tile ${formatNumber(code.tile)}, which has most`),
    h("p", { class: "soft" }, `${formatNumber(memory.max_code_bytes)} bytes with the stack are there at once; codelets have ${formatNumber(sum(code.codelets))}, steps of functions ${formatNumber(sum(code.functions))}, loaded ones included`),
    h("div", { class: "columns" }, table("codelet", code.codelets), table("function", code.functions)));
}
VIEWS.push({ id: "memory", title: "Memory", make: viewMemory });
