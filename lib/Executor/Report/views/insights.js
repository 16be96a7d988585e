// What the rules of the profile found, most saving first, and those that found
// nothing.

const formatMeasure = (value, unit) => (unit === "permille" ? formatPermille(value) : `${formatNumber(value)} ${unit}`);

function viewInsights(profile) {
  const { data } = profile;
  const rules = new Map(data.rules.map((rule) => [rule.rule, rule]));
  const silent = data.rules.filter((rule) => !rule.speaks);
  return [
    data.advice.length ? h("p", { class: "soft" }, "Savings are bounds: what a change can save at most, no prediction. What does not fit comes first.") : h("p", { id: "no-advice" }, "no rule found anything"),
    h("ol", { id: "advice" }, data.advice.map((advice) => describeAdvice(profile, advice, rules.get(advice.rule)))),
    h("h2", {}, `Rules that found nothing: ${silent.length} of ${data.rules.length}`),
    h("table", { id: "silent-rules" },
      h("thead", {}, h("tr", {}, ["rule", "looks at", "value", "limit"].map((t, i) => h("th", { scope: "col", class: i > 1 ? "number" : null }, t)))),
      h("tbody", {}, silent.map((rule) => h("tr", { "data-rule": rule.rule }, h("td", {}, rule.rule), h("td", {}, rule.measure),
        h("td", { class: "number" }, rule.applies ? formatMeasure(rule.value, rule.unit) : "does not apply"),
        h("td", { class: "number" }, formatMeasure(rule.limit, rule.unit)))))),
  ];
}

// The op that the advice names, if it has a share of the step, or the op that has most.
function getOpOfAdvice(profile, advice) {
  const named = profile.ops.get(advice.subject);
  return named && named.steps.includes(advice.step) ? named : profile.opOfStep[advice.step];
}

function describeAdvice(profile, advice, rule) {
  const { data } = profile;
  const { steps } = data;
  const savings = [
    advice.saving ? `at most ${formatNumber(advice.saving)} of ${formatNumber(data.cycles)} cycles (${formatShare(advice.saving, data.cycles)})` : "",
    advice.saving_bytes ? `at most ${formatNumber(advice.saving_bytes)} bytes of a tile` : "",
  ].filter((text) => text);
  const step = steps[advice.step];
  const most = step ? getMost(step.cycles) : 0;
  const evidence = [
    step ? link({ view: "trace", step: step.index }, `step ${step.index}, ${step.name}: ${formatNumber(step.count)} × ${formatNumber(most)} cycles, balance ${formatPermille(step.balance_permille)}`) : null,
    step ? link({ view: "operations", op: getOpOfAdvice(profile, advice).name }, "its op") : null,
    advice.tile >= 0 ? link({ view: "memory", tiles: [advice.tile] }, `tile ${advice.tile}`) : null,
    advice.rule === "wait" ? link({ view: "replicas" }, "clocks") : null,
  ].filter((part) => part).flatMap((part) => [part, " "]);
  return h("li", { "data-rule": advice.rule }, h("div", { class: "card" },
    h("h3", {}, advice.rule), h("p", {}, advice.text),
    definitions([
      [rule ? rule.measure : "value", rule ? `${formatMeasure(rule.value, rule.unit)}; the limit is ${formatMeasure(rule.limit, rule.unit)}` : "unknown"],
      advice.subject ? ["is about", advice.subject] : null,
      savings.length ? ["saves", savings.join(", ")] : null,
      advice.option ? ["try", advice.option] : null,
      evidence.length ? ["see", h("span", {}, evidence)] : null,
    ])));
}
VIEWS.push({ id: "insights", title: "Insights", make: viewInsights });
