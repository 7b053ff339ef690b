/**
 * What a fleet of processes did with locks, as plain data; a check of the library's guarantees; and
 * a page that shows it. All but the page is from `@locks/core/testing`.
 */
export { checkHistory, excerptOf, readClaims } from '@locks/core/testing';
export type { CheckHistoryOptions, Claim, Explains, HistoryCall, HistoryEvent, Violation } from '@locks/core/testing';
export { timelineOf } from './timeline.ts';
