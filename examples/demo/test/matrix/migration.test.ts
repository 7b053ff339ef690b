import { expect, test } from 'vitest';
import { startProgram } from '../demo.ts';

test('the story of a migration, in short: no update is lost, nor is the leader', { timeout: 60_000 }, async () => {
  const { end, left } = startProgram('migration/main.js', '--pause', '100');
  const { code, text, errors } = await end;
  expect({ code, errors, left: left() }).toEqual({ code: 0, errors: '', left: [] });
  expect(text).toMatch(/p1 {2}stays in both stores, for p3 still locks in the old one alone/);
  expect(text).toMatch(/p1 {2}leads, with token \d+.*p1 {2}leads, with token \d+/s);
  expect(text).toMatch(/p1 {2}led until now, with token \d+: never lost/);
});
