import { expect, test } from 'vitest';
import { closing } from '../src/support/closing.ts';
import { eventually } from '../src/support/eventually.ts';

test('eventually gives the first answer of the probe that is something', async () => {
  const answers = [undefined, false, 0];
  expect(await eventually('an answer', () => answers.shift())).toBe(0);
});

test('eventually says what did not happen in time', async () => {
  await expect(eventually('a sign', async () => false, 20)).rejects.toThrow('Waited 20 ms in vain for a sign.');
});

test('a provider that is closing ends before what follows it', async () => {
  const order: string[] = [];
  const provider = closing({ close: async () => void order.push('provider') }, () => void order.push('then'));
  await provider.close();
  expect(order).toEqual(['provider', 'then']);
});
