/** What adapters share, so that each needs to write only what its backend makes special. */
export type { AdapterConfig, AdapterModule } from './adapter-config.ts';
export { createClock, systemClock } from '../time/clock.ts';
export type { Clock, ClockSources } from '../time/clock.ts';
export { LockError, isLockError } from '../errors/lock-error.ts';
export { checkFenceable, staleError } from './fencing-guard.ts';
export {
  duration,
  durationOrForever,
  flag,
  integer,
  matching,
  oneOf,
  parseDuration,
  readOptions,
  withMethods,
} from '../options/option-readers.ts';
export type { OptionReader, OptionReaders, OptionSource } from '../options/option-readers.ts';
export { outsideContext } from '../time/outside-context.ts';
export { createLine } from './line/create-line.ts';
export type { Line, LineParts, Listen, Listener, Look, Waiting } from './line/line-parts.ts';
export { permitsRefused, upgradeRefused } from '../errors/refusals.ts';
export { isTlsRefusal } from '../errors/tls-refusal.ts';
export { systemRuntime } from '../time/runtime.ts';
export type { Runtime, TimerHandle } from '../time/runtime.ts';
export { createDeadline } from './deadline.ts';
export type { CallName, Deadline } from './deadline.ts';
