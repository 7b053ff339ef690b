import type { Partition } from './partitions.ts';
import { quantile } from './measure.ts';

/** The margins on one store. */
export interface Row {
  readonly store: string;
  readonly found: readonly Partition[];
}

const [left, width, rowHeight, barHeight] = [190, 530, 64, 44];
/** In ms. The axis is logarithmic; smaller margins are drawn at its begin. */
const [least, most] = [0.1, 10_000];
const bins = 50;
const style = `
  .page { fill: #ffffff; stroke: #d0d7de; } .axis { stroke: #d0d7de; } .cut { fill: #0969da; } .heard { fill: #4ac26b; }
  text { font: 12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #57606a; }
  .name { font-weight: 600; font-size: 14px; fill: #1f2328; } .middle { text-anchor: middle; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #30363d; } .axis { stroke: #30363d; }
    text { fill: #8d96a0; } .name { fill: #e6edf3; }
  }`;

/** A histogram for each store, as SVG: from the moment that a holder was told to the next grant. */
export function plotMargins(rows: readonly Row[]): string {
  const height = 96 + rows.length * rowHeight;
  const decades = [0.1, 1, 10, 100, 1_000, 10_000];
  const axis = decades.map((ms) => {
    const x = left + share(ms) * width;
    const line = `<line class="axis" x1="${x}" x2="${x}" y1="56" y2="${height - 40}"/>`;
    return `${line}<text class="middle" x="${x}" y="${height - 22}">${ms} ms</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${height}" width="760" height="${height}" role="img" aria-labelledby="title">`,
    '<title id="title">From the moment that a holder is told of its loss to the next grant</title>',
    `<style>${style}\n</style>`,
    `<rect class="page" x="0.5" y="0.5" width="759" height="${height - 1}" rx="6"/>`,
    '<text class="name" x="16" y="26">From the signal of a lost lease to the grant of another</text>',
    '<rect class="cut" x="16" y="38" width="10" height="10"/><text x="32" y="47">nothing reaches the store</text>',
    '<rect class="heard" x="196" y="38" width="10" height="10"/><text x="212" y="47">only replies are lost</text>',
    ...axis,
    ...rows.map((row, index) => drawRow(row, 60 + index * rowHeight)),
    '</svg>',
    '',
  ].join('\n');
}

function drawRow({ store, found }: Row, top: number): string {
  const margins = found.map(({ margin }) => margin);
  const late = margins.filter((margin) => !(margin > 0)).length;
  const cut = countsOf(found.filter(({ direction }) => direction !== 'replies'));
  const heard = countsOf(found.filter(({ direction }) => direction === 'replies'));
  const highest = Math.max(...cut.map((count, bin) => count + (heard[bin] ?? 0)));
  const bars = cut.map((count, bin) => {
    const x = (left + (bin / bins) * width).toFixed(1);
    const [one, other] = [count, heard[bin] ?? 0].map((each) => (each / highest) * barHeight) as [number, number];
    const bar = (name: string, size: number, under: number): string =>
      size === 0
        ? ''
        : `<rect class="${name}" x="${x}" y="${(top + barHeight - under - size).toFixed(1)}" width="9.6" height="${size.toFixed(1)}"/>`;
    return bar('cut', one, 0) + bar('heard', other, one);
  });
  return [
    `<text class="name" x="16" y="${top + 14}">${store}</text>`,
    `<text x="16" y="${top + 30}">${late} of ${margins.length} late</text>`,
    `<text x="16" y="${top + 45}">median ${quantile(margins, 0.5).toFixed(0)}, least ${quantile(margins, 0).toFixed(1)} ms</text>`,
    bars.join(''),
  ].join('\n');
}

function countsOf(found: readonly Partition[]): readonly number[] {
  const counts = Array.from({ length: bins }, () => 0);
  for (const { margin } of found) {
    const bin = Math.min(bins - 1, Math.floor(share(margin) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/** Where `ms` is on the axis, of 1. */
function share(ms: number): number {
  return Math.log(Math.min(most, Math.max(least, ms)) / least) / Math.log(most / least);
}
