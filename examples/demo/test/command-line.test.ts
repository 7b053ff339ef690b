import { describe, expect, test } from 'vitest';
import { figures, runDemo } from './start-demo.ts';

describe('the demo on memory', () => {
  test('loses updates without a lock and none with one, and prints both', async () => {
    const { code, text, errors } = await runDemo('--url', 'memory:', '--workers', '4', '--updates', '8');
    expect(errors).toBe('');
    expect(figures(text, 'updates made')).toEqual(['32', '32']);
    expect(figures(text, 'balance expected')).toEqual(['32', '32']);
    expect(figures(text, 'balance in the end')[1]).toBe('32');
    expect(Number(figures(text, 'updates lost')[0])).toBeGreaterThan(0);
    expect(figures(text, 'updates lost')[1]).toBe('0');
    expect(figures(text, 'most workers at it at once')).toEqual(['4', '1']);
    expect(figures(text, 'tokens strictly increase')).toEqual(['-', 'yes']);
    expect(figures(text, 'served out of turn')).toEqual(['-', '0']);
    expect(text).toMatch(/Without a lock \d+ of 32 updates got lost.* with it, none of 32\.\n$/);
    expect(code).toBe(0);
  });

  test('writes plain lines into a pipe', async () => {
    const { text } = await runDemo('--url', 'memory:', '--workers', '2', '--updates', '4');
    expect(text).not.toMatch(/[\u001B\r]/);
    expect(text.match(/with a lock .*of 8 updates/g)).toHaveLength(4);
  });

  test('says that one worker needs no lock', async () => {
    const { code, text } = await runDemo('--url', 'memory:', '--workers', '1', '--updates', '2');
    expect(text).toContain('One worker alone loses nothing');
    expect(code).toBe(0);
  });

  test('prints its help', async () => {
    const { code, text } = await runDemo('--help');
    expect(text).toContain('--updates <n>');
    expect(code).toBe(0);
  });
});

describe('wrong options', () => {
  test.each([
    { args: ['--wrong'], says: "Unknown option '--wrong'" },
    { args: ['--workers', '0'], says: 'Option --workers must be a whole number from 1 to 64, not "0".' },
    { args: ['--updates', '1.5'], says: 'Option --updates must be a whole number from 1 to 10000, not "1.5".' },
    { args: ['more'], says: "Unexpected argument 'more'" },
    { args: ['--url', ''], says: 'LOCK_MISCONFIGURED: ' },
    { args: ['--url', 'nonsense://host'], says: 'LOCK_MISCONFIGURED: ' },
    { args: ['--url', 'zookeeper://127.0.0.1:1'], says: 'LOCK_MISCONFIGURED: ' },
    { args: ['--url', 'sqlite:./no/such/folder/locks.db'], says: 'LOCK_MISCONFIGURED: ' },
  ])('exit code 2 and: $says', async ({ args, says }) => {
    const { code, text, errors } = await runDemo(...args);
    expect(errors).toContain(says);
    expect(errors).not.toMatch(/^\s+at /m);
    expect(text).toBe('');
    expect(code).toBe(2);
  });
});

test.each(['redis', 'postgres', 'mysql', 'zookeeper'])(
  'a %s that is not there: one line and exit code 1',
  async (scheme) => {
    const { code, text, errors } = await runDemo('--url', `${scheme}://someone:secret@127.0.0.1:1/0`);
    expect(errors).toMatch(/^LOCK_UNAVAILABLE: .+\n$/);
    expect(errors).not.toContain('secret');
    expect(text).toBe('');
    expect(code).toBe(1);
  },
);
