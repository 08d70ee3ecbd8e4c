// Requests by hand.
import { badge, body, el, post } from "./dom.js";
import { exchange } from "./case.js";

const form = document.querySelector("#console form");
const answer = document.getElementById("answer");
const fields = form.elements;
let interfaces = [];
let ending = null;
/** The parameters as they were made: who has not changed them sends others the next time, as each message has an id of its own. */
let made = "";

/** Offers the interfaces of the agent. */
export function offer(agent) {
  interfaces = (agent?.interfaces ?? []).filter(({ operations }) => operations.length > 0);
  const chosen = fields.interface.value;
  fields.interface.replaceChildren(...interfaces.map(({ index, profile, binding }) => el("option", { value: index }, `${profile} ${binding}`)));
  if (interfaces.some(({ index }) => String(index) === chosen)) fields.interface.value = chosen;
  operations();
}

function operations() {
  const chosen = fields.operation.value;
  const known = interfaces.find(({ index }) => String(index) === fields.interface.value)?.operations ?? [];
  fields.operation.replaceChildren(...known.map(({ name }) => el("option", { value: name }, name)));
  if (known.some(({ name }) => name === chosen)) fields.operation.value = chosen;
  blank();
}

/** Parameters to begin with. */
async function blank() {
  if (!fields.operation.value) return;
  const operation = fields.operation.value;
  const task = operation.includes("Message") && !fields.follow.checked ? "" : fields.task.value.trim();
  const asked = { interface: Number(fields.interface.value), operation, text: fields.text.value, task };
  try {
    const params = await (await post("params", asked)).json();
    made = fields.params.value = JSON.stringify(params, null, 2);
  } catch (error) {
    answer.replaceChildren(el("p", {}, error.message));
  }
}

/** The id of a task in what came, if it has one. */
function taskIn(value) {
  if (value === null || typeof value !== "object") return null;
  if (typeof value.taskId === "string") return value.taskId;
  if (typeof value.id === "string" && value.status) return value.id;
  for (const member of Object.values(value)) {
    const found = taskIn(member);
    if (found) return found;
  }
  return null;
}

function note(text) {
  try {
    const id = taskIn(JSON.parse(text));
    if (id) fields.task.value = id;
  } catch { /* It is no JSON. */ }
}

function show(line) {
  if (line.error) answer.append(el("p", {}, `${line.error}.`));
  if (line.event) {
    const { number, after_ms, kind, data } = line.event;
    note(data);
    answer.append(el("section", { className: "event" }, el("h3", {}, `event ${number}, ${kind}, after ${after_ms.toFixed(0)} ms`), body(data)));
  }
  if (line.exchange) {
    const { response } = line.exchange.info;
    note(response?.body ?? "");
    const fold = exchange(line.exchange);
    fold.open = true;
    answer.append(el("h3", { className: "answered" }, line.answer), fold);
  }
  if (line.judged) {
    const { held, wrong } = line.judged;
    answer.append(
      el("h3", { className: "judged" }, `${held + wrong.length} cases judged the answer: ${wrong.length} failed`),
      el("ul", {}, wrong.map(({ case: name, verdict, title, findings }) => el("li", {}, badge(verdict), ` ${name}: ${findings[0]?.headline ?? title}`))),
    );
  }
}

async function send() {
  if (fields.params.value === made) await blank();
  let params;
  try {
    params = JSON.parse(fields.params.value);
  } catch (error) {
    answer.replaceChildren(el("p", {}, `The parameters are not JSON: ${error.message}`));
    return;
  }
  ending = new AbortController();
  fields.end.disabled = false;
  answer.replaceChildren();
  try {
    const asked = { interface: Number(fields.interface.value), operation: fields.operation.value, params };
    const response = await post("call", asked, ending.signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      lines.forEach(line => show(JSON.parse(line)));
    }
  } catch (error) {
    answer.append(el("p", {}, error.name === "AbortError" ? "Ended." : error.message));
  }
  fields.end.disabled = true;
  if (!answer.hasChildNodes()) answer.append(el("p", {}, "Nothing came; the terminal of a2aspec may say why."));
}

fields.interface.addEventListener("change", operations);
for (const name of ["operation", "text", "task", "follow"]) fields[name].addEventListener("change", blank);
fields.end.addEventListener("click", () => ending?.abort());
form.addEventListener("submit", event => {
  event.preventDefault();
  send();
});
