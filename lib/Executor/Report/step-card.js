// What is known of a step, beside the pictures.

// All but its tiles. `counts` are the executions of steps by the shown replicas.
function describeStep(profile, index, counts) {
  const { data } = profile;
  const step = data.steps[index], shares = profile.sharesOfStep[index];
  const describeShare = ({ op, cycles }) => [link({ view: "operations", op: op.name }, op.name), shares.length > 1 ? ` ${formatNumber(cycles[profile.clock.ipu])} cycles; ` : ""];
  const variables = (numbers) => listSome(numbers.map((n) => [link({ view: "liveness", variable: n, step: index }, data.variables[n].name), " "]), 12);
  return h("div", { class: "card" },
    h("h3", {}, `Step ${index}: `, chip(step.kind), `${step.kind} ${step.name}`),
    definitions([
      [shares.length > 1 ? "ops" : "op", listSome(shares.map(describeShare), 12)], ["location", step.location || "unknown"],
      step.codelets.length ? ["codelets", step.codelets.join(", ")] : null, step.method ? ["method", step.method] : null,
      ["executions", formatNumber(counts[index])], step.on_io_tiles ? ["runs on", "I/O tiles, while the others compute"] : null, ["cycles of one, by IPU", step.cycles.map(formatNumber).join(", ")],
      ["mean tile", formatNumber(step.mean_cycles)], ["busiest tile", link({ view: "memory", tiles: [step.busiest_tile] }, formatNumber(step.busiest_tile))],
      ["balance", formatPermille(step.balance_permille)], step.flops ? ["flops", `${formatNumber(step.flops)} (${step.unit})`] : null,
      step.bytes ? ["bytes received", formatNumber(step.bytes)] : null, step.code_bytes ? ["bytes of code", formatNumber(step.code_bytes)] : null,
      step.exchange ? ["exchange", describeExchange(step)] : null, step.hidden_cycles ? ["hidden cycles", formatNumber(step.hidden_cycles)] : null,
      step.reads.length ? ["reads", variables(step.reads)] : null, step.writes.length ? ["writes", variables(step.writes)] : null,
      ["see", h("span", {}, link({ view: "trace", step: index }, "trace"), " ", link({ view: "program", step: index }, "program"), " ", link({ view: "liveness", step: index }, "liveness"))],
    ]));
}

function describeExchange(step) {
  const { sent, setup_cycles: setup, busiest_receiver: tile, max_received: most, links } = step.exchange;
  const text = `set-up ${formatNumber(setup)} cycles; ${formatNumber(sent)} bytes sent; tile ${formatNumber(tile)} receives most, ${formatNumber(most)} bytes`;
  return links.length ? `${text}; between IPUs ${links.map(([from, to, bytes]) => `${from} to ${to} ${formatNumber(bytes)}`).join(", ")}` : text;
}

// How evenly tiles work in a step.
function describeBalance(step) {
  const most = getMost(step.cycles, 1);
  const bar = (cycles, label) => h("div", { class: "bar", role: "img", "aria-label": label, style: { maxWidth: "40em" } },
    h("span", { style: { width: `${(cycles / most) * 100}%`, background: colourOf(step.kind) } }));
  const parts = h("div", {}, h("h3", {}, "Tile balance"),
    bar(step.mean_cycles, `the mean tile works ${formatShare(step.mean_cycles, most)} of the time of tile ${step.busiest_tile}`),
    h("p", { class: "soft" }, `the mean tile works ${formatNumber(step.mean_cycles)} cycles, tile ${step.busiest_tile} ${formatNumber(most)}`));
  if (step.tile_cycles) {
    const shares = step.tile_cycles.map((_, part) => formatPermille((part * 1000) / (step.tile_cycles.length - 1)));
    parts.append(h("table", { id: "tile-cycles" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "share of tiles that work no longer"), shares.map((share) => h("th", { scope: "col", class: "number" }, share)))),
      h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, "cycles"), step.tile_cycles.map((cycles) => h("td", { class: "number" }, formatNumber(cycles)))))));
  }
  return parts;
}
