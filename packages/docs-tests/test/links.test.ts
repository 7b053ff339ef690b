import { expect, test } from 'vitest';
import { linkProblems, readAnchors } from './support/links.ts';

test('names headings as GitHub does', () => {
  const text =
    '# Two words\n## `LOCK_LOST`, and why?\n## A [link](x.md)\n## Same\n## Same\n```sh\n# no heading\n```\n<a id="mine"></a>\n';
  expect([...readAnchors(text)]).toEqual(['two-words', 'lock_lost-and-why', 'a-link', 'same', 'same-1', 'mine']);
});

test.each([
  ['[file](none.md)', 'there is no packages/core/none.md'],
  ['[heading](#none)', 'there is no heading #none in packages/core/README.md'],
  ['[one](src), [two](none.md)', 'there is no packages/core/none.md'],
  ['[reference]: none.md', 'there is no packages/core/none.md'],
  ['<a href="none.md">html</a>', 'there is no packages/core/none.md'],
  ['[out](../../../elsewhere.md)', '../../../elsewhere.md leaves the repository'],
  ['[absolute](/docs)', '/docs is absolute: it works on no site'],
])('refuses %s', (link, problem) => {
  const page = { path: 'packages/core/README.md', text: `# Title\n\n${link}\n` };
  expect(linkProblems(page)).toEqual([`packages/core/README.md:3: ${problem}`]);
});
