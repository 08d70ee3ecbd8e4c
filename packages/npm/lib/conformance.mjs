// Cases as tests.

import { check, plan } from "./report.mjs";

/** A violation, whose text is the evidence. */
class Violation extends Error {
  /** @param {string} text */
  constructor(text) {
    super(text);
    this.name = "Violation";
    // Lines of this package are no evidence.
    this.stack = `${this.name}: ${text}`;
  }
}

/** @type {typeof import("../index.d.ts").conformance} */
export async function conformance(test, options) {
  const target = [options.url, ...(options.arguments ?? [])];
  const baseline = options.baseline === undefined ? [] : ["--baseline", options.baseline];
  const cases = await plan(target);
  /** @type {ReturnType<typeof check> | undefined} */
  let report;
  for (const key of cases) {
    test(`${key.case} (A2A ${key.profile}, ${key.binding})`, async (context) => {
      // One run, which the first test starts.
      report ??= check([...target, ...baseline]);
      judge(await report, key, options, context);
    });
  }
}

/**
 * @param {import("./report.mjs").Report} report
 * @param {import("./report.mjs").Key} key
 * @param {import("../index.d.ts").ConformanceOptions} options
 * @param {import("../index.d.ts").Context} context
 */
function judge(report, key, options, context) {
  if (report.error) throw new Error(report.error);
  const result = report.result(key);
  if (!result) throw new Error("the run has no result for this case; did the agent's card change?");
  const { verdict, text, known, isStale } = result;
  if (isStale) throw new Violation(`${options.baseline} lists a failure that no longer occurs`);
  if (known !== undefined) return context.skip(`known failure: ${known}`);
  if (verdict === "skipped" || verdict === "unreached") return context.skip(`${verdict}: ${text}`);
  if (verdict === "broken") throw new Error(`the case could not be tested: ${text}`);
  if (verdict === "fail" || (verdict === "warn" && options.failOn === "should")) throw new Violation(text);
  if (verdict === "warn" || verdict === "flaky") (context.diagnostic ?? console.warn).call(context, `${verdict}: ${text}`);
}
