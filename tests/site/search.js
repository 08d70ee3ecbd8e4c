// Finds places of the site: all words have to be there, and where they are in a title counts for more.
const MOST = 50;
const index = document.getElementById("index");
/** A page of data is written as its address alone. */
const entries = JSON.parse(index.textContent).map(name => {
  if (typeof name !== "string") return new_entry(...name);
  const title = name.slice(name.indexOf("/") + 1);
  return new_entry(`${name}.html`, title, title);
});

function new_entry(url, page, title) {
  return { url, page, title, text: "", words: [title.toLowerCase(), page.toLowerCase()] };
}

/** Takes the texts of a part, which begins with an entry. */
window.take = (first, texts) => {
  texts.forEach((text, at) => {
    const entry = entries[first + at];
    entry.text = text;
    entry.words[1] = `${entry.page} ${text}`.toLowerCase();
  });
  search();
};

let is_loaded = false;

/** Has the texts loaded, once there is something to look for. */
function load() {
  if (is_loaded) return;
  is_loaded = true;
  for (let part = 0; part < Number(index.dataset.parts); part++) {
    const script = document.createElement("script");
    script.src = `search/${part}.js`;
    document.head.append(script);
  }
}
const form = document.getElementById("search");
const [told, list] = [form.querySelector("output"), document.getElementById("found")];

/** How well an entry fits: 0 where a word is missing. */
function score({ words: [title, text] }, wanted, whole) {
  let sum = title === whole ? 100 : title.startsWith(whole) ? 40 : title.includes(whole) ? 20 : 0;
  for (const word of wanted) {
    const [inTitle, inText] = [title.indexOf(word), text.indexOf(word)];
    if (inTitle < 0 && inText < 0) return 0;
    const begins = (text, at) => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);
    if (inTitle >= 0) sum += begins(title, inTitle) ? 10 : 5;
    if (inText >= 0) sum += begins(text, inText) ? 2 : 1;
  }
  return sum;
}

/** What stands around the first of the words. */
function around(text, wanted) {
  const small = text.toLowerCase();
  const places = wanted.map(word => small.indexOf(word)).filter(at => at >= 0);
  const from = Math.max(0, (places.length ? Math.min(...places) : 0) - 60);
  const end = Math.min(text.length, from + 200);
  return `${from > 0 ? "... " : ""}${text.slice(from, end)}${end < text.length ? " ..." : ""}`;
}

function search() {
  const whole = form.q.value.trim().toLowerCase();
  const wanted = whole.split(/\s+/).filter(Boolean);
  if (wanted.length) load();
  const found = wanted.length
    ? entries.map(entry => ({ entry, score: score(entry, wanted, whole) })).filter(({ score }) => score > 0)
    : [];
  found.sort((one, other) => other.score - one.score);
  list.replaceChildren(
    ...found.slice(0, MOST).map(({ entry }) => {
      const [item, link, text] = ["li", "a", "p"].map(name => document.createElement(name));
      link.href = entry.url;
      link.textContent = entry.page === entry.title ? entry.title : `${entry.page}: ${entry.title}`;
      text.textContent = around(entry.text, wanted);
      item.append(link, text);
      return item;
    }),
  );
  const places = `${found.length} ${found.length === 1 ? "place" : "places"}`;
  told.textContent = !wanted.length ? "" : found.length > MOST ? `${places}, the best ${MOST} of them below` : places;
}

form.addEventListener("input", search);
form.addEventListener("submit", event => {
  event.preventDefault();
  search();
});
form.q.value = new URLSearchParams(location.search).get("q") ?? "";
search();
