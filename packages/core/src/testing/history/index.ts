/** What processes did with locks, as plain data, and the check of the library's promises. */
export { checkHistory } from './check-history.ts';
export type { CheckHistoryOptions } from './check-history.ts';
export { holdOf, readClaims } from './claims.ts';
export type { Claim, Hold } from './claims.ts';
export { createHistory } from './create-history.ts';
export type { History } from './create-history.ts';
export type { HistoryCall, HistoryEvent, Violation } from './events.ts';
export { excerptOf } from './excerpt.ts';
export type { Explains } from './failures.ts';
