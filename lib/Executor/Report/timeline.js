// What an IPU did when steps ran first: when it waited, and when it ran again what the
// picture already shows. ProfileTrace.cpp writes the same for Perfetto.

class FirstRuns {
  // Has waits {from, to, before}, where `before` is the step that came then, or null at
  // the end; and again {from, to, step, text}: further iterations of loops and calls.
  constructor(profile, timeline, ipu) {
    this.data = profile.data;
    this.times = timeline.ipus[ipu];
    this.counts = timeline.counts;
    this.waits = [];
    this.again = [];
    this.cursor = 0;
    this.firstCalls = new Map();
    this.callCounts = new Map();
    const { data } = this;
    this.findCalls(data.program);
    for (const { body } of data.functions)
      this.findCalls(body);
    const clock = data.clocks.find((c) => c.replica === timeline.replicas[0] && c.ipu === ipu);
    const end = clock ? clock.cycles : data.cycles;
    this.runSequence(data.program, 0, end, 1);
    this.wait(end, null);
  }

  hasRun(step) {
    return this.times.start[step] >= 0;
  }

  findCalls(nodes) {
    for (const node of nodes) {
      for (const body of node.bodies || [])
        this.findCalls(body);
      if (node.function === undefined || !this.hasRun(node.step))
        continue;
      this.callCounts.set(node.function, (this.callCounts.get(node.function) || 0) + this.counts[node.step]);
      const first = this.firstCalls.get(node.function);
      if (first === undefined || this.times.start[node.step] < this.times.start[first])
        this.firstCalls.set(node.function, node.step);
    }
  }

  isFirstCall(node) {
    return node.function !== undefined && this.firstCalls.get(node.function) === node.step;
  }

  // When the nodes from number `from` on began; `otherwise` if none of them ran.
  getStart(nodes, from, otherwise) {
    for (let i = from; i < nodes.length; i++) {
      const node = nodes[i], step = getStepOf(node);
      if (!this.hasRun(step) || this.data.steps[step].on_io_tiles)
        continue;
      let start = this.times.start[step];
      for (const body of node.bodies || [])
        start = Math.min(start, this.getStart(body, 0, start));
      if (this.isFirstCall(node))
        start = Math.min(start, this.getStart(this.data.functions[node.function].body, 0, start));
      return start;
    }
    return otherwise;
  }

  getLastEnd(node) {
    const step = getStepOf(node);
    let end = this.data.steps[step].on_io_tiles ? -1 : this.times.last_end[step];
    for (const body of node.bodies || [])
      for (const inner of body)
        end = Math.max(end, this.getLastEnd(inner));
    return end;
  }

  wait(until, before) {
    if (until > this.cursor)
      this.waits.push({ from: this.cursor, to: until, before });
    this.cursor = Math.max(this.cursor, until);
  }

  repeat(until, step, text) {
    if (until > this.cursor)
      this.again.push({ from: this.cursor, to: until, step, text });
    this.cursor = Math.max(this.cursor, until);
  }

  runStep(step) {
    if (this.data.steps[step].on_io_tiles)
      return;
    this.wait(this.times.start[step], step);
    this.cursor = this.times.end[step];
  }

  // What `nodes` did first, if that was between `from` and `to`. `runs` is how often they
  // ran; null if that is not known.
  runSequence(nodes, from, to, runs) {
    for (const [i, node] of nodes.entries()) {
      const step = getStepOf(node);
      if (!this.hasRun(step) || this.data.steps[step].on_io_tiles)
        continue;
      const isLeaf = !node.bodies && node.function === undefined;
      // What comes next may have run first in a later iteration.
      const end = isLeaf ? to : Math.min(to, runs === 1 ? this.getLastEnd(node) : this.getStart(nodes, i + 1, to));
      if (this.times.start[step] < this.cursor || this.times.end[step] > end)
        continue;
      if (isLeaf)
        this.runStep(step);
      else if (node.function !== undefined)
        this.runCall(node);
      else
        this.runControl(node, end, runs);
    }
  }

  runCall({ step, function: number }) {
    const { name, body } = this.data.functions[number], start = this.times.start[step];
    if (this.firstCalls.get(number) === step)
      this.runSequence(body, this.cursor, start, this.callCounts.get(number));
    else
      this.repeat(start, step, `${name} again`);
    this.runStep(step);
  }

  runControl({ step, bodies }, until, runs) {
    const start = this.times.start[step], end = this.times.end[step], count = this.counts[step];
    const { name } = this.data.steps[step];
    // A repeat has one step in each iteration; of what else runs how often, a step that
    // ran once says it.
    const inner = name === "repeat" || count === 1 ? count : null;
    for (const body of bodies)
      if (this.getStart(body, 0, end) < end)
        this.runSequence(body, this.cursor, start, inner);
    this.runStep(step);
    // A branch, or the body of a loop that looks at its condition first.
    for (const body of bodies)
      if (this.getStart(body, 0, -1) >= end)
        this.runSequence(body, this.cursor, until, inner);
    // A branch has no iterations: what comes after it waits.
    const each = runs !== null && count % runs === 0 ? count / runs : null;
    if (count > 1 && each !== 1 && name !== "if")
      this.repeat(until, step, each === null ? `more of ${name}` : `${formatNumber(each - 1)} more of ${name}`);
  }
}
