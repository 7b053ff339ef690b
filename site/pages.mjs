import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../.ci/published.mjs';

/**
 * Patterns of Markdown files that are no pages. Those of site/made replace each api.md, and
 * site/index.md the README.
 */
export const notPages = ['README.md', '.*/**', 'packages/*/api.md', 'packages/*/test/**', '**/.cache/**'];

const isNoPage = /^README\.md$|^\.|^packages\/[\w-]+\/(?:api\.md$|test\/)/;
const made = 'site/made';

/** The paths of all pages in the repository, including those written by make-pages.mjs. */
export function findPages() {
  const query = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  const kept = execFileSync('git', query, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const written = existsSync(join(root, made))
    ? readdirSync(join(root, made), { recursive: true, encoding: 'utf8' })
    : [];
  return [
    ...kept.filter((path) => !isNoPage.test(path) && existsSync(join(root, path))),
    ...written.filter((path) => path.endsWith('.md')).map((path) => `${made}/${path}`),
  ];
}

/** The first heading of a page, without marks. */
export function titleOf(page) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, page), 'utf8')) ?? [];
  if (title === undefined) throw new Error(`${page} has no heading of the first level`);
  return page.endsWith('/CHANGELOG.md') ? `Changes of ${title}` : title.replaceAll('`', '');
}
