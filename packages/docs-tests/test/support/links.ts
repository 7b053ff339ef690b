import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readMarkdown } from './fences.ts';
import type { Page } from './repository.ts';
import { root } from './repository.ts';

/** The links of a page to files and headings of this repository that do not exist. */
export function linkProblems(page: Page): string[] {
  return readLinks(page.text).flatMap(({ line, target }) => {
    const problem = problemOf(page, target);
    return problem === undefined ? [] : [`${page.path}:${line}: ${problem}`];
  });
}

/** The texts of the headings of a page, in order, without their marks. */
export function readHeadings(text: string): string[] {
  return readMarkdown(text)
    .prose.split('\n')
    .map((line) => /^ {0,3}#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1])
    .filter((heading) => heading !== undefined);
}

/** What a link to a heading may say after `#`, as GitHub names headings. */
export function readAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const heading of readHeadings(text)) {
    const plain = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '').replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  for (const [, id = ''] of text.matchAll(/<a\s[^>]*\b(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** Inline links and images, definitions of references, and HTML; not what stands in code. */
function readLinks(text: string): { readonly line: number; readonly target: string }[] {
  const pattern =
    /\]\(\s*<?([^)\s>]+)>?[^)]*\)|^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)|<(?:a|img)\s[^>]*\b(?:href|src)="([^"]+)"/g;
  return readMarkdown(text)
    .prose.split('\n')
    .flatMap((line, index) =>
      [...line.replaceAll(/(`+)[^`].*?\1/g, '').matchAll(pattern)].map((match) => ({
        line: index + 1,
        target: match[1] ?? match[2] ?? match[3] ?? '',
      })),
    );
}

function problemOf(page: Page, target: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(target) || target.startsWith('//')) return undefined;
  if (target.startsWith('/')) return `${target} is absolute: it works on no site`;
  const [file = '', anchor] = target.split('#', 2).map((part) => decodeURIComponent(part));
  const path = file === '' ? page.path : relative(root, join(root, dirname(page.path), file));
  if (path.startsWith('..')) return `${target} leaves the repository`;
  if (!existsSync(join(root, path))) return file === '' ? undefined : `there is no ${path}`;
  if (anchor === undefined || !path.endsWith('.md') || statSync(join(root, path)).isDirectory()) return undefined;
  const text = file === '' ? page.text : readFileSync(join(root, path), 'utf8');
  return readAnchors(text).has(anchor) ? undefined : `there is no heading #${anchor} in ${path}`;
}
