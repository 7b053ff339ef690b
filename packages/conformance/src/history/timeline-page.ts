/** What a page draws. Times are in ms from the beginning of the page. */
export interface Bar {
  readonly kind: 'wait' | 'hold' | 'fault';
  readonly from: number;
  readonly to: number;
  /** What determines its colour: the key. */
  readonly key: string;
  /** Its full text. */
  readonly title: string;
  /** It takes part in a violation. */
  readonly wrong: boolean;
  /** Its row in the lane: a process may have several calls in progress. */
  readonly row: number;
}

/** One process, or the store. */
export interface Lane {
  readonly name: string;
  readonly rows: number;
  readonly bars: readonly Bar[];
}

/** The content of the page. */
export interface Page {
  /** In ms. */
  readonly length: number;
  readonly lanes: readonly Lane[];
  readonly violations: readonly { readonly at: number; readonly excerpt: string }[];
}

export function pageOf({ length, lanes, violations }: Page): string {
  const percent = (ms: number): string => `${((100 * Math.min(Math.max(ms, 0), length)) / length).toFixed(4)}%`;
  const marks = violations.map(
    ({ at }, index) =>
      `<i class="mark" id="mark-${index}" style="left:${percent(at)}" title="violation ${index + 1}"></i>`,
  );
  const ticks = Array.from({ length: 11 }, (_, index) => (index * length) / 10);
  const rows = lanes.map(({ name, bars, rows: count }) => {
    const drawn = bars.map(
      ({ kind, from, to, key, title, wrong, row }) =>
        `<b class="${kind}${wrong ? ' wrong' : ''}" style="left:${percent(from)};width:${percent(to - from)};--row:${row};--hue:${hueOf(key)}" title="${escaped(title)}"></b>`,
    );
    return `<div class="lane" style="--rows:${count}"><span>${escaped(name)}</span>${drawn.join('')}</div>`;
  });
  const list = violations.map(
    ({ excerpt }, index) =>
      `<li><a href="#mark-${index}" data-violation="${index}">${escaped(excerpt.split('\n')[0] ?? '')}</a><pre>${escaped(excerpt)}</pre></li>`,
  );
  const found = violations.length === 0 ? 'No violation.' : `${violations.length} violations.`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Timeline of locks</title>
<style>${style}</style>
<h1>Timeline of locks</h1>
<p>${found} ${lanes.length} lanes, ${(length / 1_000).toFixed(3)} s. Keys: <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom, arrows scroll, <kbd>n</kbd> <kbd>p</kbd> go to the next and previous violation.</p>
<p class="legend"><b class="wait"></b> waits <b class="hold" style="--hue:210"></b> holds, a colour for each key <b class="fault"></b> fault <b class="hold wrong" style="--hue:210"></b> violation</p>
<div id="view" tabindex="0" role="region" aria-label="Timeline"><div id="time">
<div class="ticks">${ticks.map((at) => `<span style="left:${percent(at)}">${Math.round(at)} ms</span>`).join('')}</div>
${rows.join('\n')}
${marks.join('')}
</div></div>
<ol>${list.join('\n')}</ol>
<script>${script}</script>
</html>
`;
}

const style = `
:root { color-scheme: light dark; --line: light-dark(#d0d4da, #3a4048); --bad: light-dark(#c0102a, #ff6b7d); --fault: light-dark(#8884, #aaa4); }
html { background: light-dark(#fff, #14171b); color: light-dark(#1c2024, #e6e9ed); }
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem; }
#view { overflow-x: auto; border: 1px solid var(--line); }
#time { position: relative; min-width: 100%; width: 100%; }
.ticks { position: relative; height: 1.5rem; border-bottom: 1px solid var(--line); }
.ticks span { position: absolute; font-size: 11px; border-left: 1px solid var(--line); padding-left: 2px; }
.lane { position: relative; height: calc(1.1rem + 1rem * var(--rows)); border-bottom: 1px solid var(--line); }
.lane span { position: sticky; left: 2px; font-size: 11px; z-index: 2; }
.lane b { position: absolute; min-width: 1px; }
.lane .wait { top: calc(1.4rem + 1rem * var(--row)); height: 3px; background: hsl(var(--hue) 40% 60% / .6); }
.lane .hold { top: calc(1.1rem + 1rem * var(--row)); height: .75rem; background: hsl(var(--hue) 60% 55%); }
.lane .fault { top: 0; bottom: 0; background: repeating-linear-gradient(45deg, var(--fault) 0 4px, transparent 4px 8px); }
.wrong { outline: 2px solid var(--bad); z-index: 1; }
.mark { position: absolute; top: 0; bottom: 0; border-left: 2px dashed var(--bad); }
.legend b { display: inline-block; position: static; width: 2rem; height: .8rem; margin-left: 1rem; vertical-align: middle; }
.legend .wait { height: 3px; background: #8899aa; }
.legend .hold { background: hsl(var(--hue) 60% 55%); }
.legend .fault { background: repeating-linear-gradient(45deg, var(--fault) 0 4px, transparent 4px 8px); }
pre { overflow-x: auto; } li a { color: var(--bad); }
`;

const script = `
const view = document.getElementById('view'), time = document.getElementById('time');
const marks = [...document.querySelectorAll('.mark')];
let zoom = 1, current = -1;
function zoomTo(next, at) {
  const middle = at ?? (current < 0 ? (view.scrollLeft + view.clientWidth / 2) : marks[current].offsetLeft) / time.offsetWidth;
  zoom = Math.min(4096, Math.max(1, next));
  time.style.width = zoom * 100 + '%';
  view.scrollLeft = middle * time.offsetWidth - view.clientWidth / 2;
}
function show(index) {
  if (marks.length === 0) return;
  current = (index + marks.length) % marks.length;
  zoomTo(zoom, marks[current].offsetLeft / time.offsetWidth);
}
document.addEventListener('keydown', ({ key, ctrlKey, metaKey }) => {
  if (ctrlKey || metaKey) return;
  if (key === '+' || key === '=') zoomTo(zoom * 2);
  else if (key === '-') zoomTo(zoom / 2);
  else if (key === '0') zoomTo(1);
  else if (key === 'n') show(current + 1);
  else if (key === 'p') show(current - 1);
});
view.addEventListener('wheel', (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const box = time.getBoundingClientRect();
  zoomTo(zoom * (event.deltaY < 0 ? 1.25 : 0.8), (event.clientX - box.left) / box.width);
}, { passive: false });
document.querySelector('ol').addEventListener('click', (event) => {
  const { violation } = event.target.dataset;
  if (violation === undefined) return;
  event.preventDefault();
  zoomTo(Math.max(zoom, 16));
  show(Number(violation));
});
`;

function hueOf(key: string): number {
  let hash = 0;
  for (const character of key) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return hash;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
