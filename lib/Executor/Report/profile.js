// What views need of a profile and what follows from it.

class Profile {
  constructor(name, data) {
    this.name = name;
    this.data = data;
    this.opOfStep = new Array(data.steps.length).fill(null);
    for (const op of data.ops)
      for (const step of op.steps)
        this.opOfStep[step] = op;
    this.clock = data.clocks[data.slowest_clock];
    this.tiles = data.target.ipus * data.target.tiles;
    this.timeline = data.timelines.find((t) => t.replicas.includes(this.clock.replica));
    this.ops = new Map(data.ops.map((op) => [op.name, op]));
  }

  // The clock that waited least, of the IPUs of the replicas of `timeline`.
  getSlowestClock(timeline) {
    if (timeline === this.timeline)
      return this.clock;
    const getBusy = (clock) => clock.cycles - clock.sync_wait;
    return this.data.clocks.filter((clock) => timeline.replicas.includes(clock.replica))
      .reduce((slowest, clock) => (getBusy(clock) > getBusy(slowest) ? clock : slowest));
  }

  get fits() {
    const memory = this.data.memory;
    return memory.tiles_over_memory === 0 && memory.max_code_bytes <= this.data.target.code_memory;
  }

  // Cycles of the slowest IPU of all executions.
  getCycles(step) {
    return step.count * step.cycles[this.clock.ipu] - step.hidden_cycles;
  }

  // The kind that takes most of an op, and the codelets or the method of it.
  describeOp(op) {
    let kind = KINDS[0];
    for (const other of KINDS)
      if (op[other] > op[kind])
        kind = other;
    const how = new Set();
    for (const index of op.steps)
      if (this.data.steps[index].kind === "compute")
        for (const codelet of this.data.steps[index].codelets)
          how.add(codelet);
    return { kind, codelets: [...how].join(", ") };
  }

  // For each category an array over tiles; and the sum.
  getTileBytes() {
    if (this.tileBytes)
      return this.tileBytes;
    const { memory } = this.data;
    const categories = memory.categories.map(() => new Float64Array(this.tiles));
    const total = new Float64Array(this.tiles);
    for (const tileClass of memory.tile_classes)
      for (const [begin, end] of tileClass.tiles) {
        total.fill(tileClass.bytes, begin, end);
        tileClass.categories.forEach((bytes, i) => categories[i].fill(bytes, begin, end));
      }
    this.tileBytes = { categories, total };
    return this.tileBytes;
  }

  getPeakStep(tile) {
    return this.data.memory.tile_classes.find((c) => c.tiles.some(([begin, end]) => begin <= tile && tile < end)).peak_step;
  }

  isLive(variable, step) {
    return variable.ranges.some(([first, last]) => first <= step && step <= last);
  }
}

// The bytes of each step, of entries from whose step on they change.
function expandCurve(entries, steps) {
  const result = new Float64Array(steps);
  entries.forEach((entry, i) => {
    result.fill(entry.bytes, entry.step, i + 1 < entries.length ? entries[i + 1].step : steps);
  });
  return result;
}

// The profile in a text; throws, with a message for the user, if it is none of the
// format that this page shows.
function readProfile(name, text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Error(`${name}: expects a profile but got invalid or truncated JSON`);
  }
  if (!data || typeof data !== "object" || !Number.isInteger(data.version))
    throw new Error(`${name}: expects a profile, which has a version`);
  if (data.version !== FORMAT.version)
    throw new Error(`${name}: expects a profile of version ${FORMAT.version} but got version ${data.version}`);
  let mismatch;
  try {
    mismatch = findMismatch(data);
  } catch (error) {
    // Values may nest deeper than functions can.
    mismatch = error.message;
  }
  if (mismatch)
    throw new Error(`${name}: ${mismatch}`);
  return new Profile(name, data);
}
