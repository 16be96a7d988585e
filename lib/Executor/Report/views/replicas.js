// Where the time of each IPU of each replica went.

const WAIT = "sync_wait";

// So many clocks are drawn at once.
const BARS = 64;

function viewReplicas(profile) {
  const { data } = profile;
  const kinds = KINDS.filter((kind) => data.clocks.some((clock) => clock[kind] > 0));
  const chosen = profile.clock;
  const rows = data.clocks.map((clock, number) => ({ clock, number, timeline: data.timelines.findIndex((t) => t.replicas.includes(clock.replica)) }));
  const end = getMost(data.clocks.map((clock) => clock.cycles), 1);

  const LEFT = 150, ROW = 22, AXIS = 20;
  const groups = makeGroups({ count: rows.length, size: BARS, name: "clocks", change: () => picture.redraw() });
  groups.bring(data.slowest_clock);
  const getSize = (available) => [available, AXIS + (groups.to - groups.from) * ROW];
  const picture = makeCanvas(getSize, "time of each IPU by kind; the table has the numbers", (context, width, height) => {
    const theme = hasTheme();
    context.font = "12px system-ui";
    context.textBaseline = "middle";
    const toX = (cycles) => LEFT + (cycles / end) * (width - LEFT - 1);
    for (let part = 0; part < 4; part++) {
      const x = toX((end * part) / 4);
      context.fillStyle = theme.line;
      context.fillRect(x, 0, 1, height);
      context.fillStyle = theme.soft;
      context.fillText(formatNumber(Math.round((end * part) / 4)), x + 3, AXIS / 2);
    }
    rows.slice(groups.from, groups.to).forEach(({ clock }, i) => {
      const top = AXIS + i * ROW;
      context.fillStyle = theme.front;
      context.fillText(`replica ${clock.replica}, IPU ${clock.ipu}`, 4, top + ROW / 2);
      let at = 0;
      for (const kind of kinds) {
        context.fillStyle = getStyle(`--${kind}`);
        context.fillRect(toX(at), top + 3, toX(at + clock[kind]) - toX(at), ROW - 6);
        at += clock[kind];
      }
      drawHatched(context, toX(at), top + 3, toX(at + clock[WAIT]) - toX(at), ROW - 6, theme.soft);
    });
  });
  picture.canvas.id = "clocks";

  const countSent = (ipu) => data.exchange.links.reduce((sum, [from, , bytes]) => sum + (from === ipu ? bytes : 0), 0);
  const ofIPU = (title, hint, get) => ({ title, number: true, get: (r) => get(r.clock.ipu), hint });
  const number = (key, title, hint) => ({ title: title || key, number: true, get: (r) => r.clock[key], hint });
  return [
    h("p", { id: "replica-ways" }, data.timelines.map((timeline, way) => [way ? "; " : "", describeWay(timeline), " (", link({ view: "trace", way }, "trace"), ")"])),
    h("p", { class: "soft" }, "kinds from left to right: ", kinds.map((kind) => h("span", {}, chip(kind), `${kind} `)), "hatched: waits for others"),
    groups.element, picture.element,
    h("h2", {}, "Clocks"),
    makeTable({
      label: "clocks", rows, filter: (r) => `replica ${r.clock.replica} IPU ${r.clock.ipu}`, isSelected: (r) => r.clock === chosen,
      columns: [
        number("replica"), number("ipu", "IPU"), { title: "slowest", get: (r) => (r.clock === chosen ? "yes" : "no") },
        number("cycles"), ...kinds.map((kind) => number(kind)),
        number(WAIT, "waits", "for other IPUs and replicas, for I/O tiles, and at the end for the host"),
        { title: "waits of all", number: true, get: (r) => getPermille(r.clock[WAIT], r.clock.cycles), format: formatPermille },
        number("io", "I/O tiles", "what goes on while the other tiles compute"), number("host_hidden", "hidden by buffers"),
        ofIPU("fullest tile", "bytes of the IPU's fullest tile", (ipu) => data.memory.ipus[ipu].max_tile_bytes),
        ofIPU("bytes of tiles", "of all tiles of the IPU", (ipu) => data.memory.ipus[ipu].total_bytes),
        ofIPU("bytes sent", "over links to other IPUs, by the slowest replica", countSent),
        { title: "way", number: true, get: (r) => r.timeline + 1, hint: "replicas with the same way ran the same steps" },
      ],
    }).element,
  ];
}

function describeReplicas({ replicas }) {
  const names = replicas.length > 8 ? `${replicas.slice(0, 8).join(", ")} and ${replicas.length - 8} more` : replicas.join(", ");
  return `${replicas.length > 1 ? "replicas" : "replica"} ${names}`;
}

function describeWay(timeline) {
  const ran = timeline.counts.filter((count) => count > 0).length;
  return `${describeReplicas(timeline)} ran ${formatNumber(ran)} of ${formatNumber(timeline.counts.length)} steps${timeline.replicas.length > 1 ? ", the same ones" : ""}`;
}

// Waits are no work: hatched, so that no colour is needed to see it.
function drawHatched(context, x, y, width, height, colour) {
  if (width <= 0)
    return;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = -height; at < width; at += 6) {
    context.moveTo(x + at, y + height);
    context.lineTo(x + at + height, y);
  }
  context.stroke();
  context.strokeRect(x, y, width, height);
  context.restore();
}
VIEWS.push({ id: "replicas", title: "Replicas", make: viewReplicas });
