/**
 * For the tests of those who use locks: time that moves on command, and the check of what leases
 * said.
 */
export { checkHistory } from './check-history.ts';
export { createHistory } from './history.ts';
export type { History, HistoryEvent } from './history.ts';
export { createRandom } from './random.ts';
export { createVirtualRuntime } from './virtual-runtime.ts';
export type { VirtualRuntime, VirtualRuntimeOptions } from './virtual-runtime.ts';
export { createTestLocks } from './test-locks.ts';
export type { TestLocks } from './test-locks.ts';
