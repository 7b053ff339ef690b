import { expect, test } from 'vitest';
import { readPrograms } from './support/programs.ts';

function programsOf(...lines: string[]) {
  return readPrograms({ path: 'page.md', text: lines.join('\n') });
}

test('takes the ts blocks of a page and leaves the others', () => {
  const programs = programsOf(
    '```ts',
    'one();',
    '```',
    '```sql',
    'SELECT 2',
    '```',
    '~~~~ts',
    '```',
    'three();',
    '~~~~',
  );
  expect(programs.map(({ line, source }) => [line, source.trim()])).toEqual([
    [2, 'one();'],
    [8, '```\nthree();'],
  ]);
});

test('every line of a program stands on its line of the page', () => {
  const [program] = programsOf(
    '# Title',
    '',
    '```ts',
    'const one = 1;',
    '```',
    'text',
    '```ts continues',
    'log(one);',
    '```',
  );
  expect(program?.source.split('\n')).toEqual(['', '', '', 'const one = 1;', '', '', '', 'log(one);', '']);
});

test('a block inside a list loses the indentation of its fence', () => {
  const [program] = programsOf('1. first', '   ```ts', '   if (one) {', '     two();', '   }', '   ```');
  expect(program?.source.trim()).toBe('if (one) {\n  two();\n}');
});

test('a block of an application is read with its name', () => {
  const text = ['```ts app=orms', 'one();', '```', '```ts', 'two();', '```'].join('\n');
  const lines = (app?: string): readonly number[] =>
    readPrograms({ path: 'page.md', text }, app).map(({ line }) => line);
  expect([lines(), lines('orms')]).toEqual([[5], [2]]);
});

test('keeps the reason why a block is not run, for what continues it too', () => {
  const programs = programsOf('```ts no-run: needs a real Sentinel', '```', '```ts continues', '```', '```ts', '```');
  expect(programs.map(({ notRun }) => notRun)).toEqual(['needs a real Sentinel', undefined]);
});

test.each([
  ['no-run without a reason', ['```ts no-run', '```'], /page\.md:1: say why/],
  ['an unknown word', ['```ts skip', '```'], /page\.md:1: "skip" is none of/],
  ['an application that no test has', ['```ts app=other', '```'], /page\.md:1: "app=other" is none of/],
  ['nothing to continue', ['', '```ts continues', '```'], /page\.md:2: there is nothing/],
  ['a name that is no plain file', ['```ts file=../up.ts', '```'], /not a plain name/],
  ['one name given twice', ['```ts file=a.ts', '```', '```ts file=a.ts', '```'], /two blocks have file=a\.ts/],
  ['another name of the language', ['```typescript', '```'], /call the block "ts", not "typescript"/],
  ['a block without a language', ['```', '```'], /call the block "text"/],
])('refuses %s', (_name, lines, message) => {
  expect(() => programsOf(...lines)).toThrow(message);
});
