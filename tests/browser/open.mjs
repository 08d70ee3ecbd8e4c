// Opens pages in Chromium and tells what is wrong with them: open.mjs BROWSER FILE..
//
// One line of JSON for each file on standard output: how long the first paint took, how many rows can be filtered, and what is wrong,
// each as a sentence. What a page can have wrong: errors of its scripts, a body wider than the window, filters that do not filter,
// places that the keyboard does not get to, what axe-core calls serious or critical, and paper without its text.
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [360, 1440];
const SCHEMES = ["light", "dark"];
/** Of so many rows of a table the tools that look at each element are shown the first: the others are like them. */
const MOST_ROWS = 100;
/** Of so many values of a filter each is tried, from the first to the last: the others are like them. */
const MOST_VALUES = 3;
/** The first paint is the best of so many: what else the machine does is not the page's. */
const PAINTS = 3;

const [executablePath, ...files] = process.argv.slice(2);
// Whoever is root in a container has no sandbox; what is opened is our own.
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath, args });
try {
  for (const file of files) console.log(JSON.stringify({ file, ...(await look(file)) }));
} finally {
  await browser.close();
}

async function look(file) {
  const wrong = [];
  const page = await browser.newPage();
  page.on("pageerror", error => wrong.push(`a script fails: ${error.message}`));
  page.on("console", message => {
    if (["error", "warn"].includes(message.type())) wrong.push(`the console says: ${message.text()}`);
  });
  page.on("requestfailed", request => wrong.push(`a request fails: ${request.url()}`));
  const asked = [];
  const isBeside = request => ["image", "stylesheet"].includes(request.resourceType()) && request.url().startsWith("file:");
  page.on("request", request => isBeside(request) || asked.push(request.url()));
  await page.setViewport({ width: 1440, height: 900 });
  const url = pathToFileURL(file).href;
  await page.goto(url, { waitUntil: "load" });
  for (const other of asked.filter(other => other !== url)) wrong.push(`the page asks for ${other}`);
  const paints = [await firstPaint(page)];
  while (paints.length < PAINTS) {
    await page.reload({ waitUntil: "load" });
    paints.push(await firstPaint(page));
  }
  const paint = Math.min(...paints);
  for (const width of WIDTHS) wrong.push(...(await overflow(page, width)));
  const { rows, wrong: unfiltered } = await filters(page);
  wrong.push(...unfiltered);
  await page.evaluate(most => {
    for (const body of document.querySelectorAll("tbody")) [...body.rows].slice(most).forEach(row => row.remove());
  }, MOST_ROWS);
  for (const scheme of SCHEMES) wrong.push(...(await accessible(page, scheme)));
  wrong.push(...(await keyboard(page)));
  wrong.push(...(await paper(page)));
  await page.close();
  return { paint, rows, wrong };
}

/** When the first text was there, in milliseconds since the page was asked for. */
async function firstPaint(page) {
  return page.evaluate(
    () =>
      new Promise(resolve => {
        const told = list => list.getEntriesByName("first-contentful-paint")[0]?.startTime;
        new PerformanceObserver(list => told(list) && resolve(told(list))).observe({ type: "paint", buffered: true });
      }),
  );
}

/** What makes the page wider than the window. */
async function overflow(page, width) {
  await page.setViewport({ width, height: 900 });
  return page.evaluate(width => {
    const root = document.scrollingElement;
    if (root.scrollWidth <= width) return [];
    const holds = element => element.scrollWidth > width && getComputedStyle(element).overflowX === "visible";
    const wide = [...document.querySelectorAll("main *:not(section)")].filter(holds);
    const names = wide.slice(0, 3).map(element => element.outerHTML.slice(0, 200));
    return [`at ${width} px the page is ${root.scrollWidth} px wide: ${names.join(" | ")}`];
  }, width);
}

