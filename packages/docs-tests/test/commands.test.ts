import { expect, test } from 'vitest';
import { commandProblems } from './support/commands.ts';

function problemsOf(...lines: string[]): string[] {
  return commandProblems({ path: 'packages/core/README.md', text: ['```sh', ...lines, '```'].join('\n') });
}

test.each([
  ['npm run biuld', 'there is no script "biuld" in locks-monorepo'],
  ['npm start', 'there is no script "start" in locks-monorepo'],
  ['npm run demo -w packages/core', 'there is no script "demo" in @locks/core'],
  ['npm test -w cor', 'there is no workspace cor'],
  ['npm install @locks/cor', 'there is no package @locks/cor'],
  ['node examples/none/dist/main.js', 'there is no file examples/none/dist/main.js'],
  ['bash ./none.sh', 'there is no file ./none.sh'],
  ['bash .none/run', 'there is no file .none/run'],
  ['cat none.json', 'there is no file none.json'],
])('judges %s', (command, problem) => {
  expect(problemsOf('', command)).toEqual([`packages/core/README.md:3: ${problem}`]);
});

test('a block may say why it is not checked', () => {
  const text = '```sh no-check: in a project of your own\nnpm run biuld\n```\n```sh no-check\n```\n';
  expect(commandProblems({ path: 'page.md', text })).toEqual(['page.md:4: "no-check" is not "no-check: <reason>"']);
});
