import type { LockProvider, Traits } from '@locks/core';

/** When a requirement applies. */
export type Condition = (traits: Traits, provider: LockProvider) => boolean;

export const always: Condition = () => true;
export const whenFair: Condition = ({ fair }) => fair;
export const whenShared: Condition = ({ shared }) => shared;
export const whenNotShared: Condition = ({ shared }) => !shared;
export const whenWaking: Condition = ({ wake }) => wake;
export const whenFenced: Condition = ({ fencing }) => fencing !== 'none';
/**
 * A store that may lose its counter has the clock to go on by; a strict one is emptied by operators
 * only.
 */
export const whenClockBounded: Condition = ({ fencing }) => fencing === 'clock-bounded';
export const whenTtlExpires: Condition = ({ expiry }) => expiry !== 'session';
/** The store's own clock ends holds, also for a process that asks only once. */
export const whenStoreExpires: Condition = ({ expiry }) => expiry === 'ttl';
export const whenSession: Condition = ({ expiry }) => expiry === 'session';
export const whenListing: Condition = (_traits, provider) => provider.list !== undefined;
export const whenTimed: Condition = (_traits, provider) => provider.time !== undefined;
export const whenOtherProcessesMeet: Condition = ({ scope }) => scope !== 'process';
/** Between a provider and its store is a network that can fail. */
export const whenRemote: Condition = ({ scope }) => scope === 'network';

/** All of `conditions`. */
export function all(...conditions: readonly Condition[]): Condition {
  return (traits, provider) => conditions.every((condition) => condition(traits, provider));
}
