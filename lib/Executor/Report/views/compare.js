// Differences to a second profile.

let other = null;
// Why the last file could not be compared with.
let failure = "";

function viewCompare(profile) {
  const message = h("p", { class: "bad", role: "alert", id: "compare-error", hidden: !failure }, failure);
  failure = "";
  const file = h("input", { type: "file", id: "compare-file", accept: ".json", "aria-label": "profile to compare with", onchange: () => {
    const [chosen] = file.files;
    // The same file may be chosen again, when it is another one.
    file.value = "";
    takeFile(chosen);
  } });
  const choose = h("div", { class: "controls" }, h("label", {}, "compare with the profile in ", file), h("span", { class: "soft" }, "or drop it on the page"));
  if (!other)
    return [choose, message];
  const a = profile.data, b = other.data;
  const totals = [
    ["cycles", a.cycles, b.cycles], ["nanoseconds", a.nanoseconds, b.nanoseconds],
    ["bytes of the fullest tile", a.memory.max_tile_bytes, b.memory.max_tile_bytes], ["bytes of the mean tile", a.memory.mean_tile_bytes, b.memory.mean_tile_bytes],
    ["most code on a tile", a.memory.max_code_bytes, b.memory.max_code_bytes],
    ...[...KINDS, "sync_wait", "io"].filter((kind) => profile.clock[kind] || other.clock[kind])
      .map((kind) => [kind === "io" ? `cycles on ${IO_TILES}` : `cycles of ${kind.replace("_", " ")}`, profile.clock[kind], other.clock[kind]]),
  ];
  const categories = a.memory.categories.map((c) => [c.name.replaceAll("_", " "), c.tile_bytes, (b.memory.categories.find((d) => d.name === c.name) || { tile_bytes: 0 }).tile_bytes]);
  const partner = matchOps(a.ops, b.ops), isMatched = new Set(partner);
  const ops = a.ops.map((op, i) => {
    const same = b.ops[partner[i]];
    return { name: op.name, nameInB: same && same.name !== op.name ? same.name : "", before: op.cycles, after: same ? same.cycles : 0, how: same ? "both" : "only in A" };
  });
  b.ops.forEach((op, i) => {
    if (!isMatched.has(i))
      ops.push({ name: op.name, nameInB: "", before: 0, after: op.cycles, how: "only in B" });
  });
  const isRenamed = ops.some((row) => row.nameInB);
  const differs = Object.keys(a.target).filter((key) => a.target[key] !== b.target[key]);
  const table = (id, rows) => h("table", { id },
    h("thead", {}, h("tr", {}, ["", "A", "B", "difference"].map((t, i) => h("th", { scope: "col", class: i ? "number" : null }, t)))),
    h("tbody", {}, rows.map(([name, x, y]) => h("tr", { "data-name": name }, h("td", {}, name), h("td", { class: "number" }, formatNumber(x)), h("td", { class: "number" }, formatNumber(y)), h("td", { class: "number" }, formatDifference(x, y))))));
  return [
    choose, message,
    h("p", {}, `A is ${profile.name}, B is ${other.name}; differences are B less A, in per cent of A`),
    differs.length ? h("p", { class: "bad", id: "targets-differ" }, `the targets differ in ${differs.join(", ")}`) : null,
    h("div", { class: "columns" },
      h("section", {}, h("h2", {}, "Totals"), table("compare-totals", totals)),
      h("section", {}, h("h2", {}, "Memory of the fullest tiles"), table("compare-categories", categories))),
    h("h2", {}, "Operations"),
    makeTable({
      label: "differences of operations", rows: ops, sort: "size of difference", filter: (r) => `${r.name} ${r.nameInB} ${r.how}`,
      columns: [
        { title: "op", get: (r) => r.name }, { title: "in", get: (r) => r.how }, { title: "A", number: true, get: (r) => r.before }, { title: "B", number: true, get: (r) => r.after },
        { title: "difference", number: true, get: (r) => r.after - r.before, format: (_, r) => formatDifference(r.before, r.after) },
        { title: "size of difference", number: true, get: (r) => Math.abs(r.after - r.before) },
        ...(isRenamed ? [{ title: "name in B", get: (r) => r.nameInB, hint: "if it is another one" }] : []),
      ],
    }).element,
  ];
}

// Compares with the profile in `file`, or says in the view what is wrong with it.
async function takeFile(file) {
  if (!file)
    return;
  try {
    other = readProfile(file.name, await file.arrayBuffer());
  } catch (error) {
    failure = error.message;
  }
  const message = document.getElementById("compare-error");
  if (failure && message) {
    message.replaceChildren(failure);
    message.hidden = false;
    failure = "";
    return;
  }
  state.view === "compare" ? show() : go({ view: "compare" });
}
VIEWS.push({ id: "compare", title: "Compare", make: viewCompare });
