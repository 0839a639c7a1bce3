/* Theme, copying, and folded parts. Scripts of this folder are one script on the page: `words` are what
   they write on buttons, `button` makes one. */
var root = document.documentElement, words = JSON.parse(document.body.dataset.words);
root.classList.add("js");

function all(selector, within) { return Array.from((within || document).querySelectorAll(selector)); }

function button(text, label, act) {
  var made = document.createElement("button");
  made.type = "button"; made.textContent = text; made.onclick = act;
  if (label) made.setAttribute("aria-label", label);
  return made;
}

function copied(box, made) {
  var text = box.querySelector("pre").textContent;
  (navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject()).then(
    function () { made.textContent = words.copied; },
    function () { getSelection().selectAllChildren(box.querySelector("pre")); made.textContent = words.selected; });
  setTimeout(function () { made.textContent = words.copy; }, 1500);
}

all(".cmd").forEach(function (box) {
  var made = button(words.copy, "", function () { copied(box, made); });
  box.append(made);
});

document.getElementById("theme").onclick = function () {
  var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
};

function unfold() {
  var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (var at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  if (target) target.scrollIntoView();
}
addEventListener("hashchange", unfold);
unfold();

var opener = document.getElementById("open");
if (opener) opener.onclick = function () {
  var open = all("details.part").some(function (part) { return !part.open; });
  all("details.part").forEach(function (part) { part.open = open; });
  opener.textContent = open ? words.close : words.open;
};
