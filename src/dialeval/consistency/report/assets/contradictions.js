"use strict";
// Shows the pairs that all filters keep; without scripts, all of them are shown.
(() => {
  const $ = (id) => document.getElementById(id);
  const [words, system, verdict, turn, count] = ["words", "system", "verdict", "turn", "count"].map($);
  if (!words) return;
  const pairs = [...document.querySelectorAll("article.clash")];
  function show() {
    const sought = words.value.trim().toLowerCase();
    let shown = 0;
    for (const pair of pairs) {
      const { system: own, verdict: said, turn: where } = pair.dataset;
      const kept =
        (!system.value || own === system.value) &&
        (!verdict.value || said === verdict.value) &&
        (!turn.value || where === turn.value) &&
        (!sought || pair.textContent.toLowerCase().includes(sought));
      pair.hidden = !kept;
      if (kept) shown += 1;
    }
    count.textContent = `${shown} of ${pairs.length} pairs`;
  }
  for (const control of [words, system, verdict, turn]) control.addEventListener("input", show);
})();
