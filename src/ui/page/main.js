// The page: what is known of the agent, what runs, and which view is shown.
import * as cases from "./list.js";
import { show } from "./case.js";
import { offer } from "./console.js";
import { badge, el, fill, json, post } from "./dom.js";

const at = id => document.getElementById(id);
const hash = () => new URLSearchParams(location.hash.slice(1));
let chosen = null;
let running = null;

/** The address has the view, the filters and the case, so that the page can be loaded again. */
function remember(view) {
  const search = new URLSearchParams([["view", view], ...cases.chosen(), ...(chosen ? [["case", chosen.case], ["in", chosen.profile], ["over", chosen.binding]] : [])]);
  history.replaceState(null, "", `#${search}`);
}

function view() {
  const wanted = hash().get("view") ?? "cases";
  for (const element of document.querySelectorAll(".view")) element.hidden = element.id !== wanted;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#view=${wanted}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  return wanted;
}

async function open(place) {
  chosen = place;
  cases.choose(place);
  remember("cases");
  view();
  await detail();
  // Where the case is below the list, it comes into view.
  if (at("case").offsetTop > at("list").offsetTop + at("list").offsetHeight / 2) at("case").scrollIntoView();
}

async function detail() {
  if (!chosen) return;
  const place = chosen;
  try {
    const known = await (await post("case", place)).json();
    if (place === chosen) show(at("case"), place, known, () => run({ cases: [place] }));
  } catch (error) {
    at("case").replaceChildren(el("p", {}, error.message));
  }
}

async function run(choice) {
  try {
    await post("run", choice);
  } catch (error) {
    status(error.message);
  }
}

function status(text) {
  at("status").textContent = text;
}

/** Loads everything anew. */
async function load() {
  const state = await (await fetch("state")).json();
  const { agent, missing, trials, report, watching, busy } = state;
  running = state.running;
  at("agent").textContent = agent?.name ?? "No agent yet";
  at("where").textContent = agent ? `${agent.url}; a run of all cases sends about ${agent.messages} messages` : "";
  at("watch").checked = watching;
  absent(missing);
  causes(report?.root_causes ?? []);
  problems(report?.problems ?? []);
  card(agent);
  offer(agent);
  cases.fill(trials ?? [], report?.results ?? [], open);
  counts();
  cases.choose(chosen);
  await detail();
  progress(busy);
}

function progress(busy) {
  at("stop").disabled = !busy;
  for (const id of ["run-all", "run-failed", "run-shown"]) at(id).disabled = busy;
  status(running ? `${running.done} of ${running.cases} cases` : busy ? "looking for the agent" : "ready");
}

function absent(missing) {
  at("missing").hidden = !missing;
  if (!missing) return;
  fill(at("missing"),
    el("h2", {}, missing.message),
    el("ul", {}, missing.details.map(line => el("li", {}, line))),
    missing.help && el("p", {}, missing.help),
    el("p", {}, "The page looks for the agent until it comes."),
  );
}

function causes(list) {
  at("causes").hidden = list.length === 0;
  at("causes").querySelector("ul").replaceChildren(...list.map(({ message, help, interfaces, follows }) =>
    el("li", {}, el("strong", {}, message), ` (${interfaces.join(", ")}). ${help} `, follows > 0 && `${follows} cases were not tested because of it.`)));
}

function counts() {
  const words = ([verdict, number]) => `${number} ${verdict}`;
  at("counts").textContent = cases.counts().map(words).join(", ");
}

function problems(list) {
  const line = ({ message, verdict, first, places }) => {
    const button = el("button", { type: "button" }, first ? `${first.case} over ${first.binding}` : "no case");
    button.addEventListener("click", () => open(first));
    return el("li", {}, badge(verdict), " ", message, " ", first && button, places.length > 1 && ` and ${places.length - 1} more`);
  };
  at("problems").querySelector("ul").replaceChildren(...(list.length > 0 ? list.map(line) : [el("li", {}, "None is known.")]));
}

function card(agent) {
  const cards = (agent?.cards ?? []).map(text => JSON.parse(text));
  const flaw = ({ card, profile, pointer, message }) => el("li", {}, `${card}${pointer}: ${message} (${profile})`);
  const title = ({ title, skipped, note }) => el("li", {}, title, skipped && ` is not checked: ${skipped}`, note && ` (${note})`);
  fill(at("card").querySelector("div"),
    el("h3", {}, "Interfaces"), el("ul", {}, (agent?.interfaces ?? []).map(title), (agent?.concerns ?? []).map(text => el("li", {}, text))),
    el("h3", {}, "Problems of the card"),
    el("ul", {}, agent?.flaws.length ? agent.flaws.map(flaw) : el("li", {}, "None: the card has the form that its version demands.")),
    ...cards.map(value => json(value, agent.flaws[0]?.pointer)),
  );
}

cases.recall(hash());
if (hash().has("case")) chosen = { case: hash().get("case"), profile: hash().get("in"), binding: hash().get("over") };
at("filters").addEventListener("input", () => { cases.filter(); remember("cases"); });
at("filters").addEventListener("reset", () => setTimeout(() => { cases.filter(); remember("cases"); }));
at("run-all").addEventListener("click", () => run("all"));
at("run-failed").addEventListener("click", () => run("failed"));
at("run-shown").addEventListener("click", () => run({ cases: cases.shown() }));
at("stop").addEventListener("click", () => post("stop", {}));
at("watch").addEventListener("change", () => post("watch", { on: at("watch").checked }));
addEventListener("hashchange", view);
view();

const events = new EventSource("events");
events.addEventListener("changed", load);
events.addEventListener("gone", () => status("the agent is gone; the page looks for it"));
events.addEventListener("began", event => {
  running = { done: 0, cases: JSON.parse(event.data).cases };
  progress(true);
});
events.addEventListener("result", event => {
  const line = JSON.parse(event.data);
  cases.update(line);
  counts();
  if (running) {
    running.done += 1;
    progress(true);
  }
});
events.addEventListener("open", load);
events.addEventListener("error", () => status("a2aspec has ended, or cannot be reached"));
