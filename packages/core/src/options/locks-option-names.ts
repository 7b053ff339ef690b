/**
 * The client's options that text can carry: a URL's query may contain them beside those of the
 * adapter.
 */
export const locksOptionNames = [
  'ttl',
  'wait',
  'renew',
  'maxHold',
  'reentrant',
  'maxWaiters',
  'label',
  'tokenFloor',
  'findDeadlocks',
  'closeTimeout',
  'drain',
  'slowWait',
] as const;
