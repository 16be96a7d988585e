// Checks of profiles from files, which may be edited. The program that writes the page
// checks the files that it reads in the same way, and describes the format in the page.

const FORMAT = JSON.parse(document.getElementById("format").textContent);

const getKind = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

// What of `profile` is not as in the format, as text; empty if nothing is.
function findMismatch(profile) {
  const { members } = FORMAT.profile;
  for (const [key, format] of Object.entries(members))
    if (getKind(profile[key]) !== format.kind)
      return describeMismatch({ path: `.${key}`, text: describeKind(profile[key], format) });
  // Ranges of all other parts depend on these sizes.
  const mismatch = findMismatchIn(profile.target, members.target, {}, ".target");
  if (mismatch)
    return describeMismatch(mismatch);
  const { ipus, replicas, tiles } = profile.target;
  if (ipus * tiles > FORMAT.max_tiles)
    return `'target': expects at most ${FORMAT.max_tiles} tiles of a replica but got ${ipus} IPUs of ${tiles} tiles`;
  const getLength = (list) => (Array.isArray(list) ? list.length : 0);
  const sizes = {
    ipus, replicas, tiles: ipus * tiles, clocks: ipus * replicas, steps: profile.steps.length, moments: Math.max(1, profile.steps.length),
    ops: profile.ops.length, variables: profile.variables.length, functions: profile.functions.length, categories: getLength(profile.memory.categories),
  };
  return describeMismatch(findMismatchIn(profile, FORMAT.profile, sizes, "")) || findDisagreement(profile, sizes);
}

const describeMismatch = (found) => (found ? `'${found.path.replace(/^\./, "")}': ${found.text}` : "");

const describeKind = (value, format) => `expects ${format.kind} but got ${value === undefined ? "nothing" : getKind(value)}`;

// The first value in `value` that is not as in `format`, as its path and a text; null
// if there is none.
function findMismatchIn(value, format, sizes, path) {
  if (getKind(value) !== format.kind)
    return { path, text: describeKind(value, format) };
  if (format.kind === "number")
    return findMismatchOfNumber(value, format, sizes, path);
  if (format.kind === "object") {
    for (const [key, member] of Object.entries(format.members)) {
      // Keys of the object itself: none that all objects have.
      const inner = Object.hasOwn(value, key) ? value[key] : undefined;
      const mismatch = inner === undefined && member.optional ? null : findMismatchIn(inner, member, sizes, "");
      if (mismatch)
        return { path: `${path}.${key}${mismatch.path}`, text: mismatch.text };
    }
    return null;
  }
  if (format.kind !== "array")
    return null;
  const { elements, each } = format, length = elements ? elements.length : sizes[format.size];
  if (length !== undefined && value.length !== length)
    return { path, text: `expects ${length} elements but got ${value.length}` };
  for (let i = 0; i < value.length && (elements || each); i++) {
    const mismatch = findMismatchIn(value[i], elements ? elements[i] : each, sizes, "");
    if (mismatch)
      return { path: `${path}[${i}]${mismatch.path}`, text: mismatch.text };
  }
  return null;
}

function findMismatchOfNumber(value, format, sizes, path) {
  const { least, size } = format, most = size ? sizes[size] + format.beyond : Infinity;
  if (Number.isInteger(value) && Math.abs(value) <= 2 ** 63 && value <= most && (least === undefined || value >= least))
    return null;
  if (most < least)
    return { path, text: `expects no index, as there are no ${size}, but got ${value}` };
  const range = size ? ` from ${least} to ${most}` : least === undefined ? "" : ` of at least ${least}`;
  return { path, text: `expects an integer${range} but got ${value}` };
}

// Parts of a profile whose values are in range, but that do not agree.
function findDisagreement(profile, sizes) {
  const { steps } = profile;
  const isInOp = new Uint8Array(steps.length), hasClass = new Uint8Array(sizes.tiles);
  for (const [number, op] of profile.ops.entries())
    for (const step of op.steps) {
      const { shares } = steps[step];
      if (shares && !shares.some((share) => share.op === number))
        return `'steps[${step}].shares': expects a share of op ${number} but got none`;
      isInOp[step] = 1;
    }
  for (const [i, step] of steps.entries()) {
    if (step.index !== i)
      return `'steps[${i}].index': expects ${i} but got ${step.index}`;
    if (!Object.hasOwn(profile.totals, step.kind))
      return `'steps[${i}].kind': expects a key of 'totals' but got '${step.kind}'`;
    if (!isInOp[i])
      return `'ops': expects each step to be in an op but got step ${i} in none`;
  }
  for (const { tiles } of profile.memory.tile_classes)
    for (const [begin, end] of tiles)
      hasClass.fill(1, begin, end);
  if (hasClass.includes(0))
    return `'memory.tile_classes': expects each tile to be in a class but got tile ${hasClass.indexOf(0)} in none`;
  const { replica } = profile.clocks[profile.slowest_clock];
  if (!profile.timelines.some((timeline) => timeline.replicas.includes(replica)))
    return `'timelines': expects a timeline of replica ${replica} but got none`;
  const bodies = [["program", profile.program], ...profile.functions.map((f, i) => [`functions[${i}].body`, f.body])];
  for (const [path, nodes] of bodies) {
    const mismatch = findMismatchOfNodes(nodes, sizes, path);
    if (mismatch)
      return describeMismatch(mismatch);
  }
  return "";
}

// Of a sequence of steps, calls, loops and branches.
function findMismatchOfNodes(nodes, sizes, path) {
  const { step, bodies } = FORMAT.node.members;
  if (getKind(nodes) !== "array")
    return { path, text: describeKind(nodes, bodies) };
  for (const [i, node] of nodes.entries()) {
    const inner = `${path}[${i}]`;
    const mismatch = findMismatchIn(node, getKind(node) === "object" ? FORMAT.node : step, sizes, inner);
    if (mismatch)
      return mismatch;
    for (const [k, body] of (node.bodies || []).entries()) {
      const mismatchOfBody = findMismatchOfNodes(body, sizes, `${inner}.bodies[${k}]`);
      if (mismatchOfBody)
        return mismatchOfBody;
    }
  }
  return null;
}
