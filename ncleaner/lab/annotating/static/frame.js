// The page as a browser draws it. Nothing in the frame runs; a pane of glass above it takes all clicks, so the frame
// never has the keyboard.

const LEAST_WIDTH = 900;

export class Frame {
  constructor(onChosen) {
    this.frame = document.getElementById("frame");
    this.sheet = document.getElementById("sheet");
    this.scroller = document.getElementById("scroller");
    this.parts = new Map();
    this.scale = 1;
    this.here = -1;
    this.paint = () => null;
    this.todo = [];
    this.frame.addEventListener("load", () => this.loaded());
    document.getElementById("glass").addEventListener("click", (event) => {
      const row = this.rowAt(event);
      if (row >= 0) onChosen(row, event.shiftKey);
    });
    new ResizeObserver(() => this.fit()).observe(this.scroller);
  }

  show(id, styles, paint) {
    this.paint = paint;
    this.parts.clear();
    this.here = -1;
    const address = `/drawn?id=${encodeURIComponent(id)}&styles=${styles ? 1 : 0}`;
    // no entry in the history of the tab
    this.frame.contentWindow.location.replace(address);
  }

  loaded() {
    const inside = this.frame.contentDocument;
    if (!inside || !inside.body) return;
    for (const part of inside.querySelectorAll("x-seg")) {
      const row = Number(part.dataset.seg);
      if (!this.parts.has(row)) this.parts.set(row, []);
      this.parts.get(row).push(part);
    }
    this.fit();
    this.paint();
  }

  fit() {
    const inside = this.frame.contentDocument;
    const room = this.scroller.clientWidth;
    if (!inside || !inside.body || !room) return;
    const width = Math.max(room, LEAST_WIDTH);
    this.scale = room / width;
    this.frame.style.width = `${width}px`;
    this.frame.style.height = "600px";
    const height = Math.min(Math.max(inside.documentElement.scrollHeight, inside.body.scrollHeight, 300), 150000);
    this.frame.style.height = `${height}px`;
    this.sheet.style.width = `${width}px`;
    this.sheet.style.height = `${height}px`;
    this.sheet.style.transform = `scale(${this.scale})`;
    this.sheet.style.marginBottom = `${height * (this.scale - 1)}px`;
    this.sheet.style.marginRight = `${width * (this.scale - 1)}px`;
  }

  rowAt(event) {
    const box = this.frame.getBoundingClientRect();
    const inside = this.frame.contentDocument;
    const x = (event.clientX - box.left) / this.scale, y = (event.clientY - box.top) / this.scale;
    const found = inside.elementFromPoint(x, y);
    const part = found && (found.closest("x-seg") || found.querySelector("x-seg"));
    return part ? Number(part.dataset.seg) : -1;
  }

  // the segments answer a key first: what it changes in here is drawn after that
  later(what) {
    this.todo.push(what);
    if (this.todo.length > 1) return;
    requestAnimationFrame(() => setTimeout(() => {
      const todo = this.todo;
      this.todo = [];
      for (const one of todo) one();
    }));
  }

  label(row, letter, doubtful) { this.later(() => this.#label(row, letter, doubtful)); }
  choose(row, chosen) { this.later(() => this.#choose(row, chosen)); }
  move(row) {
    this.wanted = row;
    this.later(() => { if (this.wanted === row) this.#move(row); });
  }

  #label(row, letter, doubtful) {
    for (const part of this.parts.get(row) || []) {
      part.dataset.label = letter;
      if (doubtful) part.dataset.doubt = "1"; else delete part.dataset.doubt;
    }
  }

  #choose(row, chosen) {
    for (const part of this.parts.get(row) || [])
      if (chosen) part.dataset.chosen = "1"; else delete part.dataset.chosen;
  }

  #move(row) {
    for (const part of this.parts.get(this.here) || []) delete part.dataset.here;
    this.here = row;
    const parts = this.parts.get(row);
    if (!parts) return;
    for (const part of parts) part.dataset.here = "1";
    const box = parts[0].getBoundingClientRect();
    if (!box.height) return;
    const top = box.top * this.scale, height = this.scroller.clientHeight, at = this.scroller.scrollTop;
    if (top < at + 40 || top > at + height - 90) this.scroller.scrollTop = top - height / 3;
  }
}
