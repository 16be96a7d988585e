// What the rules of the profile found, most saving first.

function viewInsights(profile) {
  const { data } = profile;
  if (!data.advice.length)
    return [h("p", { id: "no-advice" }, "no rule found anything; docs/profile.md lists the rules")];
  return [
    h("p", { class: "soft" }, "Savings are bounds: what a change can save at most, no prediction. Memory comes first."),
    h("ol", { id: "advice" }, data.advice.map((advice) => h("li", { "data-rule": advice.rule },
      h("div", { class: "card" },
        h("h3", {}, advice.rule),
        h("p", {}, advice.text),
        advice.saving ? h("p", {}, `saves at most ${formatNumber(advice.saving)} of ${formatNumber(data.cycles)} cycles (${formatShare(advice.saving, data.cycles)})`) : null,
        h("p", {}, "evidence: ", evidenceOf(profile, advice.rule)))))),
  ];
}

// The step or the view that shows what a rule is about.
function evidenceOf(profile, rule) {
  const { steps, memory } = profile.data;
  const worst = (kind, get) => steps.filter((s) => s.kind === kind).reduce((a, b) => (a && get(a) >= get(b) ? a : b), null);
  const most = (s) => Math.max(...s.cycles);
  const show = (step) => (step ? link({ view: "trace", step: step.index }, `step ${step.index}, ${step.name}: ${formatNumber(step.count)} × ${formatNumber(most(step))} cycles, balance ${formatPermille(step.balance_permille)}`) : "none");
  switch (rule) {
  case "host": return show(worst("host", (s) => s.count * most(s)));
  case "exchange": return show(worst("exchange", (s) => s.count * most(s)));
  case "imbalance": return show(worst("compute", (s) => s.count * (most(s) - s.mean_cycles)));
  case "sync": return show(worst("sync", (s) => s.count * most(s)));
  default: return link({ view: "memory", tile: memory.fullest_tile }, `tile ${memory.fullest_tile}`);
  }
}
VIEWS.push({ id: "insights", title: "Insights", make: viewInsights });
