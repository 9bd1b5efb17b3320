// What a page does beyond links and forms: filter as you type, "/" to get there, follow the log, copy a text.
// Everything works without it, by the buttons of the forms.
"use strict";

const PAUSE = 180;
const FOLLOWED = 300;

function addressOf(form) {
  const pairs = [...new FormData(form)].filter(([, value]) => value !== "");
  const query = new URLSearchParams(pairs).toString();
  return (form.getAttribute("action") || location.pathname) + (query ? "?" + query : "");
}

function liven(form) {
  const target = document.getElementById(form.dataset.live);
  let waiting = 0;
  let asking = null;
  async function renew() {
    if (asking) asking.abort();
    asking = new AbortController();
    const address = addressOf(form);
    target.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { headers: { "x-fragment": "1" }, signal: asking.signal });
      if (!answer.ok || answer.redirected) return form.submit();
      target.innerHTML = await answer.text();
      history.replaceState(null, "", address);
      target.dispatchEvent(new CustomEvent("renewed", { bubbles: true }));
    } catch (error) {
      if (error.name !== "AbortError") form.submit();
      return;
    }
    target.removeAttribute("aria-busy");
  }
  form.querySelectorAll("button").forEach((button) => (button.hidden = true));
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(renew, PAUSE);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    renew();
  });
}

function isTyping(element) {
  return element.isContentEditable || /^(input|textarea|select)$/i.test(element.tagName);
}

function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const field = document.querySelector("[data-slash]");
    if (!field) return;
    event.preventDefault();
    field.focus();
    if (field.select) field.select();
  });
}

function follow(button) {
  let source = null;
  function stop() {
    if (source) source.close();
    source = null;
    button.setAttribute("aria-pressed", "false");
    button.textContent = "Follow live";
  }
  function start() {
    const address = new URL(button.dataset.stream, location.href);
    address.searchParams.delete("kind");
    document.querySelectorAll('input[name="kind"]:checked').forEach((one) => address.searchParams.append("kind", one.value));
    const live = document.getElementById("live");
    const list = live.querySelector("ol");
    live.hidden = false;
    source = new EventSource(address);
    source.addEventListener("row", (event) => {
      list.insertAdjacentHTML("afterbegin", event.data);
      while (list.children.length > FOLLOWED) list.lastElementChild.remove();
    });
    button.setAttribute("aria-pressed", "true");
    button.textContent = "Following";
  }
  button.hidden = false;
  button.addEventListener("click", () => (source ? stop() : start()));
  document.addEventListener("renewed", stop);
  addEventListener("pagehide", stop);
}

function copying(button) {
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

document.querySelectorAll("form[data-live]").forEach(liven);
document.querySelectorAll("[data-copy]").forEach(copying);
document.querySelectorAll("#follow").forEach(follow);
const current = document.querySelector(".side [aria-current]");
if (current && current.offsetParent) current.closest("ul").scrollLeft = current.offsetLeft - 60;
listen();
