import type { LockProvider } from '@locks/core';
import { recordStoreOf } from '@locks/core/adapter';

/** One trait or method of a provider. */
export type Condition =
  | 'fair'
  | 'shared'
  | 'not-shared'
  | 'wake'
  | 'fenced'
  | 'clock-bounded'
  | 'ttl'
  | 'store-expires'
  | 'session'
  | 'list'
  | 'time'
  | 'register'
  | 'no-register'
  | 'record'
  | 'processes-meet'
  | 'network';

const conditions: Readonly<Record<Condition, (provider: LockProvider) => boolean>> = {
  fair: ({ traits }) => traits.fair,
  shared: ({ traits }) => traits.shared,
  'not-shared': ({ traits }) => !traits.shared,
  wake: ({ traits }) => traits.wake,
  fenced: ({ traits }) => traits.fencing !== 'none',
  // A store that may lose its counter falls back on the clock; a strict one is emptied by operators
  // only.
  'clock-bounded': ({ traits }) => traits.fencing === 'clock-bounded',
  ttl: ({ traits }) => traits.expiry !== 'session',
  // The store's own clock ends holds, even for a process that asks only once.
  'store-expires': ({ traits }) => traits.expiry === 'ttl',
  session: ({ traits }) => traits.expiry === 'session',
  list: ({ list }) => list !== undefined,
  time: ({ time }) => time !== undefined,
  register: ({ register }) => register !== undefined,
  'no-register': ({ register }) => register === undefined,
  // It is made by `createRecordProvider`.
  record: (provider) => recordStoreOf(provider) !== undefined,
  'processes-meet': ({ traits }) => traits.scope !== 'process',
  // A network that can fail is between a provider and its store.
  network: ({ traits }) => traits.scope === 'network',
};

/** Whether a requirement applies to providers that satisfy all of `when`. */
export function applies({ when }: { readonly when: readonly Condition[] }, provider: LockProvider): boolean {
  return when.every((condition) => conditions[condition](provider));
}
