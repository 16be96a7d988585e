// The program as an icicle: time from left to right, what is in a loop, branch or
// function below it.

const ICICLE_ROW = 24, ICICLE_DEPTH = 12;

// Options: getTotal (cycles of a node), choose(step).
function makeIcicle(profile, options) {
  const { data } = profile;
  const getStep = (node) => data.steps[typeof node === "number" ? node : node.step];
  // Functions take the time of all of their calls, beside the program.
  const roots = [...data.program, ...data.functions.map((f) => ({ named: `function ${f.name}`, bodies: [f.body] }))];
  const getTotal = (node) => {
    if (node.named === undefined)
      return options.getTotal(node);
    return node.bodies[0].reduce((sum, inner) => sum + options.getTotal(inner), 0);
  };
  const sum = Math.max(1, roots.reduce((total, node) => total + getTotal(node), 0));
  const getDepth = (nodes) => nodes.reduce((most, node) => Math.max(most, 1 + (node.bodies ? getMost(node.bodies.map(getDepth)) : 0)), 0);
  const depth = Math.min(ICICLE_DEPTH, getDepth(roots));
  const getSize = (available) => [available, depth * ICICLE_ROW];
  const hits = [];
  const picture = makeCanvas(getSize, "program by time; the tree has the numbers", (context, width) => {
    const theme = hasTheme();
    hits.length = 0;
    context.font = "12px system-ui";
    context.textBaseline = "middle";
    const draw = (nodes, x, row) => {
      for (const node of nodes) {
        const w = (getTotal(node) / sum) * width;
        if (w >= 0.5 && row < depth)
          drawNode(node, x, w, row);
        x += w;
      }
    };
    const drawNode = (node, x, w, row) => {
      const step = node.named === undefined ? getStep(node) : null, top = row * ICICLE_ROW;
      context.fillStyle = step ? getStyle(`--${step.kind}`) : theme.line;
      context.fillRect(x, top, Math.max(w - (w > 3 ? 1 : 0), 0.5), ICICLE_ROW - 2);
      if (step)
        hits.push({ step: step.index, x, w, top });
      if (step && step.index === state.step) {
        context.strokeStyle = theme.front;
        context.lineWidth = 2;
        context.strokeRect(x + 1, top + 1, Math.max(w - 3, 1), ICICLE_ROW - 4);
      }
      if (w > 40) {
        context.save();
        context.beginPath();
        context.rect(x, top, w - 3, ICICLE_ROW);
        context.clip();
        context.fillStyle = step ? "#000000" : theme.front;
        context.fillText(step ? `${step.name}${step.count > 1 ? ` × ${formatNumber(step.count)}` : ""}` : node.named, x + 4, top + ICICLE_ROW / 2);
        context.restore();
      }
      let at = x;
      for (const body of node.bodies || []) {
        draw(body, at, row + 1);
        at += (body.reduce((total, inner) => total + getTotal(inner), 0) / sum) * width;
      }
    };
    draw(roots, 0, 0);
  });
  const { canvas } = picture;
  canvas.id = "icicle";
  const hitAt = (event) => {
    const [x, y] = picture.getPoint(event);
    return hits.find((hit) => x >= hit.x && x < hit.x + hit.w && y >= hit.top && y < hit.top + ICICLE_ROW);
  };
  canvas.addEventListener("mousemove", (event) => {
    const hit = hitAt(event);
    showTip(event, hit ? `step ${hit.step}: ${data.steps[hit.step].kind} ${data.steps[hit.step].name}` : "");
  });
  canvas.addEventListener("mouseleave", (event) => showTip(event, ""));
  canvas.addEventListener("click", (event) => {
    const hit = hitAt(event);
    if (hit)
      options.choose(hit.step);
  });
  return picture;
}
