// Usage: node site/check.mjs
//
// Reads the built site, site/dist. Exit code 1: a link or an anchor leads nowhere, or a page would
// fetch something from elsewhere.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './repository.mjs';

const site = join(root, 'site/dist');
if (!existsSync(site)) throw new Error('there is no site/dist: npm run site');
const files = readdirSync(site, { recursive: true });
const pages = new Map(files.filter((file) => file.endsWith('.html')).map((file) => [file, read(file)]));
const anchors = new Map([...pages].map(([file, html]) => [file, new Set(attributes(html, 'id'))]));
const links = [...pages].flatMap(([file, html]) =>
  attributes(html.replaceAll(/<link [^>]*>/g, ''), 'href').map((href) => ({ file, href })),
);
const faults = new Set([
  ...links.flatMap(brokenLink),
  ...[...pages].flatMap(([file, html]) => fetched(html).flatMap((url) => brokenFile(file, url))),
  ...files
    .filter((file) => file.endsWith('.css'))
    .flatMap((file) => stylesheetUrls(file).flatMap((url) => brokenFile(file, url))),
]);
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${pages.size} pages, ${links.length} links, ${faults.size} faults\n`);
process.exitCode = faults.size === 0 && pages.size > 0 ? 0 : 1;

function read(file) {
  return readFileSync(join(site, file), 'utf8');
}

/** The values of an attribute in a page. */
function attributes(html, name) {
  const found = html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'));
  return [...found].map(([, value]) => value.replaceAll('&amp;', '&'));
}

/** What a browser fetches with a page. */
function fetched(html) {
  const sets = attributes(html, 'srcset').flatMap((set) => set.split(',').map((each) => each.trim().split(' ')[0]));
  const linked = [...html.matchAll(/<link [^>]*>/g)].flatMap(([tag]) => attributes(tag, 'href'));
  return [...attributes(html, 'src'), ...attributes(html, 'poster'), ...sets, ...linked];
}

function stylesheetUrls(file) {
  return [...read(file).matchAll(/(?:url\(|@import )\s*["']?([^"')\s;]+)/g)].map(([, url]) => url);
}

function brokenFile(file, url) {
  if (url.startsWith('data:') || url.startsWith('#')) return [];
  if (isOutside(url)) return [`${file}: fetches ${url} from elsewhere`];
  return existsSync(join(site, pathOf(file, url))) ? [] : [`${file}: there is no ${url}`];
}

function brokenLink({ file, href }) {
  if (isOutside(href) || href.startsWith('mailto:')) return [];
  const [, anchor] = href.split('#');
  const target = href.startsWith('#') ? file : pathOf(file, href);
  const page = target === '' || target.endsWith('/') ? `${target}index.html` : target;
  if (!existsSync(join(site, page))) return [`${file}: the link ${href} leads nowhere`];
  if (!anchor || anchors.get(page)?.has(decodeURIComponent(anchor)) !== false) return [];
  return [`${file}: ${href} names an anchor that is not there`];
}

function isOutside(url) {
  return /^(?:https?:)?\/\//.test(url);
}

/** The path in the site of what `url` names in the page `file`. */
function pathOf(file, url) {
  const path = decodeURIComponent(url.replace(/[#?].*$/, ''));
  return (path.startsWith('/') ? path : join('/', dirname(file), path)).slice(1);
}
