// Which ops of two profiles are the same. Names alone do not say it: an op without a name
// in the source is called after its file and line, which any edit of the source moves.

// Ops that a longest common subsequence may leave out, so that the search stays short.
const MOST_LEFT_OUT = 3000;

// The name of `op` without its place and number, and its type.
function getOpKeys(op) {
  const { place, type } = op;
  let name = op.name.replace(/ #\d+$/, "");
  for (const ending of place ? [` (${place})`, ` ${place}`] : [])
    if (name.endsWith(ending))
      name = name.slice(0, -ending.length);
  return { name, type, key: JSON.stringify([type, name]) };
}

// `items` by what `getKey` makes of them, in their order.
function groupBy(items, getKey) {
  const groups = new Map();
  for (const item of items) {
    const key = getKey(item);
    if (!groups.has(key))
      groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}

// Pairs of indices of a longest common subsequence of the lists `a` and `b`, by the
// algorithm of Myers; none if it leaves out too much.
function getCommon(a, b) {
  // How far each diagonal has come with so many left out: diagonal k is at x in `a` and at
  // x - k in `b`.
  const rounds = [];
  const isFromAbove = (last, k, d) => k === -d || (k !== d && last[k - 1 + d] < last[k + 1 + d]);
  let reached = null;
  for (let d = 0; d <= MOST_LEFT_OUT && !reached; d++) {
    // Of diagonals from -d - 1 to d + 1.
    const last = rounds.length ? rounds[d - 1] : null, now = new Int32Array(2 * d + 3);
    for (let k = -d; k <= d; k += 2) {
      let x = !last ? 0 : isFromAbove(last, k, d) ? last[k + 1 + d] : last[k - 1 + d] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k])
        x++;
      now[k + d + 1] = x;
      if (x >= a.length && x - k >= b.length)
        reached = [d, k];
    }
    rounds.push(now);
  }
  const pairs = [];
  if (!reached)
    return pairs;
  let [d, k] = reached, x = a.length;
  for (; d >= 0; d--) {
    const last = d ? rounds[d - 1] : null, above = last && isFromAbove(last, k, d);
    const start = !last ? 0 : above ? last[k + 1 + d] : last[k - 1 + d] + 1;
    while (x > start) {
      x--;
      pairs.push([x, x - k]);
    }
    if (last) {
      k += above ? 1 : -1;
      x = last[k + d];
    }
  }
  return pairs;
}

// Returns, for each op of `first`, the number of the op of `second` that is the same, or
// -1 if there is none.
function matchOps(first, second) {
  const a = first.map(getOpKeys), b = second.map(getOpKeys);
  const partner = new Array(a.length).fill(-1), isTaken = new Array(b.length).fill(false);
  const take = ([i, j]) => {
    partner[i] = j;
    isTaken[j] = true;
  };
  const getRest = () => [[...a.keys()].filter((i) => partner[i] < 0), [...b.keys()].filter((j) => !isTaken[j])];
  // The k-th of a key with the k-th of it.
  const takeByOrder = (getKeyOfA, getKeyOfB) => {
    const [restOfA, restOfB] = getRest();
    const others = groupBy(restOfB, getKeyOfB);
    for (const [key, own] of groupBy(restOfA, getKeyOfA)) {
      const same = key === null ? [] : others.get(key) || [];
      own.slice(0, same.length).forEach((i, k) => take([i, same[k]]));
    }
  };

  getCommon(a.map(({ key }) => key), b.map(({ key }) => key)).forEach(take);
  // What has moved.
  takeByOrder((i) => a[i].key, (j) => b[j].key);
  // Ops of which another step takes most: by their name in the source, or their place.
  const getName = (keys) => (keys.name === keys.type ? null : keys.name);
  takeByOrder((i) => getName(a[i]), (j) => getName(b[j]));
  const getPlace = (keys, op) => (keys.name === keys.type && op.place ? op.place : null);
  takeByOrder((i) => getPlace(a[i], first[i]), (j) => getPlace(b[j], second[j]));
  return partner;
}
