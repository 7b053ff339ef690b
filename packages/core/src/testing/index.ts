/**
 * For tests of code with locks: time under control of the test, and the check of what leases
 * report.
 */
export { checkHistory } from './history/check-history.ts';
export type { CheckHistoryOptions } from './history/check-history.ts';
export { holdOf, readClaims } from './history/claims.ts';
export type { Claim, Hold } from './history/claims.ts';
export { createHistory } from './history/create-history.ts';
export type { History } from './history/create-history.ts';
export type { HistoryCall, HistoryEvent, Violation } from './history/events.ts';
export { excerptOf } from './history/excerpt.ts';
export type { Explains } from './history/failures.ts';
export { createRandom } from './random.ts';
export type { Conditions, Network } from './simulation/network.ts';
export type { Journal, SimulatedProcess } from './simulation/process.ts';
export { simulate } from './simulation/simulate.ts';
export type { SimulateOptions, Simulated } from './simulation/simulate.ts';
export type { Scenario, World } from './simulation/world.ts';
export { createVirtualRuntime } from './virtual-runtime.ts';
export type { VirtualRuntime, VirtualRuntimeOptions } from './virtual-runtime.ts';
export { createTestLocks } from './test-locks.ts';
export type { TestLocks } from './test-locks.ts';
