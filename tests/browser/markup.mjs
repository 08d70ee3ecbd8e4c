// Looks at every view of the page of `a2aspec ui` for an agent whose texts are markup: markup.mjs BROWSER URL.
//
// One line of JSON on standard output: which elements the texts became, the texts that are shown, and what is wrong.
import puppeteer from "puppeteer-core";

const [executablePath, url] = process.argv.slice(2);
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath, args });
try {
  console.log(JSON.stringify(await look()));
} finally {
  await browser.close();
}

async function look() {
  const [wrong, made, shown] = [[], new Set(), {}];
  const page = await browser.newPage();
  page.on("dialog", dialog => wrong.push(`a dialog opens: ${dialog.message()}`) && dialog.dismiss());
  page.on("console", message => ["error", "warn"].includes(message.type()) && wrong.push(`the console says: ${message.text()}`));
  page.on("request", request => request.url().startsWith(url) || request.url().startsWith("data:") || wrong.push(`the page asks for ${request.url()}`));
  await page.goto(url, { waitUntil: "load" });
  const ready = () => page.waitForFunction(() => document.getElementById("status").textContent === "ready", { timeout: 300_000 });
  await ready();
  await page.click("#run-all");
  await page.waitForFunction(() => document.querySelector("#list .state.fail") && document.getElementById("status").textContent === "ready", { timeout: 300_000 });
  await page.click("#list button");
  await page.waitForFunction(() => document.querySelector("#case h2"));
  const inspect = async view => {
    for (const name of await page.$$eval("img, iframe, object, svg, base, script:not([src='main.js'])", all => all.map(each => each.localName))) made.add(name);
    shown[view] = await page.$eval("main", it => it.innerText);
  };
  await inspect("cases");
  for (const view of ["problems", "card"]) {
    await page.click(`nav a[href="#view=${view}"]`);
    await inspect(view);
  }
  await page.click('nav a[href="#view=console"]');
  await page.waitForFunction(() => document.querySelector("#console textarea").value.includes("message"));
  await page.click("#console button[type=submit]");
  await page.waitForFunction(() => document.querySelector("#answer .judged"));
  await inspect("console");
  return { made: [...made], shown, wrong };
}
