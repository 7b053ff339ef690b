import type { Target } from './messages.ts';

/**
 * What all workers want: a key that changes hands often, some that are held longer, a semaphore,
 * and one of both modes.
 */
export interface Keys {
  readonly busy: string;
  readonly exclusive: readonly string[];
  readonly permits: string;
  readonly mixed: string;
  /** One process keeps it all the time. */
  readonly kept?: string;
}

const few: Keys = {
  busy: 'account-0',
  exclusive: ['account-1', 'account/2 {ä}'],
  permits: 'slots',
  mixed: 'catalogue',
};

/** So many that some are not locked for a while: twenty in all. */
const many: Keys = {
  ...few,
  exclusive: [...few.exclusive, ...Array.from({ length: 14 }, (_, index) => `account-${index + 3}`)],
  kept: 'leader',
};

export function keysOf(target: Pick<Target, 'keys'>): Keys {
  return target.keys === 'many' ? many : few;
}

/** Each of them. */
export function allKeys({ busy, exclusive, permits, mixed, kept }: Keys): readonly string[] {
  return [busy, ...exclusive, permits, mixed, ...(kept === undefined ? [] : [kept])];
}
