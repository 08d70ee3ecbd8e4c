// Compares two agents on the page of a matrix: agents.mjs BROWSER PAGE A RESULT B RESULT.
//
// One line of JSON on standard output for each step: the rows of requirements that are shown, as the texts of their cells, how many
// rows there are, what the form reports, what the address has, and which scripts failed. The steps: the page as it is opened, with
// both choices made by the keyboard, opened again by the address, and after "show all".
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [executablePath, file, ...sides] = process.argv.slice(2);
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath, args });
try {
  const page = await browser.newPage();
  const wrong = [];
  page.on("pageerror", error => wrong.push(error.message));
  const show = async () => console.log(JSON.stringify({ ...(await page.evaluate(look)), wrong }));
  await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
  await show();
  for (const [place, name] of ["A", "A-is", "B", "B-is"].entries()) await choose(page, name, sides[place]);
  await show();
  await page.goto(page.url(), { waitUntil: "load" });
  await show();
  await page.focus("#filters button");
  await page.keyboard.press("Enter");
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve)));
  await show();
} finally {
  await browser.close();
}

/** By typing what an option shows, as a user of the keyboard does. */
async function choose(page, name, text) {
  await page.focus(`select[name="${name}"]`);
  await page.keyboard.type(text);
  const value = await page.$eval(`select[name="${name}"]`, select => select.selectedOptions[0]?.textContent);
  if (value !== text) throw new Error(`${name} is ${value}, not ${text}`);
}

function look() {
  const table = document.querySelector("#requirements ~ .table table");
  const rows = [...table.tBodies[0].rows];
  const cells = row => [...row.cells].map(cell => cell.textContent);
  const places = [...document.querySelectorAll("[data-version]")];
  return {
    heads: cells(table.tHead.rows[0]),
    shown: rows.filter(row => row.checkVisibility()).map(cells),
    rows: rows.length,
    told: document.querySelector("#filters output").textContent,
    expected: `${places.filter(row => !row.hidden).length} of ${places.length} rows`,
    search: location.search,
  };
}
