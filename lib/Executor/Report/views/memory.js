// Bytes of tiles: a map, a histogram, and what chosen tiles hold.

// Bars of the histogram that are drawn. Profiles have fewer, unless they were edited.
const MOST_BARS = 1000;

function viewMemory(profile) {
  const { data } = profile;
  const { memory, target } = data;
  const { categories, total } = profile.getTileBytes();
  if (!state.tiles.length)
    keep({ tiles: [memory.fullest_tile] });
  let shown = total;

  const grid = makeTileGrid(profile, { label: "map of tiles; arrow keys choose a tile", unit: "bytes", getValues: () => shown, chosen: () => state.tiles, choose });
  grid.canvas.id = "tile-map";
  grid.bring(getTile());

  const message = h("p", { id: "tile-error", class: "bad", role: "alert", hidden: true });
  const entry = h("input", { id: "tile-entry", "aria-label": "tiles to show, as 0,5", size: "12", value: state.tiles.join(","), onchange: () => {
    const { tiles, problem } = readTiles(entry.value, profile.tiles);
    message.textContent = problem;
    message.hidden = !problem;
    entry.setAttribute("aria-invalid", String(Boolean(problem)));
    if (!problem)
      chooseAll(tiles);
  } });
  const select = h("select", { id: "category", "aria-label": "category of the map", onchange: () => {
    shown = select.value === "" ? total : categories[Number(select.value)];
    grid.redraw();
    drawLines();
  } }, h("option", { value: "" }, "all categories"), memory.categories.map((c, i) => h("option", { value: i }, c.name.replaceAll("_", " "))));

  const details = h("div", { id: "tile-details" });
  const plotHolder = h("div");

  function choose(tile, adds) {
    const others = adds ? state.tiles.filter((other) => other !== tile) : [];
    message.hidden = true;
    entry.setAttribute("aria-invalid", "false");
    chooseAll([...others, tile]);
    entry.value = state.tiles.join(",");
  }

  function chooseAll(tiles) {
    keep({ tiles });
    grid.bring(getTile());
    grid.redraw();
    update();
  }

  function drawLines() {
    drawPlot(plotHolder, 220, [{ label: "bytes", values: shown, colour: getStyle("--exchange"), fill: "rgba(86,180,233,0.3)" }],
      { xLabel: "tile", limit: shown === total ? target.tile_memory : 0, limitName: "the memory of a tile", choose: (tile) => choose(tile, false) });
  }

  function update() {
    const { tiles } = state;
    const row = (name, get) => h("tr", { "data-category": name }, h("td", {}, name.replaceAll("_", " ")), tiles.map((t) => h("td", { class: "number" }, formatNumber(get(t)))));
    details.replaceChildren(
      h("h2", {}, tiles.length > 1 ? `Tiles ${tiles.join(", ")}` : `Tile ${tiles[0]}`),
      h("div", { class: "wide" }, h("table", { id: "tile-categories" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "category"), tiles.map((t) => h("th", { scope: "col", class: "number" }, `tile ${t}`)))),
        h("tbody", {}, memory.categories.map((c, i) => row(c.name, (t) => categories[i][t])), row("total", (t) => total[t])))),
      ...describeVariables(profile, tiles));
  }

  const bins = memory.histogram.tiles;
  const most = getMost(bins, 1);
  drawLines();
  update();
  return [
    h("p", { class: profile.fits ? "good" : "bad" }, describeVerdict(profile), `; the mean tile ${formatNumber(memory.mean_tile_bytes)} bytes`),
    h("div", { class: "controls" }, h("label", {}, "show ", select), h("label", {}, "tiles ", entry)), message,
    h("div", { class: "columns" },
      h("section", {}, grid.element,
        h("h2", {}, "Tiles by bytes"),
        h("div", { class: "bins", id: "histogram", role: "img", "aria-label": "histogram; each bar has its numbers as a hint" },
          bins.slice(0, MOST_BARS).map((tiles, i) => h("div", { "data-tiles": tiles, title: `${formatNumber(i * memory.histogram.bin_bytes)} to ${formatNumber((i + 1) * memory.histogram.bin_bytes)} bytes: ${formatNumber(tiles)} tiles`, style: { height: `${(tiles / most) * 100}%` } }))),
        h("p", { class: "soft" }, `each bar is ${formatNumber(memory.histogram.bin_bytes)} bytes wide, the highest has ${formatNumber(most)} tiles`),
        bins.length > MOST_BARS ? h("p", { class: "soft" }, `the first ${formatNumber(MOST_BARS)} of ${formatNumber(bins.length)} bars`) : null,
        fold("numbers of the bars", () => makeTable({
          label: "tiles by bytes", rows: bins.map((tiles, i) => ({ tiles, from: i * memory.histogram.bin_bytes })), filter: (r) => String(r.from),
          columns: [
            { title: "from bytes", number: true, get: (r) => r.from }, { title: "below", number: true, get: (r) => r.from + memory.histogram.bin_bytes },
            { title: "tiles", number: true, get: (r) => r.tiles },
          ],
        }).element)),
      h("section", {}, details)),
    h("h2", {}, "Bytes by tile"), h("p", { class: "soft" }, "drag to zoom, double click for all; click to choose a tile; the dashed line is the memory of a tile"), plotHolder,
    fold("bytes of all tiles", () => makeTable({
      label: "bytes by tile", rows: [...total.keys()], filter: (tile) => `tile ${tile}`, choose: (tile, event) => choose(tile, event.shiftKey),
      columns: [
        { title: "tile", number: true, get: (tile) => tile }, { title: "total", number: true, get: (tile) => total[tile] },
        ...memory.categories.map((c, i) => ({ title: c.name.replaceAll("_", " "), number: true, get: (tile) => categories[i][tile] })),
      ],
    }).element),
    describeCode(profile),
  ];
}

