// What views need of a profile and what follows from it.

// Of a node of the program, which is the number of a step if it has nothing else.
const getStepOf = (node) => (typeof node === "number" ? node : node.step);

// What ops do that only have steps on I/O tiles.
const IO_TILES = "I/O tiles";

class Profile {
  constructor(name, data) {
    this.name = name;
    this.data = data;
    this.clock = data.clocks[data.slowest_clock];
    // The ops of each step with their shares of one execution, greatest share first.
    this.sharesOfStep = data.steps.map(() => []);
    for (const [number, op] of data.ops.entries())
      for (const index of op.steps) {
        const step = data.steps[index];
        const { cycles, flops, bytes } = step.shares ? step.shares.find((share) => share.op === number) : step;
        this.sharesOfStep[index].push({ op, cycles, flops, bytes });
      }
    for (const shares of this.sharesOfStep)
      shares.sort((a, b) => b.cycles[this.clock.ipu] - a.cycles[this.clock.ipu]);
    this.opOfStep = this.sharesOfStep.map(([first]) => first.op);
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

  // Cycles of the slowest IPU of all executions. Steps on I/O tiles take none of the
  // time of the run: their cycles are beside the others.
  getCycles(step) {
    return step.on_io_tiles ? 0 : step.count * step.cycles[this.clock.ipu] - step.hidden_cycles;
  }

  getIoCycles(step) {
    return step.on_io_tiles ? step.count * step.cycles[this.clock.ipu] : 0;
  }

  getShare(op, step) {
    return this.sharesOfStep[step.index].find((share) => share.op === op);
  }

  // As getCycles, of the share of `op` in a step.
  getCyclesOf(op, step) {
    if (step.on_io_tiles)
      return 0;
    const own = this.sharesOfStep[step.index].length === 1;
    return own ? this.getCycles(step) : step.count * this.getShare(op, step).cycles[this.clock.ipu];
  }

  // For each IPU, the cycles of all executions of an op, without those on I/O tiles.
  getCyclesOfIPUs(op) {
    const sums = new Array(this.data.target.ipus).fill(0);
    for (const index of op.steps) {
      const step = this.data.steps[index];
      if (!step.on_io_tiles)
        this.getShare(op, step).cycles.forEach((cycles, ipu) => {
          sums[ipu] += step.count * cycles;
        });
    }
    return sums;
  }

  // The IPUs whose tiles compute an op or, if none do, the IPUs that move its data.
  getIPUsOf(op) {
    const steps = op.steps.map((index) => this.data.steps[index]);
    const find = (some) => [...Array(this.data.target.ipus).keys()].filter((ipu) => some.some((step) => step.cycles[ipu] > 0));
    const computing = find(steps.filter((step) => step.kind === "compute"));
    return computing.length > 0 ? computing : find(steps);
  }

  // Whether a step runs several times in a loop. The other views show such steps once.
  get hasLoops() {
    const isLoop = ({ step, bodies }) => bodies && this.data.steps[step].name !== "if";
    const has = (nodes) => nodes.some((node) => typeof node === "object" && (isLoop(node) || (node.bodies || []).some(has)));
    return has(this.data.program) || this.data.functions.some(({ body }) => has(body));
  }

  get hasIo() {
    return this.data.steps.some((step) => step.on_io_tiles);
  }

  getIoCyclesOf(op) {
    const getOwn = (step) => (step.on_io_tiles ? step.count * this.getShare(op, step).cycles[this.clock.ipu] : 0);
    return op.steps.reduce((sum, index) => sum + getOwn(this.data.steps[index]), 0);
  }

  // The kind that takes most of an op, and the codelets or the method of it.
  describeOp(op) {
    let kind = KINDS[0];
    for (const other of KINDS)
      if (op[other] > op[kind])
        kind = other;
    if (op[kind] === 0 && this.getIoCyclesOf(op) > 0)
      kind = IO_TILES;
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

// Of tables of steps.
const ioColumn = (profile) => ({ title: IO_TILES, number: true, get: (step) => profile.getIoCycles(step), hint: "cycles of all executions, while the other tiles compute" });

// The bytes of each step, of entries from whose step on they change.
function expandCurve(entries, steps) {
  const result = new Float64Array(steps);
  entries.forEach((entry, i) => {
    result.fill(entry.bytes, entry.step, i + 1 < entries.length ? entries[i + 1].step : steps);
  });
  return result;
}

// Throws if a string, also one that no view shows, has half of a character: JSON may not.
function checkSurrogates(data) {
  let text = "";
  try {
    text = JSON.stringify(data);
  } catch {
    // It nests deeper than functions can, of which other checks speak.
  }
  // What is whole is written as it is.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(text))
    throw new Error("half of a character");
}

// The profile in a file; throws, with a message for the user, if it is none of the
// format that this page shows.
function readProfile(name, bytes) {
  let data;
  try {
    data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    checkSurrogates(data);
  } catch {
    throw new Error(`${name}: expects a profile but got invalid or truncated JSON`);
  }
  if (!data || typeof data !== "object" || !Number.isInteger(data.version))
    throw new Error(`${name}: expects a profile with an integer version but got none`);
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
