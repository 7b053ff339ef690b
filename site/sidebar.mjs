import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folders } from './folders.mjs';
import { addressOf, pageFor } from './links.mjs';
import { titleOf } from './pages.mjs';
import { root } from '../.ci/published.mjs';

const list = 'docs/README.md';

/**
 * The sidebar: a group for each table of docs/README.md. A page is in the last group that links the
 * whole page, else in the first that links a part of it. Below a page that represents a folder are
 * the pages of the folder that no table links. Throws where a page would be in no group.
 */
export function sidebarOf(pages) {
  const groups = groupsOf(readFileSync(join(root, list), 'utf8'));
  const links = groups.flatMap((group) => group.links.map((link) => ({ ...link, group })));
  const home = new Map();
  for (const { page, group, whole } of links) {
    if (whole || !home.has(page)) home.set(page, group);
  }
  const shown = new Set([list, ...home.keys()]);
  const withFolder = (page) => {
    const { holds = [] } = folders.find((folder) => folder.page === page) ?? {};
    const below = pages.filter((each) => !home.has(each) && holds.some((start) => each.startsWith(start)));
    below.forEach((each) => shown.add(each));
    return below.length === 0 ? entry(page) : { ...entry(page), collapsed: true, items: below.map(entry) };
  };
  const sidebar = groups.map((group, index) => {
    const own = new Set(group.links.map(({ page }) => page).filter((page) => home.get(page) === group));
    return { text: group.text, collapsed: index > 0, items: [...own].map(withFolder) };
  });
  const lost = pages.filter((page) => !shown.has(page));
  if (lost.length > 0) throw new Error(`no table of ${list} leads to ${lost.join(', ')}: add a row`);
  return [entry(list), ...sidebar];
}

/** The tables of the list, with the pages that each links. */
function groupsOf(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      links: [...section.matchAll(/\]\(([^)\s#]+)(#[^)]*)?\)/g)]
        .map(([, path, anchor]) => ({ page: pageFor(join(dirname(list), path)), whole: anchor === undefined }))
        .filter(({ page }) => page !== undefined),
    }));
}

function entry(page) {
  return { text: titleOf(page), link: `/${addressOf(page).replace(/(^|\/)index\.md$|\.md$/, '$1')}` };
}
