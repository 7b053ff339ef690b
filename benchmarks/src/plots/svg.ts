import { scaleFor } from './chart.ts';
import type { Bar, Chart, Scale } from './chart.ts';

const width = 760;
const height = 340;
const left = 64;
const right = 12;
const top = 44;
const bottom = 268;
/** Told apart by people who do not see all colours; a subject has the same one in all charts. */
const colours: Readonly<Record<string, string>> = {
  '@locks': '#0072b2',
  '@locks/core': '#0072b2',
  '@locks/core + @locks/redis': '#56b4e9',
  verrou: '#e69f00',
  '@verrou/core': '#e69f00',
  'redis-semaphore': '#009e73',
  redlock: '#cc79a7',
  'sesamecare redlock': '#56b4e9',
  '@sesamecare-oss/redlock': '#882255',
  'redlock-universal': '#d55e00',
  '@locks over knex': '#56b4e9',
  '@locks without routines': '#d55e00',
  'advisory-lock': '#009e73',
  'pg-mutex-lock': '#cc79a7',
  'async-mutex': '#117733',
  'distributed-lock': '#cc79a7',
  Curator: '#e69f00',
  kazoo: '#009e73',
};
const otherColour = '#999999';

/** `chart` as the text of an SVG file; every bar tells its figure to a pointer that rests on it. */
export function drawChart(chart: Chart): string {
  const series = [...new Set(chart.groups.flatMap(({ bars }) => bars.map((bar) => bar.series)))];
  const values = chart.groups.flatMap(({ bars }) => bars.flatMap(({ value, high }) => [value, high ?? value]));
  const scale = scaleFor([...values, chart.line ?? 0], chart.log ?? false);
  const colourOf = (name: string): string => colours[name] ?? otherColour;
  const groupWidth = (width - left - right) / Math.max(1, chart.groups.length);
  const parts = [
    `<rect width="${width}" height="${height}" fill="white"/>`,
    text(left, 22, chart.title, 'font-size="14" font-weight="bold"'),
    text(left, 37, chart.unit, 'fill="#555"'),
    ...scale.ticks.map((tick) => drawTick(tick, scale)),
  ];
  for (const [index, { label, bars }] of chart.groups.entries()) {
    const start = left + index * groupWidth;
    const barWidth = (groupWidth * 0.84) / Math.max(1, series.length);
    parts.push(text(start + groupWidth / 2, bottom + 16, label, 'text-anchor="middle"'));
    for (const bar of bars) {
      const x = start + groupWidth * 0.08 + series.indexOf(bar.series) * barWidth;
      parts.push(drawBar(bar, x, barWidth * 0.9, scale, colourOf(bar.series)));
    }
  }
  if (chart.line !== undefined) {
    const y = heightOf(chart.line, scale);
    parts.push(`<line x1="${left}" x2="${width - right}" y1="${y}" y2="${y}" stroke="#d00" stroke-dasharray="5 3"/>`);
  }
  parts.push(...series.map((name, index) => drawLegend(name, index, colourOf(name))));
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="11">\n${parts.join('\n')}\n</svg>\n`;
}

function drawTick(tick: number, scale: Scale): string {
  const y = heightOf(tick, scale);
  const grid = `<line x1="${left}" x2="${width - right}" y1="${y}" y2="${y}" stroke="#ddd"/>`;
  return grid + text(left - 6, y + 4, short(tick), 'text-anchor="end"');
}

function drawBar({ series, value, low, high }: Bar, x: number, barWidth: number, scale: Scale, colour: string): string {
  const y = heightOf(value, scale);
  const bar = `<rect x="${round(x)}" y="${y}" width="${round(barWidth)}" height="${round(bottom - y)}" fill="${colour}">`;
  const title = `<title>${escape(`${series}: ${short(value)}`)}</title></rect>`;
  if (low === undefined || high === undefined) return bar + title;
  const middle = round(x + barWidth / 2);
  const whisker = `<line x1="${middle}" x2="${middle}" y1="${heightOf(low, scale)}" y2="${heightOf(high, scale)}" stroke="#222"/>`;
  return bar + title + whisker;
}

function drawLegend(name: string, index: number, colour: string): string {
  const x = left + (index % 4) * 172;
  const y = bottom + 34 + Math.floor(index / 4) * 18;
  return `<rect x="${x}" y="${y}" width="10" height="10" fill="${colour}"/>${text(x + 15, y + 9, name)}`;
}

function heightOf(value: number, scale: Scale): number {
  return round(bottom - scale.at(value) * (bottom - top));
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Three significant digits. */
function short(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 6 });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
