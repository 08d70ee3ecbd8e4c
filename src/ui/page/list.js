// The cases with their verdicts, filtered and sorted.
import { badge, el } from "./dom.js";

const ORDER = ["fail", "broken", "warn", "flaky", "note", "unreached", "running", "not run", "pass", "skipped"];
const list = document.getElementById("list");
const filters = document.getElementById("filters");
/** By place: the trial, its verdict, and its row. */
const cases = new Map();

export const keyOf = place => [place.case, place.profile, place.binding].join(" ");
export const placeOf = ({ case: name, profile, binding }) => ({ case: name, profile, binding });

/** Takes the plan and what is known of it; `open` shows a case. */
export function fill(trials, results, open) {
  cases.clear();
  for (const trial of trials) {
    const row = el("li");
    const button = el("button", { type: "button" });
    button.addEventListener("click", () => open(placeOf(trial)));
    row.append(button);
    cases.set(keyOf(trial), { trial, verdict: "not run", why: null, row, button });
  }
  results.forEach(update);
  offer();
  sort();
}

/** A result has come. */
export function update(line) {
  const known = cases.get(keyOf(line));
  if (!known) return;
  [known.verdict, known.why] = [line.verdict, line.why];
  const { profile, binding, title } = known.trial;
  known.button.replaceChildren(
    badge(line.verdict), el("strong", {}, line.case), " ", el("small", {}, `${profile} ${binding}`),
    el("span", { className: "why" }, line.why ?? title),
  );
  known.row.hidden = !fits(known);
}

/** The worst first, or those that come first by name. */
export function sort() {
  const rows = [...cases.values()];
  rows.sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) || keyOf(a.trial).localeCompare(keyOf(b.trial)));
  list.replaceChildren(...rows.map(({ row }) => row));
  filter();
}

/** The places of the rows that are shown. */
export const shown = () => [...cases.values()].filter(({ row }) => !row.hidden).map(({ trial }) => placeOf(trial));

export function choose(place) {
  for (const [key, { button }] of cases) {
    if (place && key === keyOf(place)) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
}

const values = {
  verdict: ({ verdict }) => verdict,
  area: ({ trial }) => trial.area,
  profile: ({ trial }) => trial.profile,
  binding: ({ trial }) => trial.binding,
  level: ({ trial }) => trial.level,
};

/** Offers what the cases have to filter by. */
function offer() {
  for (const [name, value] of Object.entries(values)) {
    const select = filters.elements[name];
    const chosen = select.value || new URLSearchParams(location.hash.slice(1)).get(name) || "";
    const all = name === "verdict" ? ORDER : [...new Set([...cases.values()].map(value))].sort();
    select.replaceChildren(el("option", { value: "" }, "all"), ...all.map(text => el("option", { value: text }, text)));
    select.value = chosen;
  }
}

function fits(known) {
  const text = filters.elements.text.value.toLowerCase();
  const says = `${known.trial.case} ${known.trial.title} ${known.why ?? ""}`.toLowerCase();
  return says.includes(text) && Object.entries(values).every(([name, value]) => ["", value(known)].includes(filters.elements[name].value));
}

export function filter() {
  for (const known of cases.values()) known.row.hidden = !fits(known);
  filters.querySelector("output").textContent = `${shown().length} of ${cases.size} cases`;
}

/** How many cases came out how, the worst first. */
export function counts() {
  const all = [...cases.values()];
  const number = verdict => all.filter(known => known.verdict === verdict).length;
  return ORDER.map(verdict => [verdict, number(verdict)]).filter(([, number]) => number > 0);
}

/** The filters as they are set, for the address. */
export const chosen = () => [...new FormData(filters)].filter(([, value]) => value);

/** Sets the filters as an address has them. */
export function recall(search) {
  for (const control of filters.elements) if (control.name) control.value = search.get(control.name) ?? "";
}

filters.addEventListener("submit", event => event.preventDefault());
