// Elements, requests and JSON as text. Nothing becomes markup: what an agent sends is text wherever it is shown.

/** An element with properties and children; texts are text. */
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  return fill(element, ...children);
}

/** Gives an element these children, and leaves out those that are nothing. */
export function fill(element, ...children) {
  const isThere = child => child !== null && child !== undefined && child !== false && child !== "";
  element.replaceChildren(...children.flat(Infinity).filter(isThere));
  return element;
}

/** Asks the program for something; a signal ends that. */
export async function post(path, body, signal) {
  const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer;
}

/** A button that copies a text. */
export function copyButton(what, text) {
  const button = el("button", { type: "button" }, `Copy ${what}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  });
  return button;
}

export const badge = verdict => el("span", { className: `state ${verdict.replace(" ", "-")}` }, verdict);

/** The value that a JSON pointer (RFC 6901) leads to, or the last on the way that is there: as a pointer. */
function nearest(value, pointer) {
  const known = [];
  for (const part of (pointer ?? "").split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (value === null || typeof value !== "object" || !(Object.hasOwn(value, key))) break;
    value = value[key];
    known.push(part);
  }
  return known.map(part => `/${part}`).join("");
}

/** JSON with line breaks, in which what the pointer leads to is marked. */
export function json(value, pointer) {
  const target = pointer === null || pointer === undefined ? undefined : nearest(value, pointer);
  const write = (value, at, indent) => {
    const inner = `${indent}  `;
    const isList = Array.isArray(value);
    const parts = [];
    if (value !== null && typeof value === "object" && Object.keys(value).length > 0) {
      const entries = Object.entries(value);
      parts.push(isList ? "[\n" : "{\n");
      entries.forEach(([key, member], index) => {
        const place = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        parts.push(inner, isList ? "" : `${JSON.stringify(key)}: `, ...write(member, place, inner), index + 1 < entries.length ? ",\n" : "\n");
      });
      parts.push(indent, isList ? "]" : "}");
    } else parts.push(JSON.stringify(value));
    return at === target ? [el("mark", {}, parts)] : parts;
  };
  return el("pre", { className: "bytes", tabIndex: 0 }, write(value, "", ""));
}

/** A text, as JSON where it is some. */
export function body(text, pointer) {
  try {
    return json(JSON.parse(text), pointer);
  } catch {
    return el("pre", { className: "bytes", tabIndex: 0 }, text);
  }
}
