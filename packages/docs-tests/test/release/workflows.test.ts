import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/repository.ts';

const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** What stands after `uses:`. */
function actionsOf(text: string): readonly string[] {
  return [...text.matchAll(/uses: (.+)/g)].map(([, action = '']) => action);
}

describe.each(workflows)('$name', ({ text }) => {
  test('names each action by a commit, with its version beside it', () => {
    expect(actionsOf(text).filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  test('gives rights to jobs, and reads alone to all of them', () => {
    const [, rights = ''] = /^permissions:(.*(?:\n {2}.*)*)/m.exec(text) ?? [];
    expect(rights.trim()).toMatch(/^(?:\{\}|contents: read)$/);
  });
});

test('one action has one commit in all workflows', () => {
  const all = workflows.flatMap(({ text }) => actionsOf(text));
  // A repository may have several actions: `github/codeql-action/init`.
  const used = new Set(all.map((action) => action.replace(/^([\w.-]+\/[\w.-]+)[^@]*/, '$1')));
  const names = [...used].map((action) => action.split('@')[0]);
  expect(names).toHaveLength(new Set(names).size);
});

test('the job that publishes runs actions of GitHub alone, and has no token', () => {
  const { text = '' } = workflows.find(({ name }) => name === 'release.yml') ?? {};
  const jobs = text.split(/\n {2}(?=\w+:\n {4})/).filter((job) => job.includes('id-token: write'));
  expect(jobs.map((job) => job.split(':')[0])).toEqual(['publish']);
  expect(actionsOf(jobs.join('')).filter((action) => !action.startsWith('actions/'))).toEqual([]);
  expect(jobs.join('')).not.toMatch(/secrets\./);
});
