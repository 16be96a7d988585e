// What moves: exchanges between tiles, collectives, and transfers with the host and
// with streaming memory.

function viewExchange(profile) {
  const { data, clock } = profile;
  const { steps, exchange } = data;
  const getBytes = (list, kind) => list.reduce((sum, step) => (step.kind === kind ? sum + step.count * step.bytes : sum), 0);
  const kinds = ["exchange", "collective", "remote", "host", "code"].filter((kind) => data.totals[kind].steps > 0);
  const { hasIo } = profile;
  const getIo = (kind) => steps.reduce((sum, step) => (step.kind === kind ? sum + profile.getIoCycles(step) : sum), 0);
  const total = h("table", { id: "transfers" },
    h("thead", {}, h("tr", {}, ["kind", "executions", "bytes", "cycles", ...(hasIo ? [IO_TILES] : []), "bytes per cycle"].map((t, i) => h("th", { scope: "col", class: i ? "number" : null }, t)))),
    h("tbody", {}, kinds.map((kind) => {
      const bytes = getBytes(steps, kind), io = getIo(kind), cycles = clock[kind] + io;
      return h("tr", { "data-kind": kind }, h("td", {}, chip(kind), kind), ...[data.totals[kind].steps, bytes, clock[kind], ...(hasIo ? [io] : [])].map((n) => h("td", { class: "number" }, formatNumber(n))),
        h("td", { class: "number" }, cycles ? formatQuotient(bytes / cycles) : "none"));
    })));

  // Exchanges with their parts.
  const rows = steps.filter((step) => step.kind === "exchange" && step.exchange).map((step) => ({ step, own: step.exchange, op: profile.opOfStep[step.index] }));
  const table = makeTable({
    label: "exchanges", rows, sort: "cycles", filter: (r) => `${r.step.index} ${r.step.name} ${r.op.name} ${r.step.place}`,
    isSelected: (r) => r.step.index === state.step, choose: (r) => go({ view: "trace", step: r.step.index }),
    columns: [
      { title: "step", number: true, get: (r) => r.step.index }, { title: "name", get: (r) => r.step.name }, { title: "op", get: (r) => r.op.name },
      { title: "executions", number: true, get: (r) => r.step.count },
      { title: "cycles", number: true, get: (r) => profile.getCycles(r.step), hint: "of all executions" },
      { title: "set-up", number: true, get: (r) => r.step.count * r.own.setup_cycles, hint: "cycles of all executions in which nothing moves yet" },
      { title: "bytes received", number: true, get: (r) => r.step.bytes, hint: "by all tiles, in one execution" },
      { title: "sent", number: true, get: (r) => r.own.sent, hint: "an element that several tiles receive is sent once" },
      { title: "most on a tile", number: true, get: (r) => r.own.max_received },
      { title: "tile", number: true, get: (r) => r.own.busiest_receiver, hint: "that receives most" },
      { title: "evenness", number: true, get: (r) => getPermille(r.step.bytes, r.own.max_received * profile.tiles), format: formatPermille, hint: "what the mean tile receives, of what the busiest one does" },
      { title: "bytes per run", number: true, get: (r) => (r.own.runs ? r.step.bytes / r.own.runs : 0), format: formatQuotient, hint: "contiguous elements" },
      { title: "double width", get: (r) => (r.own.in_pairs ? "yes" : "no") },
      { title: "on links", number: true, get: (r) => r.own.links.reduce((sum, link) => sum + link[2], 0), hint: "bytes between IPUs" },
    ],
  });

  const others = steps.filter((step) => ["collective", "remote", "host", "code"].includes(step.kind));
  const transfers = makeTable({
    label: "collectives and transfers", rows: others, sort: "cycles", filter: (s) => `${s.index} ${s.kind} ${s.name} ${profile.opOfStep[s.index].name}`,
    isSelected: (s) => s.index === state.step, choose: (s) => go({ view: "trace", step: s.index }),
    columns: [
      { title: "step", number: true, get: (s) => s.index }, { title: "kind", get: (s) => s.kind, format: (k) => h("span", {}, chip(k), k) },
      { title: "name", get: (s) => s.name }, { title: "op", get: (s) => profile.opOfStep[s.index].name },
      { title: "executions", number: true, get: (s) => s.count }, { title: "cycles", number: true, get: (s) => profile.getCycles(s), hint: "of all executions" },
      ...(hasIo ? [ioColumn(profile)] : []),
      { title: "bytes", number: true, get: (s) => s.bytes, hint: "of one execution" },
      { title: "bytes of all", number: true, get: (s) => s.count * s.bytes },
      { title: "hidden cycles", number: true, get: (s) => s.hidden_cycles, hint: "that buffers of streams save" },
    ],
  });

  if (!kinds.length)
    return [h("p", { id: "nothing-moves" }, "the program moves nothing")];
  const parts = [
    h("h2", {}, "What moves"), total,
    h("p", { class: "soft" }, `cycles are of replica ${clock.replica}, IPU ${clock.ipu}; bytes of one replica, all executions; ${hasIo ? "cycles on I/O tiles go on while the others compute; " : ""}set-up takes ${formatNumber(exchange.setup_cycles)} cycles of exchanges`),
  ];
  if (exchange.tiles.length)
    parts.push(...viewTraffic(profile));
  if (exchange.links.length)
    parts.push(h("h2", {}, data.target.ipus > MATRIX_IPUS ? "Bytes between IPUs" : "Bytes between IPUs, from rows to columns"), makeMatrix(profile));
  parts.push(h("h2", {}, "Exchanges between tiles"), rows.length ? table.element : h("p", {}, "none"));
  parts.push(h("h2", {}, "Collectives and transfers"), others.length ? transfers.element : h("p", {}, "none"));
  return parts;
}

