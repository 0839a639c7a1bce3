/* Heat maps and the time line: the value under the pointer or the arrow keys, a part of the time
   enlarged, CSV. Cells are in data-cells as "number of a word*how often", in base 36. */
var tip = document.createElement("output");
tip.className = "tip noprint"; tip.hidden = true; document.body.append(tip);

function decoded(field) {
  if (!field.words) {
    var list = field.dataset.words.split("|");
    field.words = [];
    field.dataset.cells.split(" ").forEach(function (token) {
      var parts = token.split("*");
      for (var left = parseInt(parts[1] || "1", 36); left; left--) field.words.push(list[parseInt(parts[0], 36)]);
    });
  }
  return field.words;
}

function names(map, which) {
  map[which] = map[which] || JSON.parse(map.dataset[which]);
  return map[which];
}

function view(map) { return map.view || [0, 1]; }

function told(map, row, column) {
  var rows = names(map, "rows"), columns = names(map, "columns"), lines = [rows[row] + ", " + columns[column]];
  if (map.dataset.between) lines = [rows[row] + " → " + columns[column]];
  all(".cells", map).forEach(function (field) {
    lines.push(field.dataset.name + ": " + (decoded(field)[row * columns.length + column] || "0"));
  });
  return lines.join("\n");
}

function shown(field, map, row, column, x, y) {
  var seen = view(map), wide = names(map, "columns").length, high = names(map, "rows").length;
  field.cursor = [row, column];
  tip.textContent = told(map, row, column); tip.hidden = false;
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(y + 14, innerHeight - tip.offsetHeight - 8)) + "px";
  var mark = field.querySelector(".mark"), step = 100 / wide / (seen[1] - seen[0]);
  mark.hidden = false;
  mark.style.cssText = "left:" + (column / wide - seen[0]) / (seen[1] - seen[0]) * 100 + "%;top:" + 100 * row / high + "%;width:" + step + "%;height:" + 100 / high + "%";
}

function hidden(field) { tip.hidden = true; field.querySelector(".mark").hidden = true; }

function pointed(field, map, event) {
  var box = field.getBoundingClientRect(), seen = view(map), wide = names(map, "columns").length, high = names(map, "rows").length;
  var at = seen[0] + (event.clientX - box.left) / box.width * (seen[1] - seen[0]);
  var column = Math.floor(at * wide), row = Math.floor((event.clientY - box.top) / box.height * high);
  if (column < 0 || row < 0 || column >= wide || row >= high) return hidden(field);
  shown(field, map, row, column, event.clientX, event.clientY);
}

function moved(field, map, event) {
  var step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
  if (event.key === "Escape") return hidden(field);
  if (!step) return;
  var wide = names(map, "columns").length, high = names(map, "rows").length, seen = view(map);
  var before = field.cursor || [0, Math.floor(seen[0] * wide)], box = field.getBoundingClientRect();
  var row = Math.max(0, Math.min(high - 1, before[0] + step[0])), column = Math.max(0, Math.min(wide - 1, before[1] + step[1]));
  event.preventDefault();
  shown(field, map, row, column, box.left + ((column + .5) / wide - seen[0]) / (seen[1] - seen[0]) * box.width, box.top + (row + .5) / high * box.height);
}

function mapRows(map) {
  var fields = all(".cells", map), columns = names(map, "columns"), rows = [["", ""].concat(fields.map(function (field) { return field.dataset.name; }))];
  names(map, "rows").forEach(function (row, at) {
    columns.forEach(function (column, place) {
      rows.push([row, column].concat(fields.map(function (field) { return decoded(field)[at * columns.length + place]; })));
    });
  });
  return rows;
}

all(".heats").forEach(function (map) {
  all(".cells", map).forEach(function (field) {
    var mark = document.createElement("i");
    mark.className = "mark"; mark.hidden = true; field.append(mark);
    field.tabIndex = 0; field.setAttribute("role", "group"); field.setAttribute("aria-label", field.dataset.name + ". " + words.arrows);
    field.onpointermove = function (event) { pointed(field, map, event); };
    field.onpointerleave = field.onblur = function () { hidden(field); };
    field.onkeydown = function (event) { moved(field, map, event); };
  });
  var bar = document.createElement("div");
  bar.className = "tools noprint";
  bar.append(button("CSV", "CSV: " + map.dataset.name, function () { saved(map.dataset.name, mapRows(map)); }));
  map.before(bar);
});

/* The time line: every picture in it has a view box as wide as there are slices. */
function time(seconds) { return seconds < 1 ? +(1000 * seconds).toPrecision(3) + "\u00a0ms" : +seconds.toPrecision(4) + "\u00a0s"; }

function zoomed(line, from, to) {
  var wide = Math.min(1, Math.max(to - from, .01)), begin = Math.min(Math.max(0, from), 1 - wide), end = +line.dataset.end;
  line.view = [begin, begin + wide];
  all(".heats", line).forEach(function (map) { map.view = line.view; });
  all("svg[viewBox]", line).forEach(function (picture) {
    var size = (picture.dataset.box = picture.dataset.box || picture.getAttribute("viewBox")).split(" ");
    picture.setAttribute("viewBox", begin * size[2] + " 0 " + wide * size[2] + " " + size[3]);
    picture.setAttribute("overflow", "hidden"); picture.style.overflow = "hidden";
  });
  all(".under", line).forEach(function (under) {
    Array.from(under.children).forEach(function (label, place) { label.textContent = time(end * (begin + wide * place / 2)); });
  });
}

function dragged(line, field) {
  var from = null;
  function at(event) {
    var box = field.getBoundingClientRect();
    return line.view[0] + (event.clientX - box.left) / box.width * (line.view[1] - line.view[0]);
  }
  field.addEventListener("pointerdown", function (event) { from = [at(event), event.clientX]; });
  field.addEventListener("pointerup", function (event) {
    if (from && Math.abs(event.clientX - from[1]) > 8) zoomed(line, Math.min(from[0], at(event)), Math.max(from[0], at(event)));
    from = null;
  });
  field.addEventListener("dblclick", function () { zoomed(line, 0, 1); });
}

all(".over[data-end]").forEach(function (line) {
  var bar = document.createElement("div");
  line.view = [0, 1]; bar.className = "tools noprint";
  function by(factor, shift) {
    return function () {
      var wide = line.view[1] - line.view[0], middle = line.view[0] + wide / 2 + shift * wide;
      zoomed(line, middle - wide * factor / 2, middle + wide * factor / 2);
    };
  }
  bar.append(button("+", words.closer, by(.5, 0)), button("−", words.wider, by(2, 0)), button("←", words.earlier, by(1, -.5)),
    button("→", words.later, by(1, .5)), button(words.whole, "", function () { zoomed(line, 0, 1); }));
  line.before(bar);
  all(".cells, .time", line).forEach(function (field) { dragged(line, field); });
});
