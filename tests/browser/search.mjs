// Searches a site with the keyboard alone: search.mjs BROWSER PAGE WORDS, from a page of it on.
//
// One line of JSON on standard output: what the search tells, the links that it shows, where Enter on the first one leads, how many
// of the links can be got to by Tab, what was asked for beside pages of the site, and which scripts failed.
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [executablePath, file, words] = process.argv.slice(2);
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath, args });
try {
  console.log(JSON.stringify(await search()));
} finally {
  await browser.close();
}

async function search() {
  const page = await browser.newPage();
  const [wrong, asked] = [[], []];
  const site = "file:";
  page.on("pageerror", error => wrong.push(error.message));
  page.on("request", request => request.url().startsWith(site) || asked.push(request.url()));
  await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
  const isIn = selector => page.evaluate(selector => document.activeElement.matches(selector), selector);
  for (let stop = 0; stop < 100 && !(await isIn("nav input[type=search]")); stop++) await page.keyboard.press("Tab");
  await page.keyboard.type(words);
  await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.keyboard.press("Enter")]);
  const { told, links, markup } = await page.evaluate(() => ({
    told: document.querySelector("#search output").textContent,
    links: [...document.querySelectorAll("#found a")].map(link => ({ title: link.textContent, href: link.getAttribute("href") })),
    markup: document.querySelectorAll("#found *:not(li, a, p)").length,
  }));
  let reached = 0;
  for (let stop = 0; stop < 200 && reached < links.length; stop++) {
    await page.keyboard.press("Tab");
    if (await isIn("#found a")) reached++;
  }
  let led = null;
  if (links.length) {
    await page.focus("#found a");
    await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.keyboard.press("Enter")]);
    led = page.url();
  }
  return { told, links, markup, reached, led, asked, wrong };
}
