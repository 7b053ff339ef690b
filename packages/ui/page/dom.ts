/** An element that exists as long as its item. */
export interface Row<Item> {
  readonly element: HTMLElement;
  update(item: Item): void;
}

/** The element of page.html with this id. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} "${id}".`);
}

/** A new element. Text is inserted as text, without markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.append(...children);
  return element;
}

/** Writes only changes: this keeps selections, and screen readers stay quiet. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Keeps a row in `parent` for each item, and reuses it while the item's key exists. */
export function list<Item>(
  parent: HTMLElement,
  keyOf: (item: Item, index: number) => string,
  create: (item: Item) => Row<Item>,
): (items: readonly Item[]) => void {
  const rows = new Map<string, Row<Item>>();
  return (items) => {
    const keys = items.map(keyOf);
    const present = new Set(keys);
    for (const [key, { element }] of rows) {
      if (present.has(key)) continue;
      element.remove();
      rows.delete(key);
    }
    items.forEach((item, index) => {
      const key = keys[index] ?? '';
      const row = rows.get(key) ?? create(item);
      rows.set(key, row);
      row.update(item);
      const there = parent.children[index];
      if (there !== row.element) parent.insertBefore(row.element, there ?? null);
    });
  };
}
