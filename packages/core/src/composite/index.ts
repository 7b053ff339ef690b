/**
 * What `@locks/composites` uses of this package. It is not public API: a version of one fits the
 * same version of the other.
 */
export { isPermanent, leavesNothing } from '../errors/lock-error.ts';
export { badAnswerError } from '../errors/messages.ts';
export { channels } from '../leases/diagnostics/channels.ts';
export type { Published } from '../leases/diagnostics/channels.ts';
export { AbortFollowers } from '../leases/ending/abort-followers.ts';
export type { AbortFollower } from '../leases/ending/abort-followers.ts';
export { LinkedSet } from '../leases/ending/linked-set.ts';
export type { Linked } from '../leases/ending/linked-set.ts';
export { closeQuietly } from '../leases/close-locks.ts';
export { readJobRecords } from '../objects/jobs/job-store.ts';
export { isAnswer, isRenewal } from '../options/answers.ts';
export { certain } from '../leases/hold/lease-state.ts';
export { BackgroundReleases } from '../leases/release/background-releases.ts';
export type { Abandoned } from '../leases/release/background-releases.ts';
export { splitUrl } from '../open/settings.ts';
export { printAsProvider } from '../leases/hold/printed.ts';
export { describe, shortKey } from '../options/key.ts';
export { isLocksOption } from '../options/locks-options.ts';
export { createOwners, defaultLabel, labelReader } from '../options/owner.ts';
export { describeGiven } from '../options/read-options.ts';
export { following, promise, readVersioned, taken, versionLength } from '../options/versioned-text.ts';
export type { VersionedText } from '../options/versioned-text.ts';
export { fencings, lackingTraits, scopes } from '../options/requirements.ts';
export { runtimeReader } from '../options/option-readers.ts';
export { unknownOption } from '../options/unknown-option.ts';
export { untilReopened } from '../time/backoff.ts';
export { schedule, scheduleSilence } from '../time/schedule.ts';
export { TimerWheel } from '../time/timer-wheel.ts';
export type { TimerEntry } from '../time/timer-wheel.ts';
export { above } from '../token-floor/with-floor.ts';
