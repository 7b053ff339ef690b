// Usage: node site/check.mjs
//
// Reads the built site, site/dist. Exit code 1: a link or an anchor leads nowhere, or a page would
// fetch something from elsewhere.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const site = fileURLToPath(new URL('dist', import.meta.url));
const files = readdirSync(site, { recursive: true, encoding: 'utf8' });
const [pages, styles] = ['.html', '.css'].map(
  (end) =>
    new Map(files.filter((file) => file.endsWith(end)).map((file) => [file, readFileSync(join(site, file), 'utf8')])),
);
const anchors = new Map([...pages].map(([file, html]) => [file, new Set(matches(html, /\sid="([^"]*)"/g).flat())]));
const references = [
  ...[...pages].flatMap(([file, html]) =>
    matches(html, /<(\w+)\b[^>]*?\s(?:href|src|srcset)="([^"]*)"/g).map(([tag, url]) => ({ file, tag, url })),
  ),
  ...[...styles].flatMap(([file, css]) =>
    matches(css, /(?:url\(|@import )\s*["']?([^"')\s;]+)/g).map(([url]) => ({ file, tag: 'style', url })),
  ),
];
const found = references.flatMap((reference) => {
  const fault = faultOf(reference);
  return fault === undefined ? [] : [`${reference.file}: ${reference.url} ${fault}`];
});
const faults = new Set(found);
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${pages.size} pages, ${references.length} references, ${faults.size} faults\n`);
process.exitCode = faults.size === 0 && pages.size > 0 ? 0 : 1;

/** The groups of each match. */
function matches(text, pattern) {
  return [...text.matchAll(pattern)].map(([, ...groups]) => groups);
}

function faultOf({ file, tag, url }) {
  if (/^(?:data|mailto):/.test(url)) return undefined;
  if (/^(?:https?:)?\/\//.test(url)) return tag === 'a' ? undefined : 'is fetched from elsewhere';
  const [path, anchor = ''] = decodeURIComponent(url).split('#');
  const whole = path === '' ? file : join(path.startsWith('/') ? '' : dirname(file), path).replace(/^\//, '');
  const target = whole.replace(/(^|\/)$/, '$1index.html');
  if (!existsSync(join(site, target))) return 'leads nowhere';
  return anchor === '' || anchors.get(target)?.has(anchor) ? undefined : 'names an anchor that is not there';
}
