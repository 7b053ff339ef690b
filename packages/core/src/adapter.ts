/** What adapters share, so that each needs to write only what its backend makes special. */
export type { AdapterConfig, AdapterModule } from './adapter-config.ts';
export { createClock, systemClock } from './clock.ts';
export type { Clock, ClockSources } from './clock.ts';
export { LockError, isLockError } from './errors.ts';
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
} from './option-readers.ts';
export type { OptionReader, OptionReaders, OptionSource } from './option-readers.ts';
export { outsideContext } from './outside-context.ts';
export { Places } from './places.ts';
export type { Place } from './places.ts';
export { permitsRefused, upgradeRefused } from './refusals.ts';
export { systemRuntime } from './runtime.ts';
export type { Runtime, TimerHandle } from './runtime.ts';
export { createDeadline } from './deadline.ts';
export type { CallName, Deadline } from './deadline.ts';
