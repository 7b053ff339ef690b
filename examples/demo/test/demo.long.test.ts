import { expect, test, vi } from 'vitest';
import { expectExactBalance, startDemo } from './demo.ts';

test('without a server, the balance is exact, though a holder is killed', () => expectExactBalance());

test.each([
  [2, "Unknown option '--wrong'", ['--wrong']],
  [2, 'Option --workers must be a whole number from 1 to 64, not "0".', ['--workers', '0']],
  [2, 'nonsense', ['--url', 'nonsense://host']],
  [2, 'scope', ['--url', 'memory:']],
  [1, '127.0.0.1:1', ['--url', 'redis://someone:secret@127.0.0.1:1/0']],
])('exit code %i: %s', async (expected, says, args) => {
  const { code, errors } = await startDemo(...args).end;
  expect(errors).toContain(says);
  expect(errors).not.toMatch(/secret|^\s+at /m);
  expect(code).toBe(expected);
});

test('an interrupted demo leaves no file behind', async () => {
  const { end, left, interrupt } = startDemo('--updates', '1000');
  await vi.waitFor(() => expect(left()).not.toEqual([]), { timeout: 30_000, interval: 20 });
  interrupt();
  expect(await end).toMatchObject({ code: 1, errors: expect.stringContaining('Stopped') });
  expect(left()).toEqual([]);
});