/** Uses each filter, and wants rows to be hidden by it, and to be back after a reset. */
async function filters(page) {
  return page.evaluate(async most => {
    const wrong = [];
    const form = document.getElementById("filters");
    if (!form) return { rows: 0, wrong };
    if (form.hidden) return { rows: 0, wrong: ["the filters are hidden"] };
    const rows = () => [...document.querySelectorAll("[data-version]")];
    const shown = () => rows().filter(row => !row.hidden).length;
    const settled = () => new Promise(resolve => setTimeout(resolve));
    const input = element => element.dispatchEvent(new Event("input", { bubbles: true }));
    const all = rows().length;
    const told = () => form.querySelector("output").textContent;
    // Two agents are compared by agents.mjs.
    const pairs = [...form.querySelectorAll("[data-of]")].flatMap(select => [select.name, select.dataset.of]);
    for (const select of form.querySelectorAll("select")) {
      if (pairs.includes(select.name)) continue;
      const values = [...select.options].filter(option => option.value);
      const step = Math.max(1, (values.length - 1) / (most - 1));
      const options = values.filter((_, place) => Math.floor(place / step) !== Math.floor((place - 1) / step));
      for (const option of options) {
        select.value = option.value;
        input(select);
        await settled();
        const now = shown();
        const fits = rows().every(
          row => row.hidden || (row.dataset[select.name] ?? "").split("|").some(value => value.startsWith(option.value)),
        );
        if (now === 0 || !fits) wrong.push(`${select.name} ${option.value} shows ${now} rows, each fitting: ${fits}`);
        if (!told().startsWith(`${now} of ${all}`)) wrong.push(`${select.name} ${option.value} tells ${told()}`);
      }
      if (options.length === 0) wrong.push(`${select.name} has nothing to choose`);
      form.reset();
      await settled();
    }
    for (const field of form.querySelectorAll("input")) {
      field.value = "no such thing anywhere";
      input(field);
      await settled();
      if (shown() !== 0) wrong.push(`${field.name} hides nothing`);
      form.reset();
      await settled();
    }
    if (shown() !== all) wrong.push(`after a reset ${shown()} of ${all} rows are there`);
    return { rows: all, wrong };
  }, MOST_VALUES);
}

/** What axe-core finds that is serious or critical. */
async function accessible(page, scheme) {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  if (!(await page.evaluate(() => "axe" in window))) {
    // By the protocol, which the page's own policy has no say in.
    await page.evaluate(AXE);
  }
  const found = await page.evaluate(scheme => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    // Nothing but the colours differs in the dark.
    return axe.run(document, { preload: false, ...(scheme === "dark" ? { runOnly: ["color-contrast"] } : {}) });
  }, scheme);
  return found.violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, help, nodes }) => `axe-core in ${scheme}: ${id}, ${help}, ${nodes.length} times: ${nodes[0].html.slice(0, 160)} ${nodes[0].failureSummary}`);
}

/** Whether Tab gets to everything that can be used, and Enter opens what can be opened. */
async function keyboard(page) {
  const wanted = await page.evaluate(() => {
    window.scrollTo(0, 0);
    document.activeElement?.blur?.();
    for (const details of document.querySelectorAll("details")) details.open = false;
    const usable = [...document.querySelectorAll("a[href], summary, select, input, button, [tabindex='0']")];
    const visible = usable.filter(element => element.checkVisibility());
    visible.forEach((element, number) => (element.dataset.stop = number));
    return visible.length;
  });
  const wrong = [];
  const seen = new Set();
  // A table or a block that scrolls is a stop of its own.
  for (let stop = 0; stop < 2 * wanted && seen.size < wanted; stop++) {
    await page.keyboard.press("Tab");
    const { number, outlined } = await page.evaluate(() => ({
      number: document.activeElement.dataset.stop,
      outlined: getComputedStyle(document.activeElement).outlineStyle !== "none",
    }));
    if (number !== undefined && !outlined) wrong.push(`stop ${number} of the keyboard shows nothing`);
    if (number !== undefined) seen.add(number);
  }
  if (seen.size < wanted) wrong.push(`the keyboard gets to ${seen.size} of ${wanted} places`);
  const opens = await page.$("summary");
  if (opens) {
    await opens.focus();
    const before = await opens.evaluate(summary => summary.parentElement.open);
    await page.keyboard.press("Enter");
    if ((await opens.evaluate(summary => summary.parentElement.open)) === before) wrong.push("Enter opens nothing");
  }
  return wrong;
}

/** Whether it can be printed: without its form, and with all its text inside the paper. */
async function paper(page) {
  await page.emulateMediaType("print");
  await page.setViewport({ width: 794, height: 1123 });
  const wrong = await page.evaluate(() => {
    const wrong = [];
    const form = document.getElementById("filters");
    if (form && getComputedStyle(form).display !== "none") wrong.push("the form is printed");
    const cut = [...document.querySelectorAll("pre, .table")].filter(element => element.scrollWidth > element.clientWidth + 1);
    if (cut.length) wrong.push(`${cut.length} blocks are cut on paper: ${cut[0].outerHTML.slice(0, 120)}`);
    if (document.scrollingElement.scrollWidth > 794) wrong.push(`paper is ${document.scrollingElement.scrollWidth} px wide`);
    return wrong;
  });
  await page.emulateMediaType(null);
  return wrong;
}
