import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { folders } from './folders.mjs';
import { root } from '../.ci/published.mjs';
import { repositoryUrl } from './repository.mjs';

const home = 'site/index.md';

/** The address on the site of a page, by its path in the repository. Both end in `.md`. */
export function addressOf(page) {
  return page.replace(/^site\/(?:made\/)?/, '').replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The page of the site for `path`, a file or folder of the repository; or `undefined`. */
export function pageFor(path) {
  // The first page of the repository is another one on the site.
  if (path === 'README.md' || path === '') return home;
  const folder = folders.find((each) => each.path === path);
  if (folder !== undefined) return folder.page;
  const [, api] = /^packages\/(\w+)\/api\.md$/.exec(path) ?? [];
  if (api !== undefined) return `site/made/api/${api}.md`;
  const file = path.endsWith('.md') ? path : join(path, 'README.md');
  return existsSync(join(root, file)) ? file : undefined;
}

/**
 * Plugin of markdown-it. Links name files, as GitHub resolves them. Those to a page become its
 * address, others lead to the repository. Throws where the file does not exist.
 */
export function resolveLinks(md) {
  md.core.ruler.push('resolve-links', ({ tokens, env }) => {
    const page = relative(root, env.realPath ?? env.path);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null && !/^(?:[a-z]+:|#|\/)/.test(href)) token.attrSet('href', resolveLink(page, href));
    }
  });
}

function resolveLink(page, href) {
  const [target, anchor = ''] = href.split(/(?=#)/);
  const path = join(dirname(page), decodeURI(target)).replace(/\/$/, '');
  const found = pageFor(path);
  if (found !== undefined) return `/${addressOf(found)}${anchor}`;
  if (!existsSync(join(root, path))) throw new Error(`${page} links ${href}, and there is no ${path}`);
  const kind = statSync(join(root, path)).isDirectory() ? 'tree' : 'blob';
  return `${repositoryUrl}/${kind}/main/${path}${anchor}`;
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}
