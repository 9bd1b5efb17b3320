// Progressive enhancement: filter while typing, "/" focuses the filter, follow the log and live parts, copy a text.
// Every page works without it, by the buttons of its forms.
"use strict";

const DEBOUNCE_MS = 180;
const MAX_LIVE_ROWS = 300;
const LIVE_MS = 1000;

function formUrl(form) {
  const pairs = [...new FormData(form)].filter(([, value]) => value !== "");
  const query = new URLSearchParams(pairs).toString();
  return (form.getAttribute("action") || location.pathname) + (query ? "?" + query : "");
}

function identity(element) {
  return [element.tagName, element.getAttribute("href") || element.name, element.value, element.textContent].join("\n");
}

// Replace a part of the page. Whoever has the focus in it keeps it, on the same link or button if that is still there.
function replaceContent(target, html, otherwise) {
  const held = target.contains(document.activeElement) ? identity(document.activeElement) : null;
  target.innerHTML = html;
  target.dispatchEvent(new CustomEvent("refreshed", { bubbles: true }));
  if (held === null) return;
  const same = [...target.querySelectorAll("a, button, input, summary")].find((element) => identity(element) === held);
  (same || otherwise).focus();
}

function filterWhileTyping(form) {
  const target = document.getElementById(form.dataset.live);
  let timer = 0;
  let request = null;
  let leaving = false; // a request that fails because the page is left must not lead back to it
  async function refresh() {
    if (request) request.abort();
    request = new AbortController();
    const url = formUrl(form);
    target.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(url, { headers: { "x-fragment": "1" }, signal: request.signal });
      if (!response.ok || response.redirected) return form.submit();
      replaceContent(target, await response.text(), form.elements[0]);
      history.replaceState(null, "", url);
    } catch (error) {
      if (error.name !== "AbortError" && !leaving) form.submit();
      return;
    }
    target.removeAttribute("aria-busy");
  }
  form.querySelectorAll("button").forEach((button) => (button.hidden = true));
  addEventListener("beforeunload", () => {
    clearTimeout(timer);
    leaving = true;
  });
  form.addEventListener("input", () => {
    leaving = false;
    clearTimeout(timer);
    timer = setTimeout(refresh, DEBOUNCE_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    refresh();
  });
}

function isTyping(element) {
  return element.isContentEditable || /^(input|textarea|select)$/i.test(element.tagName);
}

function focusFilterOnSlash() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const field = document.querySelector("[data-slash]");
    if (!field) return;
    event.preventDefault();
    field.focus();
    if (field.select) field.select();
  });
}

function followLog(button) {
  let source = null;
  function stop() {
    if (source) source.close();
    source = null;
    button.setAttribute("aria-pressed", "false");
    button.textContent = "Follow live";
  }
  function start() {
    const url = new URL(button.dataset.stream, location.href);
    url.searchParams.delete("kind");
    document.querySelectorAll('input[name="kind"]:checked').forEach((box) => url.searchParams.append("kind", box.value));
    const live = document.getElementById("live");
    const list = live.querySelector("ol");
    live.hidden = false;
    source = new EventSource(url);
    source.addEventListener("row", (event) => {
      list.insertAdjacentHTML("afterbegin", event.data);
      while (list.children.length > MAX_LIVE_ROWS) list.lastElementChild.remove();
    });
    button.setAttribute("aria-pressed", "true");
    button.textContent = "Following";
  }
  button.hidden = false;
  button.addEventListener("click", () => (source ? stop() : start()));
  document.addEventListener("refreshed", stop);
  addEventListener("pagehide", stop);
}

function copyText(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected: copy it now";
    }
  });
}

function copyIds(root) {
  root.querySelectorAll("[data-copy-text]").forEach((button) => {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copyText);
      button.firstChild.textContent = "Copied";
    });
  });
}

function openWhenTicked(root) {
  root.querySelectorAll("[data-open-when-ticked]").forEach((details) => {
    details.closest("form").addEventListener("change", (event) => {
      if (event.target.name === "pick" && event.target.checked) details.open = true;
    });
  });
}

function closeMenus() {
  document.addEventListener("click", (event) => {
    document.querySelectorAll(".menu[open]").forEach((menu) => menu.contains(event.target) || (menu.open = false));
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest(".menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

// Read a live part of the page again when the server says that something changed; not under someone's hands.
function refreshLive(mark) {
  const target = document.getElementById(mark.dataset.refresh);
  let due = false;
  let timer = 0;
  async function refresh() {
    timer = 0;
    if (document.hidden || target.contains(document.activeElement) || target.querySelector("details[open]")) {
      due = true;
      return;
    }
    due = false;
    try {
      const response = await fetch(location.href, { headers: { "x-fragment": "1" } });
      if (!response.ok || response.redirected) return;
      target.innerHTML = await response.text();
      target.dispatchEvent(new CustomEvent("refreshed", { bubbles: true }));
    } catch {
      due = true;
    }
  }
  const schedule = () => (timer = timer || setTimeout(refresh, LIVE_MS));
  const source = new EventSource("/live/stream");
  source.addEventListener("open", () => {
    mark.hidden = false;
    schedule(); // what changed before the stream was open is not told
  });
  source.addEventListener("error", () => (mark.hidden = true));
  source.addEventListener("changed", schedule);
  ["focusout", "toggle"].forEach((name) => target.addEventListener(name, () => due && schedule(), true));
  document.addEventListener("visibilitychange", () => due && schedule());
  addEventListener("pagehide", () => source.close());
}

document.querySelectorAll("form[data-live]").forEach(filterWhileTyping);
document.querySelectorAll("[data-copy]").forEach(copyText);
document.querySelectorAll("[data-refresh]").forEach(refreshLive);
[copyIds, openWhenTicked].forEach((enhance) => {
  enhance(document);
  document.addEventListener("refreshed", (event) => enhance(event.target));
});
closeMenus();
document.querySelectorAll("#follow").forEach(followLog);
focusFilterOnSlash();
