// What the program writes for other programs: the plan and the report of a run, both JSON with a schema of their own.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { program } from "./locate.mjs";

/** The version of both forms that this module reads. */
const SCHEMA = 1;

/** How many characters of a body a failure text shows. */
const MOST = 2_000;

/** How much the program may print, in bytes. */
const OUTPUT = 64 * 1024 * 1024;

/** @typedef {{ case: string, profile: string, binding: string }} Key */
/** @typedef {{ verdict: string, text: string, known: string | undefined, isStale: boolean }} Result */

/**
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number | string, stdout: string, stderr: string }>}
 */
function run(args) {
  return new Promise((resolve) => {
    execFile(program(), args, { maxBuffer: OUTPUT }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr: stderr.trim() || (error?.message ?? "") }),
    );
  });
}

/** @param {string} text */
function read(text) {
  const value = JSON.parse(text);
  if (value.schema_version !== SCHEMA) throw new Error(`the program writes version ${value.schema_version} of its JSON, not ${SCHEMA}`);
  return value;
}

/**
 * The cases of a run. Only the card and the version are requested from the agent.
 * @param {readonly string[]} target
 * @returns {Promise<Key[]>}
 */
export async function plan(target) {
  const { code, stdout, stderr } = await run(["check", ...target, "--dry-run=json", "--quiet"]);
  if (code !== 0) throw new Error(stderr);
  return read(stdout).cases;
}

/**
 * Runs `a2aspec check`.
 * @param {readonly string[]} args
 * @returns {Promise<Report>}
 */
export async function check(args) {
  const folder = await mkdtemp(join(tmpdir(), "a2aspec-"));
  try {
    const file = join(folder, "report.json");
    const { code, stderr } = await run(["check", ...args, "--report", `json=${file}`, "--quiet"]);
    // Wrong usage writes no report.
    if (code === 2) throw new Error(stderr);
    const text = await readFile(file, "utf8").catch(() => {
      throw new Error(stderr);
    });
    return new Report(read(text));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param {Key} key */
const nameOf = (key) => `${key.case}[${key.profile}-${key.binding}]`;

/** The JSON report of a run. */
export class Report {
  #report;
  #indices = new Map();
  #problems = new Map();

  /** @param {any} report */
  constructor(report) {
    this.#report = report;
    /** @type {any[]} */ (report.results).forEach((result, index) => this.#indices.set(nameOf(result), index));
    for (const problem of report.problems)
      for (const shown of problem.evidence) this.#problems.set(`${shown.result}/${shown.finding}`, problem);
  }

  /** Why there are no results, such as an agent that cannot be reached. */
  get error() {
    const error = this.#report.error;
    return error && [error.message, ...(error.details ?? []), error.help ?? ""].join("\n").trimEnd();
  }

  /**
   * The result of a case, or nothing if the run does not have it.
   * @param {Key} key
   * @returns {Result | undefined}
   */
  result(key) {
    const index = this.#indices.get(nameOf(key));
    if (index === undefined) return undefined;
    const result = this.#report.results[index];
    const { known = {}, stale = [] } = this.#report.baseline ?? {};
    return {
      verdict: result.verdict,
      text: [...this.#lines(index, result)].join("\n"),
      known: index in known ? (known[index] ?? "") : undefined,
      isStale: /** @type {Key[]} */ (stale).some((entry) => nameOf(entry) === nameOf(key)),
    };
  }

  /**
   * @param {number} index
   * @param {any} result
   * @returns {Generator<string>}
   */
  *#lines(index, result) {
    if (result.reason) yield result.reason;
    for (const [number, finding] of result.findings.entries()) {
      yield finding.message;
      yield* this.#requirement(this.#problems.get(`${index}/${number}`));
      const source = finding.source ? ` (${finding.source})` : "";
      yield `  case      ${result.case} over ${result.binding} in ${result.profile}${source}`;
      yield* this.#exchange(finding.exchange);
    }
    if (result.findings_left_out) yield `and ${result.findings_left_out} more findings`;
    yield* this.#help(result);
  }

  /**
   * The requirement that a finding violates.
   * @param {any} problem
   * @returns {Generator<string>}
   */
  *#requirement(problem) {
    const requirement = this.#report.requirements[problem?.requirement ?? -1];
    if (!requirement) return;
    yield `  requires  ${requirement.id} (${requirement.level}, section ${requirement.section})`;
    yield `            ${requirement.text}`;
    for (const link of requirement.links ?? []) yield `            ${link.url}`;
  }

  /**
   * @param {number | null} id
   * @returns {Generator<string>}
   */
  *#exchange(id) {
    const exchange = /** @type {any[]} */ (this.#report.exchanges).find((exchange) => exchange.id === id);
    if (!exchange) return;
    const { request, response } = exchange;
    yield `  request   ${request.method} ${request.url} (exchange ${id})`;
    yield* message(request);
    if (!response) {
      yield `  response  none: ${exchange.ended ?? "the connection was closed"}`;
      return;
    }
    yield `  response  HTTP ${response.status} after ${Math.round(exchange.elapsed_ms)} ms`;
    yield* message(response);
  }

  /**
   * What helps with a case, and how to run it again.
   * @param {any} result
   * @returns {Generator<string>}
   */
  *#help(result) {
    const shown = /** @type {any[]} */ (this.#report.cases).find((shown) => shown.id === result.case);
    if (!shown) return;
    if (result.findings.length > 0) {
      yield `  why       ${shown.why}`;
      yield `  fix       ${shown.fix}`;
    }
    for (const again of shown.rerun)
      if (again.profile === result.profile && again.binding === result.binding) yield `  rerun     ${again.command}`;
  }
}

/**
 * The headers, the body and the trailers of a request or a response.
 * @param {any} message
 * @returns {Generator<string>}
 */
function* message(message) {
  for (const [name, value] of Object.entries(message.headers)) yield `            ${name}: ${value}`;
  for (const line of message.body.slice(0, MOST).split("\n")) if (line) yield `            ${line}`;
  if (message.body.length > MOST || message.body_cut) yield "            ... (cut)";
  for (const [name, value] of Object.entries(message.trailers ?? {})) yield `            ${name}: ${value}`;
}
