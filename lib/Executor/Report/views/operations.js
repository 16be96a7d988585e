// What the ops of the source cost.

function viewOperations(profile) {
  const { data } = profile;
  const rows = data.ops.map((op) => Object.assign({ op }, profile.describeOp(op)));
  const details = h("div", { id: "op-details" });
  const kind = h("select", { id: "op-kind", "aria-label": "mostly", onchange: () => table.update() },
    h("option", { value: "" }, "all kinds"), [...KINDS, ...(profile.hasIo ? [IO_TILES] : [])].map((k) => h("option", { value: k }, `mostly ${k}`)));
  const cycles = (key) => ({ title: key, number: true, get: (r) => r.op[key] });
  const used = KINDS.filter((k) => data.ops.some((op) => op[k] > 0));
  const table = makeTable({
    label: "operations", rows, sort: "cycles", controls: [kind],
    filter: (r) => `${r.op.name} ${r.op.type} ${r.op.place} ${r.codelets} ${r.kind}`, accepts: (r) => !kind.value || r.kind === kind.value,
    isSelected: (r) => r.op.name === state.op, choose: (r) => choose(r.op),
    columns: [
      { title: "op", get: (r) => r.op.name }, { title: "mostly", get: (r) => r.kind },
      cycles("cycles"),
      { title: "share", number: true, get: (r) => r.op.share_permille, format: formatPermille, hint: "of the run's cycles" },
      { title: "utilisation", number: true, get: (r) => r.op.utilisation_ppm, format: (ppm) => formatPermille(Math.floor(ppm / 1000)), hint: "of the peaks of the units that it uses" },
      { title: "wasted", number: true, get: (r) => Math.floor(r.op.cycles * (1 - Math.min(1, r.op.utilisation_ppm / 1e6))), hint: "cycles times what is missing to full utilisation" },
      ...used.map(cycles),
      ...(profile.hasIo ? [{ title: IO_TILES, number: true, get: (r) => profile.getIoCyclesOf(r.op), hint: "cycles of its steps on I/O tiles, while the others compute; no part of its cycles" }] : []),
      { title: "flops", number: true, get: (r) => Object.values(r.op.flops).reduce((a, b) => a + b, 0) },
      { title: "bytes", number: true, get: (r) => r.op.bytes, hint: "received by all tiles" },
      { title: "code", number: true, get: (r) => r.op.steps.reduce((sum, i) => sum + data.steps[i].code_bytes, 0), hint: "bytes of its steps on the tile that has most code, without codelets" },
      { title: "steps", number: true, get: (r) => r.op.steps.length }, { title: "type", get: (r) => r.op.type, hint: "the name of its step with most cycles" },
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
          { title: "executions", number: true, get: (s) => s.count }, { title: "cycles", number: true, get: (s) => profile.getCycles(s), hint: "of all executions" },
          ...(profile.hasIo ? [ioColumn(profile)] : []),
          { title: "balance", number: true, get: (s) => s.balance_permille, format: formatPermille },
          { title: "flops", number: true, get: (s) => s.flops }, { title: "bytes", number: true, get: (s) => s.bytes },
          { title: "codelets", get: (s) => s.codelets.join(", ") },
        ],
      }).element);
  }
  update();
  return [table.element, details];
}
VIEWS.push({ id: "operations", title: "Operations", make: viewOperations });
