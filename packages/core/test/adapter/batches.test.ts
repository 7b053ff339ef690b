import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Batches } from '../../src/adapter/batches.ts';

interface Call {
  readonly id: number;
  readonly kind: string;
}

function collect(): { readonly batches: Batches<Call>; readonly sent: (number | readonly number[])[] } {
  const sent: (number | readonly number[])[] = [];
  const batches = new Batches<Call>({
    fits: ({ kind }, batch) => batch.every((other) => other.kind === kind),
    sendAlone: ({ id }) => void sent.push(id),
    send: (batch) => void sent.push(batch.map(({ id }) => id)),
  });
  return { batches, sent };
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('calls of one tick travel in batches of 32, in order, and a last one alone', async () => {
  const { batches, sent } = collect();
  for (const id of numbers(1, 65)) batches.add({ id, kind: 'same' });
  expect(sent).toEqual([]);
  await setImmediate();
  expect(sent).toEqual([numbers(1, 32), numbers(33, 64), 65]);
});

test('calls that do not fit each other travel apart', async () => {
  const { batches, sent } = collect();
  for (const id of numbers(1, 5)) batches.add({ id, kind: id % 2 === 0 ? 'even' : 'odd' });
  await setImmediate();
  expect(sent).toEqual([
    [1, 3, 5],
    [2, 4],
  ]);
});

test('calls of promises that settle in the same turn travel together, later ones do not', async () => {
  const { batches, sent } = collect();
  const add = async (id: number): Promise<void> => {
    await Promise.resolve();
    batches.add({ id, kind: 'same' });
  };
  await Promise.all([add(1), add(2)]);
  await setImmediate();
  await add(3);
  await setImmediate();
  expect(sent).toEqual([[1, 2], 3]);
});

test('a call that is added while a batch is sent goes with the next one', async () => {
  const sent: (number | readonly number[])[] = [];
  const batches = new Batches<number>({
    fits: () => true,
    sendAlone: (call) => void sent.push(call),
    send: (batch) => {
      sent.push([...batch]);
      batches.add(3);
    },
  });
  batches.add(1);
  batches.add(2);
  await setImmediate();
  expect(sent).toEqual([[1, 2], 3]);
});
