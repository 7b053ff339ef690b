/**
 * What a fleet of processes did with locks, as plain data; a check of the library's promises; and a
 * page that shows it.
 */
export { checkHistory } from './check-history.ts';
export { readClaims } from './claims.ts';
export type { Claim } from './claims.ts';
export type { CheckHistoryOptions } from './check-history.ts';
export type { HistoryCall, HistoryEvent, Violation } from './events.ts';
export { excerptOf } from './excerpt.ts';
export type { Explains } from './failures.ts';
export { timelineOf } from './timeline.ts';
