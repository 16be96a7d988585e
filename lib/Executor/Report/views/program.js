// Steps as they are nested, with how often they ran and what they cost.

function viewProgram(profile) {
  const { data } = profile;

  // Cycles of a step and of what is in it.
  const totals = new Map();
  function getTotal(node) {
    if (totals.has(node))
      return totals.get(node);
    let cycles = profile.getCycles(data.steps[getStepOf(node)]);
    for (const body of node.bodies || [])
      for (const inner of body)
        cycles += getTotal(inner);
    totals.set(node, cycles);
    return cycles;
  }

  const details = h("div", { id: "program-step" });
  function show(step) {
    keep({ step });
    details.replaceChildren(describeStep(profile, step, profile.timeline.counts));
    icicle.redraw();
  }
  const tree = makeProgramTree(profile, { getTotal, choose: show });
  const icicle = makeIcicle(profile, { getTotal, choose: (step) => {
    tree.select(step);
    show(step);
  } });
  if (state.step !== null) {
    details.replaceChildren(describeStep(profile, state.step, profile.timeline.counts));
    tree.select(state.step);
  }
  const explanation = "step, executions, cycles of all of them with what is in a loop, share of the time; the steps of a function count at its own calls" +
    (profile.hasIo ? "; what I/O tiles do while the others compute takes no time of them: its cycles are on the left, as I/O" : "");
  return [
    data.steps.length ? icicle.element : null,
    h("div", { class: "controls" }, tree.filter, h("span", { class: "soft" }, explanation)),
    h("div", { class: "columns" }, tree.element, details),
  ];
}
VIEWS.push({ id: "program", title: "Program", make: viewProgram });
