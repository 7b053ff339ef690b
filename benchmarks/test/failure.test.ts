import { expect, test } from 'vitest';
import { failureText } from '../src/measure/failure.ts';

test('a failure is told in one line, without its stack', () => {
  expect(failureText(new Error('NO_NODE\n    at onData (/home/user/client.js:1:2)'))).toBe('Error: NO_NODE');
  expect(failureText('refused')).toBe('refused');
  expect(failureText('')).toBe('');
});
