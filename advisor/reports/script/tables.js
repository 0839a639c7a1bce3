/* Tables: order by a column, show the rows that hold a word, hand out CSV. */
function saved(name, rows) {
  var quoted = rows.map(function (row) {
    return row.map(function (cell) {
      if (/^[=+@\t\r-]/.test(cell) && isNaN(+cell)) cell = "'" + cell;
      return /[",\n]/.test(cell) ? '"' + cell.replace(/"/g, '""') + '"' : cell;
    }).join(",");
  });
  var link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([quoted.join("\r\n") + "\r\n"], {type: "text/csv"}));
  link.download = name + ".csv"; link.click();
  setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
}

function cellText(cell) { return cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.trim(); }

function filtering(table) {
  var field = table.parentElement.previousElementSibling.querySelector("input");
  return field && field.value.trim();
}

function tableRows(table) {
  return all("tr", table).filter(function (row) { return !row.hidden || table.few && row.classList.contains("rest") && !filtering(table); })
    .map(function (row) { return Array.from(row.cells).map(cellText); });
}

function ordered(table, head, place) {
  var numeric = head.classList.contains("n"), before = head.getAttribute("aria-sort"), body = table.tBodies[0];
  var up = before ? before === "descending" : !numeric;
  all("[aria-sort]", table).forEach(function (other) { other.removeAttribute("aria-sort"); });
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  function key(row) { var cell = row.cells[place]; return cell.dataset.v !== undefined ? +cell.dataset.v : numeric ? -1 / 0 : cell.textContent; }
  Array.from(body.rows).sort(function (one, other) {
    var a = key(one), b = key(other);
    return (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1);
  }).forEach(function (row) { body.append(row); });
}

function filtered(table, text) {
  var parts = text.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
  Array.from(table.tBodies[0].rows).forEach(function (row) {
    var held = row.textContent.toLowerCase();
    row.hidden = parts.length ? !parts.every(function (part) { return held.includes(part); }) : table.few && row.classList.contains("rest");
    shown += !row.hidden;
  });
  return shown;
}

all("table.sort, table.rows").forEach(function (table) {
  var bar = document.createElement("div"), rows = table.tBodies[0].rows.length;
  bar.className = "tools noprint";
  all("thead th", table).forEach(function (head, place) {
    if (!table.classList.contains("sort")) return;
    var made = button("", "", function () { ordered(table, head, place); });
    made.append.apply(made, Array.from(head.childNodes)); head.append(made);
  });
  if (rows > 3) {
    var field = document.createElement("input"), count = document.createElement("output");
    field.type = "search"; field.placeholder = words.filter; field.setAttribute("aria-label", words.filter + ": " + table.caption.textContent);
    field.oninput = function () { var shown = filtered(table, field.value); count.textContent = shown < rows ? shown + " / " + rows : ""; };
    bar.append(field, count);
  }
  if (table.querySelector(".rest")) {
    var note = table.parentElement.nextElementSibling, more = button(words.more, words.more + ": " + table.caption.textContent, function () { table.few = !table.few; filtered(table, ""); more.textContent = table.few ? words.more : words.fewer; note.hidden = !table.few; });
    table.few = true; filtered(table, ""); bar.append(more);
  }
  bar.append(button("CSV", "CSV: " + table.caption.textContent, function () { saved(table.dataset.name, tableRows(table)); }));
  table.parentElement.before(bar);
});

var search = document.getElementById("search");
if (search) search.oninput = function () {
  var text = search.value.trim().toLowerCase();
  all("table.sort, table.rows").forEach(function (table) { if (text && table.textContent.toLowerCase().includes(text)) filtered(table, text); else filtered(table, ""); });
  all("main details").reverse().forEach(function (part) { part.open = text !== "" && part.textContent.toLowerCase().includes(text); });
};
