// A case: what it demands, what was wrong, and its conversation.
import { badge, body, copyButton, el, fill } from "./dom.js";

/** Shows a case; `rerun` runs it again. */
export function show(element, place, detail, rerun) {
  const button = el("button", { type: "button" }, "Run this case");
  button.addEventListener("click", rerun);
  const { line, findings, exchanges, steps } = detail;
  const copies = [
    detail.rerun && copyButton("the command", detail.rerun),
    detail.issue && copyButton("an issue", detail.issue),
  ];
  fill(element,
    el("h2", {}, `${place.case} over ${place.binding} in ${place.profile}`),
    el("p", { className: "buttons" }, badge(line.verdict), button, copies),
    el("p", {}, `${detail.title}.`),
    line.why && findings.length === 0 && el("p", {}, line.why),
    [...Map.groupBy(findings, finding => finding.headline)].map(([headline, all]) => found(headline, all)),
    detail.again.length > 0 && el("p", {}, `When it ran again: ${detail.again.join(", ")}.`),
    detail.fix && findings.length > 0 && [el("h3", {}, "How to fix it"), el("p", {}, detail.fix)],
    steps.length > 0 && el("h3", {}, "Conversation"),
    el("ol", {}, steps.map(step => el("li", {}, el("code", {}, step.sent), " → ", el("code", {}, step.received), ` (#${step.exchange})`))),
    ...exchanges.map(one => exchange(one, findings)),
    texts(detail),
  );
}

/** What was found, and each place where it was. */
function found(headline, all) {
  const one = ({ expected, received, pointer, exchange }) => {
    const at = [pointer, exchange !== null && `in exchange #${exchange}`].filter(Boolean).join(" ");
    const rows = [["expected", expected], ["received", received], ["at", at]].filter(([, text]) => text);
    return el("dl", {}, rows.map(([name, text]) => [el("dt", {}, name), el("dd", {}, el("code", {}, text))]));
  };
  const [first, ...others] = all.map(one);
  const more = others.length > 0 && el("details", {}, el("summary", {}, `${others.length} more`), others);
  return el("section", {}, el("h3", {}, headline), first, more);
}

function texts(detail) {
  const all = [["Why it matters", detail.why], ["Right", detail.right], ["Wrong", detail.wrong]];
  const requirement = ({ id, level, text, links }) =>
    el("li", {}, el("strong", {}, `${id} ${level.toUpperCase()}`), ` ${text} `, links.map(url => [el("a", { href: url, rel: "noreferrer", target: "_blank" }, "specification"), " "]));
  return [
    ...all.filter(([, text]) => text).map(([name, text]) => [el("h3", {}, name), el("p", {}, text)]).flat(),
    el("h3", {}, "Requirements"),
    el("ul", {}, detail.requirements.map(requirement)),
  ];
}

/** An exchange, in which what findings point at is marked. */
export function exchange({ info, by_hand, operation, is_long }, findings = []) {
  const { request, response, ended } = info;
  const cites = findings.filter(finding => finding.exchange === info.id);
  const status = response ? `HTTP ${response.status}` : "no answer";
  const fold = el("details", { open: cites.length > 0 || findings.length === 0 && info.id === 0 },
    el("summary", {}, `#${info.id} ${operation ?? `${request.method} ${request.url}`}: ${status}, ${info.elapsed_ms.toFixed(1)} ms`),
    el("h4", {}, `${info.direction === "inbound" ? "The agent" : "The suite"} asked`),
    head(`${request.method} ${request.url}`, request.headers),
    request.body && body(request.body),
    by_hand && copyButton("as a command", by_hand),
    response && [
      el("h4", {}, "Answer"),
      head(status, { ...response.headers, ...response.trailers }),
      ...parts(response).map((text, index) => {
        const cited = cites.find(finding => (finding.event ?? 0) === index);
        return text && body(text, cited?.pointer);
      }),
    ],
    is_long && el("p", {}, "Only the first 256 KiB of the answer are shown."),
    ended && el("p", {}, `${ended}.`),
  );
  return fold;
}

const head = (line, fields) =>
  el("pre", { className: "bytes", tabIndex: 0 }, [line, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`)].join("\n"));

/** The body, or the data of each event. */
function parts(response) {
  const text = response.body ?? "";
  if (response.decoded) return text.split("\n");
  if (!(response.headers["content-type"] ?? "").startsWith("text/event-stream")) return [text];
  const data = event => event.split(/\r\n|\r|\n/).filter(line => line.startsWith("data:")).map(line => line.slice(5).trimStart()).join("\n");
  return text.split(/\r\n\r\n|\n\n|\r\r/).map(data).filter(Boolean);
}
