// Starts the page: header, keys, and the view that the address names.

let profile = null;

// How the page was made, and for which target.
function describeInfo({ version, date, command }, { data: { target } }) {
  const machine = `${target.preset}: ${target.replicas} × ${target.ipus} × ${formatNumber(target.tiles)} replicas × IPUs × tiles`;
  return [`ipu-mlir ${version}`, date, machine, command].filter((text) => text).join(" · ");
}

let show = () => {};

function start() {
  const [first, second] = [...document.querySelectorAll("script.profile")].map((element) => JSON.parse(element.textContent));
  profile = new Profile(first.name, first.profile);
  if (second)
    other = new Profile(second.name, second.profile);
  document.title = `Profile of ${profile.name}`;
  document.body.append(tip);

  const view = document.getElementById("view");
  const tabs = VIEWS.map((v, i) => h("button", { type: "button", role: "tab", id: `tab-${v.id}`, "aria-controls": "view", title: `key ${(i + 1) % 10}`, onclick: () => go({ view: v.id }) }, v.title));
  const list = h("nav", { role: "tablist", "aria-label": "views", onkeydown: (event) => {
    const at = tabs.indexOf(document.activeElement) + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] || 0);
    if (!["ArrowRight", "ArrowLeft"].includes(event.key) || !tabs[at])
      return;
    tabs[at].focus();
    tabs[at].click();
  } }, tabs);
  const theme = h("button", { type: "button", id: "theme", title: "dark or light", onclick: () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    redrawAll(view);
  } }, "theme");
  const search = makeSearch(profile);
  const message = document.getElementById("message");
  const say = (text) => {
    message.textContent = text;
    message.hidden = !text;
  };
  const save = (type) => {
    say("");
    savePicture(view, state.view, type).catch((error) => say(error.message));
  };
  const saveButton = (type) => h("button", { type: "button", id: `save-${type}`, title: `saves the view as ${type.toUpperCase()}`, onclick: () => save(type) }, type.toUpperCase());
  document.getElementById("header").append(h("h1", { title: profile.name }, profile.name), list, h("span", { class: "space" }),
    search, saveButton("svg"), saveButton("png"), theme, h("button", { type: "button", title: "keys", onclick: openHelp }, "?"));

  show = () => {
    readState(profile);
    tip.hidden = true;
    say("");
    tabs.forEach((tab, i) => {
      const isShown = VIEWS[i].id === state.view;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
    });
    view.setAttribute("data-view", state.view);
    view.setAttribute("role", "tabpanel");
    view.setAttribute("aria-labelledby", `tab-${state.view}`);
    waiting.length = 0;
    try {
      view.replaceChildren(...VIEWS.find((v) => v.id === state.view).make(profile).filter((part) => part));
      doWaiting();
    } catch (error) {
      // Profiles come from files, which others may have changed.
      view.replaceChildren(h("p", { class: "bad", role: "alert" }, `expects profiles whose parts agree: ${error.message}`));
      console.error(error);
    }
  };

  document.getElementById("made").textContent = describeInfo(JSON.parse(document.getElementById("info").textContent), profile);

  const help = document.getElementById("help");
  function openHelp() {
    help.replaceChildren(h("h2", {}, "Keys"), definitions([
      ["1 to 9, 0", "views"], ["/", "the filter of the view"], ["K", "search in ops, steps and variables"], ["?", "this list"], ["Esc", "closes it"], ["arrows", "steps, tiles, nodes, tabs"],
      ["W S A D F", "trace: zoom in, out, left, right, all"], ["Enter", "trace: zoom to the step"], ["Shift", "memory: another tile beside the chosen ones"],
    ]));
    help.showModal();
  }
  document.addEventListener("keydown", (event) => {
    if (help.open || event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const number = /^\d$/.test(event.key) ? (Number(event.key) + 9) % 10 : VIEWS.length;
    if (number < VIEWS.length)
      go({ view: VIEWS[number].id });
    else if (event.key.toLowerCase() === "k")
      document.getElementById("search").focus();
    else if (event.key === "/" && view.querySelector("input[type=search]"))
      view.querySelector("input[type=search]").focus();
    else if (event.key === "?")
      openHelp();
    else
      return;
    event.preventDefault();
  });

  // A second profile may be dropped anywhere.
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    takeFile(event.dataTransfer.files[0]);
  });

  window.addEventListener("hashchange", () => show());
  window.addEventListener("resize", () => redrawAll(view));
  // Canvases have their colours from when they were drawn.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redrawAll(view));
  show();
}
start();
