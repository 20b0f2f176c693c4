// Keys, saving and live numbers of the rating pages. Every page also works without it, as plain forms.
"use strict";
(() => {
  const { prefix, csrf } = document.body.dataset;
  const form = document.querySelector("#task, #adjudicate");
  const status = document.querySelector("#status");
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  document.documentElement.classList.add("scripted");

  const post = (path, content) => fetch(prefix + path, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: JSON.stringify(content),
  });
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

  function tell(code, { values = {}, bad = false, link = null } = {}) {
    if (!status) return;
    const owner = document.querySelector("#task, #chat");
    status.textContent = code ? filled(owner.dataset[code], values) : "";
    status.className = bad ? "bad" : code === "saved" ? "saved" : "";
    if (link) {
      const anchor = Object.assign(document.createElement("a"), { href: link.href, textContent: link.text });
      status.append(" ", anchor);
      anchor.focus();
    }
  }

  // Groups: a question, or its part beside one turn or one response.
  const groups = () => all("[data-group]", form);
  const controls = (group) =>
    all("input, textarea", group).filter((control) => control.closest("[data-group]") === group);
  const set = (control) =>
    control.type === "radio" || control.type === "checkbox" ? control.checked : control.type !== "range" && control.value.trim() !== "";

  function answered(group) {
    if (group.hasAttribute("data-pairs") || group.dataset.kind === "contradiction") {
      const chosen = all("[data-most]", form).filter((box) => box.checked).length;
      return chosen === 2 || all("[data-kind=contradiction] input", form).some((box) => box.checked);
    }
    return controls(group).some(set);
  }
  const open = (group) => group.hasAttribute("data-required") && !answered(group);

  function enter(group) {
    const own = controls(group).filter((control) => control.offsetParent !== null);
    const target = own.find((control) => control.checked) ?? own[0];
    if (!target) return;
    target.focus({ preventScroll: true });
    (target.closest("[data-stop]") ?? group).scrollIntoView({ block: "nearest" });
  }

  function advance(group) {
    const following = groups().slice(groups().indexOf(group) + 1).find(open);
    if (following) enter(following);
  }

  function slide(group, key) {
    const range = group.querySelector("[data-range]");
    if (!range || !/^[1-9]$/.test(key)) return false;
    const [low, high] = [Number(range.min), Number(range.max)];
    range.value = low + ((high - low) * Number(key)) / 10;
    range.dispatchEvent(new Event("input", { bubbles: true }));
    range.focus();
    return true;
  }

  function choose(key) {
    const here = document.activeElement.closest("[data-group]");
    for (const group of [here, ...groups().filter((one) => !answered(one)), ...groups()]) {
      if (!group) continue;
      const control = controls(group).find((one) => (one.dataset.keys ?? "").split(" ").includes(key));
      if (control) {
        control.focus({ preventScroll: true });
        if (control.type === "checkbox" || !control.checked) control.click();
        if (control.type === "radio") advance(group);
        return true;
      }
      if (slide(group, key)) return true;
    }
    return false;
  }

  function arrow(key) {
    const group = groups().find(open) ?? groups()[0];
    if (!group) return false;
    const own = controls(group).filter((control) => control.offsetParent !== null);
    if (!own.length) return false;
    const target = key === "ArrowLeft" ? own.filter((control) => control.type !== "textarea").at(-1) : own[0];
    target.focus();
    if (target.type === "radio") target.click();
    return true;
  }

  function step(by) {
    const stops = all("[data-stop]");
    const at = stops.findIndex((stop) => stop.contains(document.activeElement));
    const stop = stops[at < 0 ? (by > 0 ? 0 : stops.length - 1) : Math.min(Math.max(at + by, 0), stops.length - 1)];
    if (!stop) return false;
    (stop.querySelector("input:checked, a") ?? stop.querySelector("input") ?? stop).focus({ preventScroll: true });
    stop.scrollIntoView({ block: "nearest" });
    return true;
  }

  // Keys.
  function pressed(key, here) {
    if (form && form.inert) return false;
    if (key === "j" || key === "k") return step(key === "j" ? 1 : -1);
    if (key === "u" && form) return undo();
    if (key === "?" || key === "i") return show(key === "?" ? "keys" : "instructions");
    if (key === "Enter" && form && !here.closest("a, button, summary")) {
      form.requestSubmit(form.querySelector("button.main"));
      return true;
    }
    if (form && choose(key)) return true;
    if (form && (key === "ArrowLeft" || key === "ArrowRight") && !here.closest("input")) return arrow(key);
    const link = all("[data-key]").find((one) => one.dataset.key === key);
    if (link && !(key === "Enter" && here.closest("a, button"))) {
      link.click();
      return true;
    }
    return false;
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.isComposing || event.keyCode === 229) return;
    const here = event.target instanceof Element ? event.target : document.body;
    const dialog = document.querySelector("dialog[open]");
    if (dialog) {
      if (event.key === "?" || event.key === "i") dialog.close();
      return;
    }
    if (event.ctrlKey) {
      if (event.key === "Enter" && form) form.requestSubmit(form.querySelector("button.main"));
      return;
    }
    if (here.matches("textarea, input:not([type=radio], [type=checkbox], [type=range])")) {
      if (event.key === "Escape") here.blur();
      return;
    }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (pressed(key, here)) event.preventDefault();
  });

  function show(id) {
    const dialog = document.getElementById(id);
    if (!dialog) return false;
    dialog.showModal();
    return true;
  }
  for (const opener of all("[data-opens]")) {
    opener.addEventListener("click", (event) => {
      if (show(opener.dataset.opens)) event.preventDefault();
    });
  }
  for (const button of all("dialog form button")) button.addEventListener("click", () => button.closest("dialog").close());

  // What a choice changes on the page: what it excludes, pairs, counts, orders, chosen responses.
  function settle(control) {
    if (control.checked && control.dataset.excludes) {
      for (const other of all("input", form)) if (other.name === control.dataset.excludes) other.checked = false;
    }
    if (control.checked && control.type === "checkbox" && !control.dataset.most) {
      for (const other of all("input[type=checkbox]", form)) {
        if (other !== control && other.name === control.name && control.name.endsWith(".verdict")) other.checked = false;
      }
    }
    if (control.checked && control.dataset.most) {
      const chosen = all("input:checked", form).filter((one) => one.name === control.name && one !== control);
      chosen.sort((one, other) => Number(one.dataset.since ?? 0) - Number(other.dataset.since ?? 0));
      while (chosen.length >= Number(control.dataset.most)) chosen.shift().checked = false;
      control.dataset.since = performance.now();
    }
  }

  function redraw() {
    for (const line of all("[data-pair]", form)) {
      const [first, second] = all("input:checked", form).filter((one) => one.name === line.dataset.pair).map((one) => one.value);
      const text = second ? line.dataset.two : first ? line.dataset.one : line.dataset.empty;
      line.textContent = filled(text, { first, second });
    }
    for (const line of all("[data-count]", form)) {
      const parts = groups().filter((group) => group.dataset.partOf === line.closest("[data-ask]").dataset.ask);
      line.hidden = false;
      line.textContent = filled(line.dataset.count, { done: parts.filter(answered).length, total: parts.length });
    }
    for (const line of all("[data-order]", form)) {
      const ranked = groups().filter((group) => group.dataset.partOf === line.dataset.order && answered(group));
      const rank = (group) => Number(controls(group).find(set).value);
      ranked.sort((one, other) => rank(one) - rank(other));
      line.textContent = ranked
        .map((group, at) => (at ? (rank(group) === rank(ranked[at - 1]) ? " = " : " > ") : "") + group.dataset.letter)
        .join("");
    }
    for (const card of all("[data-candidate]", form)) {
      card.toggleAttribute("data-chosen", all("input:checked", form).some((one) => one.value === card.dataset.candidate));
    }
    for (const group of groups()) if (answered(group)) unmark(group);
  }

  function sliders() {
    for (const range of all("[data-range]", form)) {
      const group = range.closest("[data-group]");
      const number = group.querySelector("[data-slider]");
      const abstain = group.querySelector("input[type=checkbox]");
      const untouched = () => range.toggleAttribute("data-untouched", number.value === "");
      range.addEventListener("input", () => { number.value = range.value; if (abstain) abstain.checked = false; untouched(); });
      number.addEventListener("input", () => { if (number.value !== "") { range.value = number.value; if (abstain) abstain.checked = false; } untouched(); });
      if (abstain) abstain.addEventListener("change", () => { if (abstain.checked) number.value = ""; untouched(); });
      if (number.value !== "") range.value = number.value;
      untouched();
    }
  }

  function clicks() {
    for (const stop of all(".turn, .candidate", form)) {
      stop.addEventListener("click", (event) => {
        if (event.target.closest("label, input, a, button") || !getSelection().isCollapsed) return;
        const box = stop.querySelector("[data-most]");
        const radios = all("input[type=radio]", form).filter((one) => one.value === stop.dataset.candidate);
        if (box) box.click();
        else if (radios.length === 1) radios[0].click();
      });
    }
  }

  // Marks beside what is missing.
  function unmark(group) {
    for (const note of all(".fault.client", group)) note.remove();
    group.classList.remove("missing");
  }
  function mark(group, code) {
    unmark(group);
    const note = document.createElement("p");
    note.className = "fault client";
    note.textContent = form.dataset[`fault${code.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("")}`] ?? code;
    group.classList.add("missing");
    (group.matches("ol") ? form.querySelector("[data-kind=contradiction]") : group).append(note);
  }
  function missing() {
    const found = groups().filter((group) => open(group) && !group.matches("ol"));
    for (const group of found) mark(group, "required");
    if (found.length) enter(found[0]);
    return found.length > 0;
  }

  // Drafts: what is not saved yet stays in this tab until the server has acknowledged it.
  const draft = form && form.id === "task" ? `dialeval:${prefix}:${form.dataset.item}:${form.dataset.revision}` : null;
  const entries = () => [...new FormData(form)].filter(([name]) => name.includes("."));
  const original = form ? JSON.stringify(entries()) : "";
  const dirty = () => JSON.stringify(entries()) !== original;
  const kept = {
    get: (key) => { try { return sessionStorage.getItem(key); } catch { return null; } },
    set: (key, value) => { try { sessionStorage.setItem(key, value); } catch { /* no storage: nothing to resume */ } },
    drop: (key) => { try { sessionStorage.removeItem(key); } catch { /* as above */ } },
  };

  function restore() {
    const found = draft && kept.get(draft);
    if (!found || found === original) return;
    const fields = JSON.parse(found);
    for (const control of all("input, textarea", form)) {
      if (!control.name.includes(".")) continue;
      const values = fields.filter(([name]) => name === control.name).map(([, value]) => value);
      if (control.type === "radio" || control.type === "checkbox") control.checked = values.includes(control.value);
      else control.value = values[0] ?? "";
    }
    tell("restored");
  }

  function undo() {
    if (form.id === "task" && dirty()) {
      form.reset();
      kept.drop(draft);
      for (const group of groups()) unmark(group);
      for (const number of all("[data-slider]", form)) number.dispatchEvent(new Event("input", { bubbles: true }));
      redraw();
      tell("");
      return true;
    }
    const link = document.getElementById("undo");
    if (link) link.click();
    return Boolean(link);
  }

  // Reading time: only while the page is in view.
  let seen = 0;
  let since = document.hidden ? null : performance.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && since !== null) { seen += performance.now() - since; since = null; }
    else if (!document.hidden && since === null) since = performance.now();
  });
  const seconds = () => (seen + (since === null ? 0 : performance.now() - since)) / 1000;

  function answers() {
    const result = {};
    for (const control of all("input, textarea", form)) {
      const at = control.name.lastIndexOf(".");
      if (at < 0 || !set(control)) continue;
      const fields = (result[control.name.slice(0, at)] ??= {});
      const field = control.name.slice(at + 1);
      if (control.type === "checkbox") (fields[field] ??= []).push(control.value);
      else fields[field] = control.value;
    }
    for (const ask of all("[data-ask]", form)) result[ask.dataset.ask] ??= {};
    return result;
  }

  // Sends until the server has acknowledged it or says no.
  async function acknowledged(path, content) {
    for (let wait = 1; ; wait = Math.min(2 * wait, 15)) {
      const reply = await post(path, content).catch(() => null);
      if (reply && reply.status < 500 && reply.status !== 429) return reply;
      for (let left = wait; left > 0; left -= 1) {
        tell("failed", { values: { seconds: left }, bad: true });
        await pause(1000);
      }
      tell("saving");
    }
  }

  async function save() {
    if (form.inert || form.hasAttribute("data-preview")) return;
    if (missing()) return tell("refused", { bad: true });
    const left = Number(form.dataset.least) - seconds();
    if (left > 0) return tell("tooSoon", { values: { seconds: Math.ceil(left) }, bad: true });
    form.inert = true;
    tell("saving");
    const item = form.dataset.item;
    const reply = await acknowledged("/api/answers", {
      item,
      revision: Number(form.dataset.revision),
      seconds: Math.round(seconds() * 10) / 10,
      answers: answers(),
    });
    const content = await reply.json().catch(() => ({}));
    form.inert = reply.ok; // until the next item is here
    if (reply.ok) {
      kept.drop(draft);
      kept.set("dialeval:saved", "1");
      tell("saved");
      location.assign(content.next ?? `${prefix}/task`);
    } else if (reply.status === 409) {
      const href = `${prefix}/task?item=${encodeURIComponent(item)}`;
      tell("stale", { bad: true, link: { href, text: form.dataset.open } });
    } else if (reply.status === 410) {
      tell("gone", { bad: true, link: { href: `${prefix}/task`, text: form.dataset.next } });
    } else if (reply.status === 422) {
      refused(content.faults ?? []);
    } else tell("session", { bad: true });
  }

  function refused(faults) {
    for (const { criterion, field, fault } of faults) {
      const control = all("input, textarea", form).find((one) => one.name === `${criterion}.${field}`);
      const group = control?.closest("[data-group]") ?? all("[data-ask]", form).find((one) => one.dataset.ask === criterion);
      if (group) mark(group, fault);
    }
    const code = faults.length && faults.every(({ fault }) => fault === "too_soon") ? "tooSoon" : "refused";
    tell(code, { values: { seconds: 1 }, bad: true });
  }

  function rate() {
    form.noValidate = true;
    restore();
    sliders();
    clicks();
    redraw();
    form.addEventListener("change", (event) => { settle(event.target); redraw(); });
    form.addEventListener("input", () => {
      redraw();
      if (draft) { kept.set(draft, JSON.stringify(entries())); tell(dirty() ? "unsaved" : ""); }
    });
    if (form.id !== "task") return;
    if (kept.get("dialeval:saved")) { kept.drop("dialeval:saved"); if (!status.textContent) tell("saved"); }
    // Back and reload lead to this item, wherever the next one is.
    history.replaceState(null, "", `${prefix}/task?item=${encodeURIComponent(form.dataset.item)}`);
    form.addEventListener("change", () => kept.set(draft, JSON.stringify(entries())));
    form.addEventListener("submit", (event) => {
      form.elements.seconds.value = seconds().toFixed(1);
      if (event.submitter?.hasAttribute("data-skip")) { kept.drop(draft); return; }
      event.preventDefault();
      save();
    });
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  }

  // The talk before the ratings.
  function chat(talk) {
    const log = document.getElementById("log");
    const box = talk.querySelector("textarea[name=text]");
    const { said, waiting: unanswered } = log.dataset;
    const opening = log.children.length - (2 * Number(said) - (unanswered === "1" ? 1 : 0));
    const spelled = (text) => text.replace(/[\u202a\u202b\u202d\u202e\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g,
      (sign) => `U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
    function bubble(speaker, text) {
      const li = document.createElement("li");
      const who = Object.assign(document.createElement("p"), { className: "who", textContent: speaker === "user" ? log.dataset.you : log.dataset.other });
      const words = Object.assign(document.createElement("div"), { className: "said", dir: "auto", textContent: spelled(text) });
      li.className = `turn ${speaker === "user" ? "mine" : "assistant"}`;
      li.append(who, words);
      log.append(li);
      li.scrollIntoView({ block: "nearest" });
      return li;
    }
    let busy = false;
    async function say() {
      const text = box ? box.value.trim() : "";
      if ((box && !text) || busy) return;
      busy = true;
      const mine = box ? bubble("user", text) : null;
      const waiting = bubble("assistant", log.dataset.writing);
      waiting.classList.add("waiting");
      tell("sending");
      const reply = await post("/api/chat", { item: talk.dataset.item, text }).catch(() => null);
      busy = false;
      waiting.remove();
      if (!reply?.ok) {
        mine?.remove();
        box?.focus();
        return tell(reply?.status === 410 ? "gone" : reply && reply.status < 500 && reply.status !== 429 ? "session" : "unsent", { bad: true });
      }
      const state = await reply.json();
      tell("");
      if (!box || state.finished) return location.replace(`${prefix}/task?item=${encodeURIComponent(talk.dataset.item)}`);
      box.value = "";
      [...log.children].slice(opening).forEach((turn) => turn.remove());
      for (const turn of state.turns) bubble(turn.speaker, turn.text);
      const left = document.getElementById("left");
      left.textContent = filled(left.dataset.text, state);
      box.focus();
    }
    box?.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      say();
    });
    talk.addEventListener("submit", (event) => {
      if (event.submitter?.hasAttribute("data-skip")) return;
      event.preventDefault();
      say();
    });
    if (!box) say();
    else if (!matchMedia("(pointer: coarse)").matches) box.focus();
  }

  // The owner's page: its live part is fetched again and again, and only changed where nobody is busy in it.
  async function live(part) {
    for (;;) {
      await pause(4000);
      if (document.hidden) continue;
      const reply = await fetch(part.dataset.live, { credentials: "same-origin" }).catch(() => null);
      const fresh = reply?.ok ? new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("live") : null;
      part.classList.toggle("offline", !fresh);
      if (!fresh) { document.getElementById("stamp").textContent = part.dataset.failed; continue; }
      const label = part.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
      const lefts = all(".scroll", part).map((box) => box.scrollLeft);
      part.replaceChildren(...fresh.childNodes);
      all(".scroll", part).forEach((box, at) => { box.scrollLeft = lefts[at] ?? 0; });
      if (label) all("button", part).find((button) => button.getAttribute("aria-label") === label)?.focus();
    }
  }
  document.addEventListener("submit", (event) => {
    const ask = event.submitter?.dataset.confirm;
    if (ask && !confirm(ask)) event.preventDefault();
  });

  const talk = document.getElementById("chat");
  const part = document.getElementById("live");
  if (form) rate();
  if (talk) chat(talk);
  if (part) live(part);
})();
