/**
 * For the tests of those who use locks: time that moves on command, and the check of what leases
 * said.
 */
export { checkHistory, createHistory, excerptOf, holdOf, readClaims } from './history/index.ts';
export type { CheckHistoryOptions, Claim, Explains, History, Hold } from './history/index.ts';
export type { HistoryCall, HistoryEvent, Violation } from './history/index.ts';
export { createRandom } from './random.ts';
export { createVirtualRuntime } from './virtual-runtime.ts';
export type { VirtualRuntime, VirtualRuntimeOptions } from './virtual-runtime.ts';
export { createTestLocks } from './test-locks.ts';
export type { TestLocks } from './test-locks.ts';
