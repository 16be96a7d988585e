// What is shown: kept in the address, so that it can be linked to.

// `way` is the number of a timeline: that of replicas which ran the same steps.
const state = { view: "summary", op: null, step: null, tile: null, variable: null, way: null };

function readState(profile) {
  const given = new URLSearchParams(location.hash.slice(1));
  const isBelow = (text, limit) => text !== null && /^\d+$/.test(text) && Number(text) < limit;
  state.view = VIEWS.some((v) => v.id === given.get("view")) ? given.get("view") : "summary";
  state.op = profile.ops.has(given.get("op")) ? given.get("op") : null;
  const limits = { step: profile.data.steps.length, tile: profile.tiles, variable: profile.data.variables.length, way: profile.data.timelines.length };
  for (const [key, limit] of Object.entries(limits))
    state[key] = isBelow(given.get(key), limit) ? Number(given.get(key)) : null;
}

function getHash(changes) {
  const next = Object.assign({}, state, changes);
  const text = new URLSearchParams();
  for (const [key, value] of Object.entries(next))
    if (value !== null)
      text.set(key, value);
  return `#${text}`;
}

// Changes what is shown. The browser then shows it.
const go = (changes) => { location.hash = getHash(changes); };

// Keeps a choice within a view without drawing it anew.
const keep = (changes) => { Object.assign(state, changes); history.replaceState(null, "", getHash({})); };

const link = (changes, ...text) => h("a", { href: getHash(changes) }, ...text);

const VIEWS = [];
