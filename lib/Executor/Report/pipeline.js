// The picture shows the calls that each IPU executes: it has a row for each IPU, and time goes
// from left to right. In a pipeline, the functions are its stages, and the n-th call of each
// processes micro-batch n.

const CALL_ROW = 22, CALL_LEFT = 56, CALL_ROWS = 16;

// The golden angle keeps the colours of neighbours apart. Functions that an IPU calls later,
// such as stages of the backward pass, are darker.
const getColourOfCall = (number, rank) => `hsl(${(210 + number * 137.5) % 360}, 55%, ${Math.max(66 - 20 * rank, 26)}%)`;

// The calls of the first timeline, each with the number of calls of its function before it,
// and with the rank of its function among those of its IPU.
function findCalls(profile) {
  const numbers = new Map(), ranks = new Map();
  return (profile.data.timelines[0]?.calls ?? []).map(([index, ipu, start, end]) => {
    const key = `${ipu} ${index}`;
    numbers.set(key, (numbers.get(key) ?? -1) + 1);
    const own = ranks.get(ipu) ?? ranks.set(ipu, []).get(ipu);
    if (!own.includes(index))
      own.push(index);
    return { name: profile.data.functions[index].name, ipu, start, end, number: numbers.get(key), rank: own.indexOf(index) };
  });
}

function makePipeline(profile) {
  const calls = findCalls(profile);
  const rows = Math.min(profile.data.target.ipus, CALL_ROWS);
  if (calls.length === 0)
    return [];
  const first = calls.reduce((least, { start }) => Math.min(least, start), Infinity);
  const last = calls.reduce((most, { end }) => Math.max(most, end), 0);
  let getX = () => CALL_LEFT;
  const picture = makeCanvas((available) => [available, rows * CALL_ROW], "calls of functions by IPU and time", (context, width) => {
    const theme = hasTheme();
    getX = (time) => CALL_LEFT + ((time - first) / Math.max(1, last - first)) * (width - CALL_LEFT);
    context.font = "12px system-ui";
    context.textBaseline = "middle";
    for (let ipu = 0; ipu < rows; ipu++) {
      context.fillStyle = theme.front;
      context.fillText(`IPU ${ipu}`, 4, (ipu + 0.5) * CALL_ROW);
    }
    for (const { ipu, start, end, number, rank } of calls) {
      if (ipu >= rows)
        continue;
      const x = getX(start), w = Math.max(getX(end) - x - 0.5, 0.5);
      context.fillStyle = getColourOfCall(number, rank);
      context.fillRect(x, ipu * CALL_ROW + 1, w, CALL_ROW - 2);
      const text = String(number);
      if (w > context.measureText(text).width + 4) {
        context.fillStyle = "#fff";
        context.fillText(text, x + 2, (ipu + 0.5) * CALL_ROW);
      }
    }
  });
  const { canvas } = picture;
  canvas.id = "calls";
  canvas.addEventListener("mousemove", (event) => {
    const [x, y] = picture.getPoint(event);
    const hit = calls.findLast((call) => call.ipu === Math.floor(y / CALL_ROW) && x >= getX(call.start) && x < getX(call.end));
    showTip(event, hit ? `${hit.name}, call ${hit.number} on IPU ${hit.ipu}: cycles ${formatNumber(hit.start)} to ${formatNumber(hit.end)}` : "");
  });
  canvas.addEventListener("mouseleave", (event) => showTip(event, ""));
  const legend = "The number and the colour of a call are those of its micro-batch. Gaps are copies, waits and steps outside of calls.";
  return [h("h2", {}, "Calls"), picture.element, h("p", {}, legend)];
}