// What each tile sends and receives in all exchanges.
function viewTraffic(profile) {
  const { tiles } = profile.data.exchange;
  const sent = new Float64Array(profile.tiles), received = new Float64Array(profile.tiles);
  for (const [begin, end, out, into] of tiles) {
    sent.fill(out, begin, end);
    received.fill(into, begin, end);
  }
  if (getTile() === null)
    keep({ tiles: [received.indexOf(getMost(received))] });
  let shown = received;
  const details = h("p", { id: "tile-traffic", "aria-live": "polite" });
  const holder = h("div");
  const select = h("select", { id: "direction", "aria-label": "direction", onchange: () => {
    shown = select.value === "sent" ? sent : received;
    grid.redraw();
    drawLines();
  } }, ["received", "sent"].map((way) => h("option", { value: way }, way)));
  const choose = (tile) => {
    keep({ tiles: [tile] });
    grid.bring(tile);
    grid.redraw();
    describe();
  };
  const describe = () => {
    const tile = getTile();
    details.textContent = `tile ${formatNumber(tile)} receives ${formatNumber(received[tile])} bytes and sends ${formatNumber(sent[tile])}`;
  };
  const grid = makeTileGrid(profile, { label: "bytes that tiles exchange; arrow keys choose a tile", unit: "bytes", getValues: () => shown, chosen: () => [getTile()], choose });
  grid.canvas.id = "traffic-map";
  grid.bring(getTile());
  const drawLines = () => drawPlot(holder, 260, [{ label: "bytes", values: shown, colour: getStyle("--exchange"), fill: "rgba(86,180,233,0.3)" }], { xLabel: "tile", choose });
  drawLines();
  describe();
  return [
    h("h2", {}, "Bytes that tiles exchange"),
    h("div", { class: "controls" }, h("label", {}, "bytes ", select), details),
    h("div", { class: "columns" }, h("section", {}, grid.element), h("section", {}, holder)),
    fold("bytes of all tiles", () => makeTable({
      label: "bytes that tiles exchange", rows: [...received.keys()], filter: (tile) => `tile ${tile}`, choose,
      columns: [{ title: "tile", number: true, get: (tile) => tile }, { title: "received", number: true, get: (tile) => received[tile] }, { title: "sent", number: true, get: (tile) => sent[tile] }],
    }).element),
  ];
}

// A table with a column for each IPU has at most so many of them.
const MATRIX_IPUS = 64;

function makeMatrix(profile) {
  const { ipus } = profile.data.target;
  if (ipus > MATRIX_IPUS)
    return makeTable({
      label: "bytes between IPUs", rows: profile.data.exchange.links, filter: ([from, to]) => `IPU ${from} to IPU ${to}`,
      columns: ["from IPU", "to IPU", "bytes"].map((title, i) => ({ title, number: true, get: (r) => r[i] })),
    }).element;
  const bytes = Array.from({ length: ipus }, () => new Array(ipus).fill(0));
  for (const [from, to, moved] of profile.data.exchange.links)
    bytes[from][to] = moved;
  const most = bytes.reduce((most, row) => getMost(row, most), 1);
  // Light on dark, and dark on light.
  const cell = (moved) => h("td", { class: "number", style: moved ? { background: getHeat(moved / most), color: moved / most > 0.6 ? "#000000" : "#ffffff" } : {} }, formatNumber(moved));
  return h("div", { class: "scroll", tabindex: "0" }, h("table", { id: "ipu-matrix" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "from"), bytes.map((_, ipu) => h("th", { scope: "col", class: "number" }, `IPU ${ipu}`)))),
    h("tbody", {}, bytes.map((row, ipu) => h("tr", {}, h("th", { scope: "row" }, `IPU ${ipu}`), row.map(cell))))));
}
VIEWS.push({ id: "exchange", title: "Exchange", make: viewExchange });
