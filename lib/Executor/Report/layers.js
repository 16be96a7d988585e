// Which IPU executes which ops: a row for each IPU, and the ops from left to right in
// the order of the program.

const LAYER_ROW = 20, LAYER_LEFT = 56, LAYER_ROWS = 16;

// The golden angle keeps the colours of neighbours apart.
const getColourOfIPU = (ipu) => `hsl(${(210 + ipu * 137.5) % 360}, 55%, 58%)`;
const chipOfIPU = (ipu) => h("span", { class: "chip", style: { background: getColourOfIPU(ipu) }, "aria-hidden": "true" });

// The ops that take time, each with the cycles of every IPU and the IPUs that compute it.
function findLayers(profile) {
  const { data } = profile;
  const layers = data.ops.filter((op) => op.steps.length > 0).map((op) => {
    const cycles = profile.getCyclesOfIPUs(op);
    return { op, cycles, most: getMost(cycles), ipus: profile.getIPUsOf(op) };
  });
  return layers.filter(({ most }) => most > 0).sort((a, b) => a.op.steps[0] - b.op.steps[0]);
}

// The first and the last op of each IPU that computes ops which no other IPU computes.
function describeParts(layers, ipus) {
  const parts = [];
  for (let ipu = 0; ipu < ipus; ipu++) {
    const own = layers.filter((layer) => layer.ipus.length === 1 && layer.ipus[0] === ipu);
    if (own.length > 0)
      parts.push(h("li", {}, chipOfIPU(ipu), `IPU ${ipu}: ${formatNumber(own.length)} ${own.length > 1 ? "ops" : "op"}, ${own[0].op.name} to ${own[own.length - 1].op.name}`));
  }
  return parts.length > 0 ? h("ul", { id: "parts" }, parts) : null;
}

function makeLayers(profile, choose) {
  const { ipus } = profile.data.target;
  const layers = findLayers(profile);
  const sum = Math.max(1, layers.reduce((total, { most }) => total + most, 0));
  const rows = Math.min(ipus, LAYER_ROWS);
  const hits = [];
  const picture = makeCanvas((available) => [available, rows * LAYER_ROW], "ops by IPU; the table has the numbers", (context, width) => {
    const theme = hasTheme();
    hits.length = 0;
    context.font = "12px system-ui";
    context.textBaseline = "middle";
    for (let ipu = 0; ipu < rows; ipu++) {
      context.fillStyle = theme.front;
      context.fillText(`IPU ${ipu}`, 4, (ipu + 0.5) * LAYER_ROW);
    }
    let x = LAYER_LEFT;
    for (const { op, cycles, most } of layers) {
      const w = (most / sum) * (width - LAYER_LEFT);
      cycles.slice(0, rows).forEach((own, ipu) => {
        if (own === 0)
          return;
        context.fillStyle = getColourOfIPU(ipu);
        context.fillRect(x, ipu * LAYER_ROW + 1, Math.max((own / most) * w, 0.5), LAYER_ROW - 2);
        hits.push({ op, ipu, own, x, w });
      });
      x += w;
    }
  });
  const { canvas } = picture;
  canvas.id = "layers";
  const hitAt = (event) => {
    const [x, y] = picture.getPoint(event);
    return hits.find((hit) => x >= hit.x && x < hit.x + hit.w && Math.floor(y / LAYER_ROW) === hit.ipu);
  };
  canvas.addEventListener("mousemove", (event) => {
    const hit = hitAt(event);
    showTip(event, hit ? `${hit.op.name}: ${formatNumber(hit.own)} cycles on IPU ${hit.ipu}` : "");
  });
  canvas.addEventListener("mouseleave", (event) => showTip(event, ""));
  canvas.addEventListener("click", (event) => {
    const hit = hitAt(event);
    if (hit)
      choose(hit.op);
  });
  const title = ipus > rows ? `The first ${rows} of ${formatNumber(ipus)} IPUs` : "IPUs";
  return [h("h2", {}, title), picture.element, describeParts(layers, ipus)];
}
