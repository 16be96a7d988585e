// What the ops of the source cost.

const getFlops = (op) => Object.values(op.flops).reduce((a, b) => a + b, 0);

function viewOperations(profile) {
  const { data } = profile, { ipus } = data.target;
  const rows = data.ops.map((op) => Object.assign({ op }, profile.describeOp(op)));
  const details = h("div", { id: "op-details" });
  const kind = h("select", { id: "op-kind", "aria-label": "mostly", onchange: () => table.update() },
    h("option", { value: "" }, "all kinds"), [...KINDS, ...(profile.hasIo ? [IO_TILES] : [])].map((k) => h("option", { value: k }, `mostly ${k}`)));
  const type = h("select", { id: "op-type", "aria-label": "type", onchange: () => table.update() },
    h("option", { value: "" }, "all types"), [...new Set(data.ops.map((op) => op.type))].sort().map((t) => h("option", { value: t }, t)));
  const cycles = (key) => ({ title: key, number: true, get: (r) => r.op[key] });
  const used = KINDS.filter((k) => data.ops.some((op) => op[k] > 0));
  const table = makeTable({
    label: "operations", rows, sort: "cycles", controls: [kind, type],
    filter: (r) => `${r.op.name} ${r.op.type} ${r.op.place} ${r.codelets} ${r.kind}`, accepts: (r) => (!kind.value || r.kind === kind.value) && (!type.value || r.op.type === type.value),
    isSelected: (r) => r.op.name === state.op, choose: (r) => choose(r.op),
    columns: [
      { title: "op", get: (r) => r.op.name },
      ...(ipus > 1 ? [{ title: "IPUs", get: (r) => profile.getIPUsOf(r.op).join(", "), hint: "that compute it" }] : []),
      { title: "mostly", get: (r) => r.kind },
      cycles("cycles"),
      { title: "share", number: true, get: (r) => r.op.share_permille, format: formatPermille, hint: "of the run's cycles" },
      { title: "utilisation", number: true, get: (r) => r.op.utilisation_ppm, format: (ppm) => formatPermille(Math.floor(ppm / 1000)), hint: "of the peaks of the units that it uses" },
      { title: "wasted", number: true, get: (r) => Math.floor(r.op.cycles * (1 - Math.min(1, r.op.utilisation_ppm / 1e6))), hint: "cycles times what is missing to full utilisation" },
      ...used.map(cycles),
      ...(profile.hasIo ? [{ title: IO_TILES, number: true, get: (r) => profile.getIoCyclesOf(r.op), hint: "cycles of its steps on I/O tiles, while the others compute; no part of its cycles" }] : []),
      { title: "flops", number: true, get: (r) => getFlops(r.op) },
      { title: "bytes", number: true, get: (r) => r.op.bytes, hint: "received by all tiles" },
      { title: "code", number: true, get: (r) => r.op.steps.reduce((sum, i) => sum + data.steps[i].code_bytes, 0), hint: "bytes of its steps on the tile that has most code, without codelets; a step that ops share counts for each of them" },
      { title: "steps", number: true, get: (r) => r.op.steps.length }, { title: "type", get: (r) => r.op.type, hint: "the kind of op whose steps take most of its cycles" },
      { title: "codelets", get: (r) => r.codelets }, { title: "place", get: (r) => r.op.place },
    ],
  });

  function choose(op) {
    keep({ op: op.name });
    table.draw();
    update();
  }

  function update() {
    const op = state.op === null ? null : profile.ops.get(state.op);
    if (!op) {
      details.replaceChildren();
      return;
    }
    details.replaceChildren(
      h("h2", {}, op.name),
      makeTable({
        label: "steps of the op", rows: op.steps.map((i) => data.steps[i]), filter: (s) => `${s.name} ${s.kind}`, isSelected: (s) => s.index === state.step,
        choose: (s) => go({ view: "trace", step: s.index }),
        columns: [
          { title: "step", number: true, get: (s) => s.index }, { title: "kind", get: (s) => s.kind, format: (k) => h("span", {}, chip(k), k) }, { title: "name", get: (s) => s.name },
          { title: "executions", number: true, get: (s) => s.count }, { title: "cycles", number: true, get: (s) => profile.getCyclesOf(op, s), hint: "the share of this op, of all executions" },
          { title: "of the step", number: true, get: (s) => profile.getCycles(s), hint: "cycles of all ops that share the step" },
          ...(profile.hasIo ? [ioColumn(profile)] : []),
          { title: "balance", number: true, get: (s) => s.balance_permille, format: formatPermille },
          { title: "flops", number: true, get: (s) => profile.getShare(op, s).flops }, { title: "bytes", number: true, get: (s) => profile.getShare(op, s).bytes },
          { title: "codelets", get: (s) => s.codelets.join(", ") },
        ],
      }).element);
  }
  // The ops of each type together; a click shows them.
  const byType = new Map();
  for (const { op } of rows) {
    const sum = byType.get(op.type) || { type: op.type, ops: 0, cycles: 0, flops: 0, bytes: 0 };
    byType.set(op.type, sum);
    sum.ops++;
    sum.cycles += op.cycles;
    sum.flops += getFlops(op);
    sum.bytes += op.bytes;
  }
  const types = makeTable({
    label: "types of ops", rows: [...byType.values()], sort: "cycles", filter: (r) => r.type, isSelected: (r) => r.type === type.value,
    choose: (r) => {
      type.value = type.value === r.type ? "" : r.type;
      table.update();
      types.draw();
    },
    columns: [
      { title: "type", get: (r) => r.type }, { title: "ops", number: true, get: (r) => r.ops }, { title: "cycles", number: true, get: (r) => r.cycles },
      { title: "share", number: true, get: (r) => getPermille(r.cycles, data.cycles), format: formatPermille, hint: "of the run's cycles" },
      { title: "flops", number: true, get: (r) => r.flops }, { title: "bytes", number: true, get: (r) => r.bytes, hint: "received by all tiles" },
    ],
  });
  update();
  return [...(ipus > 1 ? [...makeLayers(profile, choose), ...makePipeline(profile)] : []), table.element, details, h("h2", {}, "Totals by type"), types.element];
}
VIEWS.push({ id: "operations", title: "Operations", make: viewOperations });
