"use strict";
// Every word of the run reaches the page through textContent or a form value, never as markup.
(() => {
  // Paper cannot be clicked: what is folded away is opened for it, and closed again.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const box of opened) box.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const box of opened) box.open = false;
  });
})();
(() => {
  const source = document.getElementById("data");
  const browser = document.getElementById("browser");
  if (!source || !browser) return;
  const { systems, measures, items } = JSON.parse(source.textContent);
  const PAGE = 10;
  const $ = (id) => document.getElementById(id);
  const controls = ["words", "measure", "system", "other", "low", "high", "order", "unscored"].map($);
  const [words, measure, system, other, low, high, order, unscored] = controls;
  let found = [];
  let page = 0;
  let target = null;

  function make(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function spoken(tag, className, text) {
    const node = make(tag, className, text);
    node.dir = "auto";
    return node;
  }

  function fill(select, names, first) {
    if (first) select.append(new Option(first, ""));
    names.forEach((name, at) => select.append(new Option(name, String(at))));
  }

  const texts = items.map((item) =>
    [item.item, ...item.context.map((turn) => turn.text), ...item.references, ...item.responses.filter((r) => r !== null)]
      .join("\n").toLocaleLowerCase());

  // The quantity one looks at: a system's value under a measure, or its lead over another system.
  function quantity(item) {
    if (!measures.length || !systems.length) return null;
    const row = item.values[Number(measure.value)];
    const value = row[Number(system.value)];
    if (other.value === "" || value === null) return value;
    const minus = row[Number(other.value)];
    return minus === null ? null : value - minus;
  }

  function quantityName() {
    const name = `${measures[Number(measure.value)].name}, ${systems[Number(system.value)]}`;
    return other.value === "" ? name : `${name} − ${systems[Number(other.value)]}`;
  }

  function passes(item, at) {
    const wanted = words.value.trim().toLocaleLowerCase();
    if (wanted && !texts[at].includes(wanted)) return false;
    if (unscored.checked && !item.reasons.some((row) => row.some((reason) => reason !== null))) return false;
    const value = quantity(item);
    if (low.value !== "" && !(value !== null && value >= Number(low.value))) return false;
    if (high.value !== "" && !(value !== null && value <= Number(high.value))) return false;
    return true;
  }

  function search() {
    found = items.map((item, at) => at).filter((at) => passes(items[at], at));
    if (order.value !== "data") {
      const sign = order.value === "up" ? 1 : -1;
      const keys = new Map(found.map((at) => [at, quantity(items[at])]));
      // Items without a value come last in either direction; ties keep the order of the data.
      found.sort((a, b) => {
        const x = keys.get(a), y = keys.get(b);
        if (x === null || y === null) return (x === null) - (y === null) || a - b;
        return sign * (x - y) || a - b;
      });
    }
  }

  function shown(value, at) {
    const { places } = measures[at];
    return value.toFixed(places);
  }

  const REPLY = "; reply: ";

  // A line for each verdict; what the judge replied word for word is folded, as its reason stands before it.
  function told(evidence) {
    const box = make("dd", "evidence");
    const several = evidence.split(REPLY).length > 2;
    for (const line of several ? evidence.split("\n") : [evidence]) {
      const end = line.indexOf(REPLY);
      box.append(spoken("p", "", end < 0 ? line : line.slice(0, end)));
      if (end < 0) continue;
      const whole = make("details");
      whole.append(make("summary", "", "whole reply"), spoken("p", "said", line.slice(end + REPLY.length)));
      box.append(whole);
    }
    return box;
  }

  function scores(item, at) {
    const list = make("dl", "scores");
    measures.forEach(({ name }, m) => {
      const value = item.values[m][at], reason = item.reasons[m][at];
      if (value === null && reason === null) return;
      const pair = make("div");
      pair.append(make("dt", "", name));
      pair.append(value === null ? make("dd", "none", `unscored: ${reason}`) : make("dd", "", shown(value, m)));
      const found = item.evidence ? item.evidence[m][at] : null;
      if (found) {
        pair.classList.add("told");
        pair.append(told(found));
      }
      list.append(pair);
    });
    return list;
  }

  function response(item, at) {
    const box = make("section", "response");
    if (String(at) === system.value || String(at) === other.value) box.classList.toggle("chosen", order.value !== "data");
    box.append(make("h4", "", systems[at]));
    const text = item.responses[at];
    box.append(text === null ? make("p", "none", "no response") : spoken("p", "said", text === "" ? "(empty)" : text));
    box.append(scores(item, at));
    return box;
  }

  function conversation(item) {
    const box = make("div", "context");
    if (item.earlier) box.append(make("p", "quiet", `${item.earlier} earlier turns are left out here.`));
    for (const turn of item.context) {
      const known = ["user", "assistant", "system"].includes(turn.role);
      const bubble = make("div", known ? `turn ${turn.role}` : "turn");
      bubble.append(make("span", "who", turn.who), spoken("p", "said", turn.text));
      box.append(bubble);
    }
    return box;
  }

  function references(item) {
    const box = make("div", "references");
    box.append(make("span", "quiet", item.references.length === 1 ? "Reference" : "References"));
    const list = make("ul");
    for (const text of item.references) list.append(spoken("li", "said", text));
    box.append(list);
    return box;
  }

  function card(at) {
    const item = items[at];
    const box = make("article", item.item === target ? "item target" : "item");
    box.tabIndex = -1;
    const heading = make("h3");
    const link = make("a", "", item.item);
    link.href = `#item=${encodeURIComponent(item.item)}`;
    heading.append(link);
    const value = order.value === "data" && low.value === "" && high.value === "" ? null : quantity(item);
    if (value !== null) {
      const text = shown(value, Number(measure.value));
      heading.append(make("span", "quiet", `${quantityName()}: ${other.value !== "" && value > 0 ? "+" : ""}${text}`));
    }
    box.append(heading, conversation(item));
    if (item.references.length) box.append(references(item));
    const side = make("div", "responses");
    systems.forEach((name, s) => side.append(response(item, s)));
    box.append(side);
    return box;
  }

  function draw() {
    const pages = Math.max(Math.ceil(found.length / PAGE), 1);
    page = Math.min(Math.max(page, 0), pages - 1);
    const here = found.slice(page * PAGE, (page + 1) * PAGE);
    $("list").replaceChildren(...here.map(card));
    $("status").textContent = found.length
      ? `Items ${page * PAGE + 1} to ${page * PAGE + here.length} of ${found.length}` +
        (found.length < items.length ? ` that match, of ${items.length} on this page` : "")
      : "No item matches. Loosen the filter, or reset it.";
    $("place").textContent = `Page ${page + 1} of ${pages}`;
    $("previous").disabled = page === 0;
    $("next").disabled = page === pages - 1;
  }

  function update() {
    page = 0;
    search();
    draw();
  }

  function reset() {
    for (const control of controls) {
      if (control.type === "checkbox") control.checked = false;
      else if (control.tagName === "SELECT") control.selectedIndex = 0;
      else control.value = "";
    }
    update();
  }

  function turn(step) {
    page += step;
    draw();
    $("status").scrollIntoView({ block: "start" });
  }

  function wanted() {
    if (!location.hash.startsWith("#item=")) return null;
    try {
      return decodeURIComponent(location.hash.slice(6));
    } catch {
      return null;
    }
  }

  function follow() {
    target = wanted();
    if (target === null) return;
    const at = items.findIndex((item) => item.item === target);
    if (at < 0) {
      $("status").textContent = `This page does not carry item ${target}; look for it in results.parquet.`;
      $("status").scrollIntoView({ block: "center" });
      return;
    }
    if (!found.includes(at)) reset();
    page = Math.floor(found.indexOf(at) / PAGE);
    draw();
    const box = document.querySelector(".item.target");
    box.scrollIntoView({ block: "start" });
    box.focus({ preventScroll: true });
  }

  fill(measure, measures.map(({ name }) => name));
  fill(system, systems);
  fill(other, systems, "nothing");
  for (const control of controls) control.addEventListener(control.tagName === "SELECT" || control.type === "checkbox" ? "change" : "input", update);
  $("reset").addEventListener("click", reset);
  $("previous").addEventListener("click", () => turn(-1));
  $("next").addEventListener("click", () => turn(1));
  window.addEventListener("hashchange", follow);
  browser.hidden = false;
  // A browser that restores a form after going back should find the list it belongs to.
  update();
  follow();
})();
