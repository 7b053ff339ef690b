export { instrumentLocks } from './instrument-locks.ts';
export type { Telemetry } from './instrument-locks.ts';
export type { KnownGroup, TelemetryOptions } from './options.ts';
export type { QueueLengthOptions } from './metrics/queue-length.ts';
