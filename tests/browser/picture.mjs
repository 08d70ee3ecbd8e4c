// Takes a picture of the top of a page: picture.mjs BROWSER PAGE PICTURE SCHEME, where the scheme is light or dark.
//
// One line of JSON on standard output: how large the picture is, in bytes.
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [executablePath, file, picture, scheme] = process.argv.slice(2);
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath, args });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1000, height: 700 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
  await page.screenshot({ path: picture });
  console.log(statSync(picture).size);
} finally {
  await browser.close();
}
