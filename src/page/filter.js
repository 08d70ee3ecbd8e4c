// Without a script the whole page is there; with it, rows can be hidden.
const form = document.getElementById("filters");
// A page without results has no filters.
if (form) {
  // The cells of large tables are their facts: the heads name them.
  for (const table of document.querySelectorAll("[data-facts]")) {
    const names = [...table.tHead.rows[0].cells].map(head => head.textContent);
    const facts = names.map((name, at) => [name, at]).filter(([name]) => form.elements[name]);
    const cases = names.indexOf("case");
    for (const row of table.tBodies[0].rows) {
      for (const [name, at] of facts) row.dataset[name] = row.cells[at].textContent;
      if (cases >= 0) row.dataset.area = row.cells[cases].textContent.split("/")[0];
    }
  }
  const rows = [...document.querySelectorAll("[data-version]")];
  const values = (row, name) => (row.dataset[name] ?? "").split("|").filter(Boolean);
  for (const select of form.querySelectorAll("select"))
    for (const value of new Set(rows.flatMap(row => values(row, select.name)))) select.add(new Option(value));
  // How each agent came out in a row is a letter, in the order of the names to choose from. A result without its agent asks for nothing.
  const results = new Map([...form.querySelectorAll("[data-of]")].map(select => [select.dataset.of, select]));
  const isOf = (row, name) => row.dataset.agents?.[form.elements[name].selectedIndex - 1] === results.get(name).value[0];
  const isAsked = name => form.elements[form.elements[name].dataset.of ?? name].value;
  const says = (row, text) => row.textContent.toLowerCase().includes(text.toLowerCase());
  // The address has what is chosen, so that it can be sent to others. Pages from a disk may not be let write it.
  const remember = wanted => {
    const search = String(new URLSearchParams(wanted));
    try { history.replaceState(null, "", `${location.pathname}${search && `?${search}`}${location.hash}`); } catch { return; }
  };
  for (const [name, value] of new URLSearchParams(location.search)) if (form.elements[name]) form.elements[name].value = value;
  const filter = () => {
    const wanted = [...new FormData(form)].filter(([name]) => isAsked(name));
    const rules = wanted.filter(([name]) => !form.elements[name].dataset.of);
    const fits = (row, name, value) => name === "text" ? says(row, value) : results.has(name) ? isOf(row, name) : values(row, name).some(has => name === "section" ? has.startsWith(value) : has === value);
    for (const row of rows) row.hidden = !rules.every(([name, value]) => fits(row, name, value));
    for (const part of document.querySelectorAll("section"))
      part.hidden = wanted.length > 0 && !part.querySelector("[data-version]:not([hidden])");
    remember(wanted);
    form.querySelector("output").textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} rows`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", event => event.preventDefault());
  form.hidden = false;
  filter();
}
for (const text of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = `copy ${text.dataset.copy}`;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "copied";
  });
  text.before(button);
}
