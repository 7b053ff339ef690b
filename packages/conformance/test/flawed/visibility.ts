import { shown, wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';
import { ids } from '../support/mutants.ts';

export const visibility: readonly Flaw[] = [
  {
    name: 'inspect shows the label instead of the owner',
    caughtBy: ['inspect-holder', 'release-forced'],
    mayAlsoFail: ['names-*', 'owners-verbatim', 'inspect-sharers', 'locks-*', 'release-forced-share'],
    make: shown((state) => ({
      ...state,
      holders: state.holders.map((holder) => ({ ...holder, owner: holder.owner.split('/')[0] ?? '' })),
    })),
  },
  {
    name: 'inspect shows that next to nothing remains',
    caughtBy: ['inspect-holder'],
    make: shown((state) => ({ ...state, holders: state.holders.map((holder) => ({ ...holder, remaining: 1 })) })),
  },
  {
    name: 'inspect shows one sharer of several',
    caughtBy: ['inspect-sharers'],
    mayAlsoFail: ['downgrade-keeps-the-hold', 'names-odd', 'release-forced-share'],
    make: shown((state) => ({ ...state, holders: state.holders.slice(0, 1) })),
  },
  {
    name: 'inspect does not count waiters',
    caughtBy: ['inspect-waiters'],
    mayAlsoFail: ids(
      'fair-beside-other-calls fair-repeat-keeps-place fair-order-after-abandon locks-abort',
      'place-* locks-abort-through-outage',
    ),
    make: shown((state) => ({ ...state, waiters: 0 })),
  },
  {
    name: 'inspect names those in the queue in the order of their names',
    caughtBy: ['inspect-waiters'],
    make: shown((state) => {
      if (state.queue === undefined) return state;
      return { ...state, queue: state.queue.toSorted((left, right) => (left.owner < right.owner ? 1 : -1)) };
    }),
  },
  {
    name: 'list takes its prefix for a pattern',
    caughtBy: ['list-exact'],
    make: wrapped((inner) => ({
      async *list(prefix) {
        const pattern = new RegExp(`^${prefix.replaceAll(/[.^$+{}()|/\\]/g, '\\$&').replaceAll('*', '.*')}`);
        for await (const key of inner.list?.('') ?? []) if (pattern.test(key)) yield key;
      },
    })),
  },
];
