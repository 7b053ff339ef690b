import type { Traits } from '@locks/core';
import type { Context } from './context.ts';
import { eventually } from '../checks/time.ts';

/** Checks whether a provider does more than it declares: `requires` would reject it needlessly. */
export interface Observation {
  readonly id: string;
  appliesTo(traits: Traits): boolean;
  /** What it does and does not declare; `undefined`: nothing. */
  observe(context: Context): Promise<string | undefined>;
}

const rounds = 10;

/** Their results are reported as notes, never as a failure. */
export const observations: readonly Observation[] = [
  {
    id: 'note-fencing',
    appliesTo: ({ fencing }) => fencing === 'none',
    async observe(context) {
      const [one, two] = await context.createMany(2);
      const key = context.key();
      let latest = -1n;
      for (let round = 0; round < rounds; round += 1) {
        const provider = round % 2 === 0 ? one : two;
        const waiting = context.wait(provider, context.claim(key));
        const { token } = await waiting.granted;
        await waiting.release();
        if (token <= latest) return undefined;
        latest = token;
      }
      return `it declares fencing: 'none', but ${rounds} grants had strictly increasing tokens`;
    },
  },
  {
    id: 'note-wake',
    appliesTo: ({ wake }) => !wake,
    async observe(context) {
      const [one, two] = await context.createMany(2);
      for (let round = 0; round < rounds; round += 1) {
        const key = context.key();
        const [holder, waiter] = [context.claim(key), context.claim(key)];
        let woken = false;
        await one.tryAcquire(holder);
        await two.tryAcquire(waiter, () => (woken = true));
        await one.release(holder);
        await eventually(100, 'a wake', () => woken, Boolean);
        await two.release(waiter);
      }
      return `it declares wake: false, but woke the waiter after each of ${rounds} releases`;
    },
  },
  {
    id: 'note-fair',
    appliesTo: ({ fair }) => !fair,
    async observe(context) {
      const [one, two] = await context.createMany(2);
      for (let round = 0; round < rounds; round += 1) {
        const key = context.key();
        const [holder, waiter, newcomer] = [context.claim(key), context.claim(key), context.claim(key)];
        await one.tryAcquire(holder);
        await two.tryAcquire(waiter, () => {});
        await one.release(holder);
        const answer = await one.tryAcquire(newcomer);
        await Promise.all([one.release(newcomer), two.release(waiter)]);
        if (answer.granted) return undefined;
      }
      return `it declares fair: false, but no newcomer passed a waiter in ${rounds} rounds`;
    },
  },
];
