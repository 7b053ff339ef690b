import { expect, test } from 'vitest';
import { Batches } from '../../src/adapter/batches.ts';

interface Call {
  readonly id: number;
  readonly kind: string;
}

function collect(): { readonly batches: Batches<Call, number>; readonly sent: (number | readonly number[])[] } {
  const sent: (number | readonly number[])[] = [];
  const batches = new Batches<Call, number>({
    fits: ({ kind }, batch) => batch.every((other) => other.kind === kind),
    alone: async ({ id }) => {
      sent.push(id);
      return id;
    },
    together: async (batch) => {
      const ids = batch.map(({ id }) => id);
      sent.push(ids);
      return ids;
    },
  });
  return { batches, sent };
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('calls of one tick travel in batches of 32, in order, and a last one alone', async () => {
  const { batches, sent } = collect();
  const answers = Promise.all(numbers(1, 65).map((id) => batches.call({ id, kind: 'same' })));
  expect(sent).toEqual([]);
  expect(await answers).toEqual(numbers(1, 65));
  expect(sent).toEqual([numbers(1, 32), numbers(33, 64), 65]);
});

test('calls that do not fit each other travel apart', async () => {
  const { batches, sent } = collect();
  const kindOf = (id: number): string => (id % 2 === 0 ? 'even' : 'odd');
  const answers = numbers(1, 5).map((id) => batches.call({ id, kind: kindOf(id) }));
  expect(await Promise.all(answers)).toEqual(numbers(1, 5));
  expect(sent).toEqual([
    [1, 3, 5],
    [2, 4],
  ]);
});

test('calls of promises that settle in the same turn travel together, later ones do not', async () => {
  const { batches, sent } = collect();
  const call = async (id: number): Promise<number> => {
    await Promise.resolve();
    return await batches.call({ id, kind: 'same' });
  };
  await Promise.all([call(1), call(2)]);
  await call(3);
  expect(sent).toEqual([[1, 2], 3]);
});

test('a call that is made while a batch is sent goes with the next one', async () => {
  const sent: (number | readonly number[])[] = [];
  const later: Promise<number>[] = [];
  const batches: Batches<number, number> = new Batches({
    fits: () => true,
    alone: async (call) => {
      sent.push(call);
      return call;
    },
    together: async (batch) => {
      sent.push([...batch]);
      later.push(batches.call(3));
      return batch;
    },
  });
  await Promise.all([batches.call(1), batches.call(2)]);
  expect(await later[0]).toBe(3);
  expect(sent).toEqual([[1, 2], 3]);
});

test('a call that the batch has left has the answer of the call made for it', async () => {
  const batches = new Batches<number, string>({
    fits: () => true,
    alone: async (call) => `${call} alone`,
    together: async (batch) =>
      batch.map((call) => {
        if (call === 2) return Promise.resolve('2 later');
        return call === 3 ? Promise.reject(new Error('3 failed')) : `${call} together`;
      }),
  });
  const answers = [1, 2, 3, 4].map((call) => batches.call(call));
  expect(await Promise.allSettled(answers)).toEqual([
    { status: 'fulfilled', value: '1 together' },
    { status: 'fulfilled', value: '2 later' },
    { status: 'rejected', reason: new Error('3 failed') },
    { status: 'fulfilled', value: '4 together' },
  ]);
});

test('each call of a batch that failed rejects with an error of its own, and one alone with its own', async () => {
  const refuse = async (): Promise<never> => {
    throw new Error('refused');
  };
  const batches = new Batches<string, string>({
    fits: () => true,
    alone: refuse,
    together: refuse,
    failed: (error, call) => new Error(`${call}: ${(error as Error).message}`),
  });
  const reasons = async (...calls: readonly string[]): Promise<unknown[]> =>
    (await Promise.allSettled(calls.map((call) => batches.call(call)))).map((settled) =>
      settled.status === 'rejected' ? (settled.reason as Error).message : settled,
    );
  expect(await reasons('a', 'b')).toEqual(['a: refused', 'b: refused']);
  expect(await reasons('c')).toEqual(['refused']);
});