// The tiles in a text such as 0,5, or the problem with it.
function readTiles(text, count) {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.some((part) => !/^\d+$/.test(part) || Number(part) >= count))
    return { problem: `expects tiles from 0 to ${formatNumber(count - 1)}, such as 0 or 0,${count - 1}, but got '${text}'` };
  const tiles = parts.map(Number), twice = tiles.find((tile, i) => tiles.indexOf(tile) < i);
  return { tiles, problem: twice === undefined ? "" : `expects each tile once but got tile ${twice} twice` };
}

// What is on each of `tiles` at its peak.
function describeVariables(profile, tiles) {
  const { data } = profile;
  const peaks = tiles.map((tile) => profile.getPeakStep(tile));
  const rows = [];
  let unknown = 0;
  data.variables.forEach((variable, index) => {
    const isThere = peaks.map((peak) => variable.always_live || profile.isLive(variable, peak));
    if (!isThere.includes(true))
      return;
    const bytes = tiles.map((tile, i) => (isThere[i] ? getBytesOnTile(variable, tile) : 0));
    if (bytes.includes(null))
      unknown++;
    else if (bytes.some((n) => n > 0))
      rows.push({ variable, index, bytes });
  });
  const isOne = tiles.length === 1;
  const last = tiles.length - 1;
  const titles = tiles.map((tile) => (isOne ? "bytes" : `on tile ${tile}`));
  return [
    h("h2", { id: "peaks" }, isOne ? `Variables of tile ${tiles[0]} at its peak, step ${peaks[0]}` : `Variables at the peaks: ${tiles.map((tile, i) => `tile ${tile} in step ${peaks[i]}`).join(", ")}`),
    unknown ? h("p", { class: "soft" }, `${unknown} buffers of code are not shown: their places are not in the profile`) : "",
    makeTable({
      label: isOne ? "variables of the tile" : "variables of the tiles", rows, sort: titles[last], filter: (r) => `${r.variable.name} ${r.variable.location}`,
      choose: (r) => go({ view: "liveness", variable: r.index, step: data.steps.length ? peaks[last] : null }),
      columns: [
        { title: "variable", get: (r) => r.variable.name }, { title: "location", get: (r) => r.variable.location },
        { title: "type", get: (r) => r.variable.type },
        ...titles.map((title, i) => ({ title, number: true, get: (r) => r.bytes[i], hint: "at the peak of the tile, without gaps" })),
        { title: "always live", get: (r) => (r.variable.always_live ? "yes" : "no") },
      ],
    }).element,
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
