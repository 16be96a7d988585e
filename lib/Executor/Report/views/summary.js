// The answer first: does it fit, how long does it take, what takes most?

function describeVerdict(profile) {
  const { memory, target } = profile.data;
  let text = `${profile.fits ? "fits" : "does not fit"}: the fullest tile needs ${formatNumber(memory.max_tile_bytes)} of ${formatNumber(target.tile_memory)} bytes (${formatShare(memory.max_tile_bytes, target.tile_memory)})`;
  if (memory.max_code_bytes > target.code_memory)
    text += `, ${formatNumber(memory.max_code_bytes)} of ${formatNumber(target.code_memory)} for code`;
  return text;
}

function viewSummary(profile) {
  const { data, clock } = profile;
  const { target, memory, streaming_memory: streaming } = data;
  const parts = KINDS.map((kind) => ({ kind, cycles: clock[kind], steps: data.totals[kind].steps }));
  parts.push({ kind: "sync wait", cycles: clock.sync_wait, steps: null });
  const shown = parts.filter((p) => p.cycles > 0).sort((a, b) => b.cycles - a.cycles);
  const most = shown[0];
  const top = [...data.ops].sort((a, b) => b.cycles - a.cycles).slice(0, 5).filter((op) => op.cycles > 0);
  const [advice] = data.advice;
  // Waits are hatched: they are no work.
  const colour = (kind) => (kind === "sync wait" ? "repeating-linear-gradient(45deg, transparent 0 3px, var(--back) 3px 6px) var(--soft)" : colourOf(kind));

  return [
    h("p", { class: `verdict ${profile.fits ? "good" : "bad"}`, id: "verdict" }, describeVerdict(profile)),
    h("p", { class: "verdict", id: "time" }, `takes ${formatTime(data.nanoseconds)}, ${formatNumber(data.cycles)} cycles at ${target.clock_hz / 1e9} GHz`),
    most ? h("p", { class: "verdict", id: "dominant" }, `mostly ${most.kind}: ${formatShare(most.cycles, clock.cycles)} of the time`) : null,
    advice ? h("p", { id: "first-advice" }, "to try first: ", link({ view: "insights" }, advice.text), advice.saving ? ` (at most ${formatShare(advice.saving, data.cycles)} of the time)` : "") : null,
    h("div", { class: "columns" },
      h("section", {},
        h("h2", {}, "Time by kind of step"),
        h("div", { class: "bar", role: "img", "aria-label": "shares of the time by kind; the table has the numbers" },
          shown.map((p) => h("span", { title: p.kind, style: { background: colour(p.kind), width: `${(p.cycles / clock.cycles) * 100}%` } }))),
        h("table", { id: "kinds" },
          h("thead", {}, h("tr", {}, ["kind", "cycles", "share", "steps"].map((t, i) => h("th", { scope: "col", class: i ? "number" : null }, t)))),
          h("tbody", {}, shown.map((p) => h("tr", { "data-kind": p.kind },
            h("td", {}, h("span", { class: "chip", style: { background: colour(p.kind) } }), p.kind),
            h("td", { class: "number" }, formatNumber(p.cycles)),
            h("td", { class: "number" }, formatShare(p.cycles, clock.cycles)),
            h("td", { class: "number" }, p.steps === null ? "" : formatNumber(p.steps)))))),
        clock.io ? h("p", { class: "soft", id: "io" }, `I/O tiles, at the same time: ${formatNumber(clock.io)} cycles`) : null,
        data.clocks.length > 1 ? h("p", { class: "soft" }, `of replica ${clock.replica}, IPU ${clock.ipu}, the slowest of ${data.clocks.length}`) : null,
        h("h2", {}, "Ops with most cycles"),
        h("table", { id: "top-ops" },
          h("thead", {}, h("tr", {}, ["op", "mostly", "cycles", "share"].map((t, i) => h("th", { scope: "col", class: i > 1 ? "number" : null }, t)))),
          h("tbody", {}, top.map((op) => h("tr", {},
            h("td", {}, link({ view: "operations", op: op.name }, op.name)),
            h("td", {}, profile.describeOp(op).kind),
            h("td", { class: "number" }, formatNumber(op.cycles)),
            h("td", { class: "number" }, formatPermille(op.share_permille))))))),
      h("section", {},
        h("h2", {}, "Memory of the fullest tile"),
        h("p", {}, "tile ", link({ view: "memory", tiles: [memory.fullest_tile] }, formatNumber(memory.fullest_tile)), ", at its peak in step ", link({ view: "liveness", step: data.steps.length ? memory.peak_step : null }, formatNumber(memory.peak_step))),
        h("table", { id: "categories" },
          h("thead", {}, h("tr", {}, ["category", "bytes", "share", "of all tiles"].map((t, i) => h("th", { scope: "col", class: i ? "number" : null }, t)))),
          h("tbody", {}, memory.categories.map((c) => h("tr", { "data-category": c.name },
            h("td", {}, c.name.replaceAll("_", " ") + (c.estimated ? " (estimated)" : "")),
            h("td", { class: "number" }, formatNumber(c.tile_bytes)),
            h("td", { class: "number" }, formatShare(c.tile_bytes, memory.max_tile_bytes)),
            h("td", { class: "number" }, formatNumber(c.total_bytes)))))),
        streaming.buffers.length ? [
          h("h2", {}, "Streaming memory of a replica"),
          h("p", {}, `${formatNumber(streaming.bytes)} of ${formatNumber(streaming.capacity)} bytes (${formatShare(streaming.bytes, streaming.capacity)})`),
          h("table", { id: "remote-buffers" },
            h("thead", {}, h("tr", {}, ["buffer", "rows", "bytes of a row", "bytes"].map((t, i) => h("th", { scope: "col", class: i ? "number" : null }, t)))),
            h("tbody", {}, streaming.buffers.map((b) => h("tr", {},
              h("td", { title: b.location }, b.name),
              h("td", { class: "number" }, formatNumber(b.rows)),
              h("td", { class: "number" }, formatNumber(b.row_bytes)),
              h("td", { class: "number" }, formatNumber(b.bytes))))))] : null,
        h("h2", {}, "Machine"),
        definitions([
          ["target", target.preset], ["replicas × IPUs × tiles", `${target.replicas} × ${target.ipus} × ${formatNumber(target.tiles)}`],
          ["steps", formatNumber(data.steps.length)], ["variables", formatNumber(data.variables.length)],
          ["utilisation of units", formatPermille(Math.floor(data.unit_utilisation_ppm / 1000))],
        ]))),
  ];
}
VIEWS.push({ id: "summary", title: "Summary", make: viewSummary });
