// Works with the page of `a2aspec ui` as a person does: ui.mjs BROWSER URL CASE PICTURES.
//
// One line of JSON on standard output: what was seen, and what is wrong, each as a sentence. CASE is one that the agent fails over
// JSON-RPC. The page is looked at in 360 and 1440 pixels; a picture of the latter goes to the folder PICTURES.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [executablePath, url, name, pictures] = process.argv.slice(2);
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath, args });
try {
  console.log(JSON.stringify(await work()));
} finally {
  await browser.close();
}

async function work() {
  const wrong = [];
  const page = await browser.newPage();
  page.on("pageerror", error => wrong.push(`a script fails: ${error.message}`));
  page.on("console", message => {
    if (["error", "warn"].includes(message.type())) wrong.push(`the console says: ${message.text()}`);
  });
  page.on("request", request => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) wrong.push(`the page asks for ${request.url()}`);
  });
  await page.setViewport({ width: 1440, height: 900 });
  await page.goto(url, { waitUntil: "load" });
  const waitFor = (test, ...given) => page.waitForFunction(test, { timeout: 300_000 }, ...given);
  const status = text => waitFor(text => document.getElementById("status").textContent === text, text);
  const rows = selector => page.$$eval(`#list li:not([hidden]) ${selector}`, found => found.map(each => each.textContent));
  await status("ready");
  const before = { agent: await page.$eval("#agent", it => it.textContent), rows: (await rows("strong")).length, verdicts: [...new Set(await rows(".state"))] };

  // Filters, with the keyboard alone.
  for (let stop = 0; stop < 60 && !(await page.evaluate(() => document.activeElement.name === "text")); stop++) await page.keyboard.press("Tab");
  await page.keyboard.type(name);
  const filtered = [...new Set(await rows("strong"))];

  // What is shown runs; the case that fails is looked at.
  await page.click("#run-shown");
  await waitFor(() => document.querySelector("#list li:not([hidden]) .state.fail") && document.getElementById("status").textContent === "ready");
  const counts = await page.$eval("#counts", it => it.textContent);
  await page.focus("#list li:not([hidden]) button");
  await page.keyboard.press("Enter");
  await waitFor(() => document.querySelector("#case mark"));
  const detail = await page.$eval("#case", it => it.textContent);
  const marked = await page.$eval("#case mark", it => it.textContent);
  const steps = await page.$$eval("#case ol li", all => all.length);
  const buttons = await page.$$eval("#case button", all => all.map(each => each.textContent));
  for (const width of [1440, 360]) {
    await page.setViewport({ width, height: 900 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) wrong.push(`the page is ${wide} px wide in a window of ${width} px`);
    if (width > 1000) await page.screenshot({ path: `${pictures}/ui.png` });
  }
  await page.setViewport({ width: 1440, height: 900 });

  // It runs again by itself, and is the same after it is loaded again.
  await page.evaluate(() => [...document.querySelectorAll("#case button")].find(button => button.textContent === "Run this case").click());
  await waitFor(() => document.getElementById("status").textContent !== "ready");
  await status("ready");
  await page.reload({ waitUntil: "load" });
  await waitFor(() => document.querySelector("#case mark"));
  const again = await page.$eval("#case h2", it => it.textContent);

  // The card and the problems.
  const views = {};
  for (const view of ["problems", "card"]) {
    await page.click(`nav a[href="#view=${view}"]`);
    views[view] = await page.$eval(`#${view}`, it => it.textContent);
  }

  // A stream by hand.
  await page.click('nav a[href="#view=console"]');
  await page.select("#console select[name=operation]", "SendStreamingMessage");
  await waitFor(() => document.querySelector("#console textarea").value.includes("message"));
  await page.click("#console button[type=submit]");
  await waitFor(() => document.querySelector("#answer .judged"));
  const console_ = await page.evaluate(() => ({
    events: document.querySelectorAll("#answer .event").length,
    judged: document.querySelector("#answer .judged").textContent,
    task: document.querySelector("#console input[name=task]").value,
  }));
  // What it can do next is what the last answer began.
  await page.select("#console select[name=operation]", "GetTask");
  await waitFor(task => document.querySelector("#console textarea").value.includes(task), console_.task);
  await page.click("#console button[type=submit]");
  await waitFor(task => document.querySelector("#answer .answered") && document.querySelector("#answer").textContent.includes(task), console_.task);

  for (const view of ["cases", "console", "card"]) {
    await page.click(`nav a[href="#view=${view}"]`);
    for (const scheme of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.evaluate(() => [...document.querySelectorAll("#list li")].slice(50).forEach(row => row.remove()));
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
      for (const { id, impact, nodes } of violations)
        if (["serious", "critical"].includes(impact)) wrong.push(`axe-core: ${id} in ${scheme}: ${nodes[0].html}`);
    }
  }
  return { before, filtered, counts, detail, marked, steps, buttons, again, views, console: console_, wrong };
}
