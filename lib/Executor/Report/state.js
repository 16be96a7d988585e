// What is shown: kept in the address, so that it can be linked to.

// `way` is the number of a timeline: that of replicas which ran the same steps. The
// address has `tiles` as `tile=0,5`.
const state = { view: "summary", op: null, step: null, tiles: [], variable: null, way: null };

// The tile that was chosen last; null if none is.
const getTile = () => (state.tiles.length ? state.tiles[state.tiles.length - 1] : null);

function readState(profile) {
  const given = new URLSearchParams(location.hash.slice(1));
  const isBelow = (text, limit) => text !== null && /^\d+$/.test(text) && Number(text) < limit;
  state.view = VIEWS.some((v) => v.id === given.get("view")) ? given.get("view") : "summary";
  state.op = profile.ops.has(given.get("op")) ? given.get("op") : null;
  const limits = { step: profile.data.steps.length, variable: profile.data.variables.length, way: profile.data.timelines.length };
  for (const [key, limit] of Object.entries(limits))
    state[key] = isBelow(given.get(key), limit) ? Number(given.get(key)) : null;
  const tiles = (given.get("tile") || "").split(",").filter((text) => isBelow(text, profile.tiles));
  state.tiles = [...new Set(tiles.map(Number))];
}

function getHash(changes) {
  const next = Object.assign({}, state, changes);
  const text = new URLSearchParams();
  for (const [key, value] of Object.entries(next))
    if (key === "tiles" && value.length)
      text.set("tile", value.join(","));
    else if (key !== "tiles" && value !== null)
      text.set(key, value);
  // Commas need no escape.
  return `#${text}`.replaceAll("%2C", ",");
}

// Changes what is shown. The browser then shows it.
const go = (changes) => { location.hash = getHash(changes); };

// Keeps a choice within a view without drawing it anew.
const keep = (changes) => { Object.assign(state, changes); history.replaceState(null, "", getHash({})); };

const link = (changes, ...text) => h("a", { href: getHash(changes) }, ...text);

const VIEWS = [];
