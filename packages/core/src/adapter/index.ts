/** What adapters share, so that each contains only what is specific to its backend. */
export type { AdapterConfig, AdapterModule } from './adapter-config.ts';
export type { Check, CheckResult, Diagnosis, DiagnosisMember, Finding, FindingLevel } from './diagnosis.ts';
export { runChecks } from './run-checks.ts';
export type { CheckRun } from './run-checks.ts';
export { connectedProcesses, connectionName } from './connected-processes.ts';
export { registerAdapter } from './registered.ts';
export { stateReports } from './state-reports.ts';
export type { Clock } from '../time/clock.ts';
export { jobOfLock, lockOfJob } from '../objects/jobs/job-lock.ts';
export { LockError, isLockError, misconfigured } from '../errors/lock-error.ts';
export { providerClosed } from '../errors/messages.ts';
export { errorText, isDefect, isNotInstalled, reasonOf } from '../errors/foreign-errors.ts';
export { checkFenceable, staleError } from './fencing-guard.ts';
export { duration, parseDuration } from '../options/duration.ts';
export type {
  Asked,
  Duration,
  OptionReader,
  OptionReaders,
  OptionSource,
  ReadOption,
} from '../options/option-reader.ts';
export {
  anyText,
  flag,
  integer,
  matching,
  oneOf,
  orFunction,
  secretOf,
  secretText,
  tlsAnswer,
  tlsOptions,
  withMethods,
} from '../options/option-readers.ts';
export { readOptions } from '../options/read-options.ts';
export type { ReadOptions } from '../options/read-options.ts';
export { nearest } from '../options/unknown-option.ts';
export { checkRegister, longestOfStores, longestText } from '../options/register.ts';
export { hostList, printHost, readAuthority, readHost } from '../options/hosts.ts';
export type { Authority, Host } from '../options/hosts.ts';
export { outsideContext } from '../time/outside-context.ts';
export type { Assignment } from './queue/assignment.ts';
export { createQueue } from './queue/create-queue.ts';
export type {
  Attempt,
  Attempted,
  FoundTurn,
  Listen,
  Listener,
  Look,
  Queue,
  QueueParts,
  Waiting,
} from './queue/queue-parts.ts';
export { createRecordProvider, recordStoreOf } from './record/create-record-provider.ts';
export { withoutClaims } from './record/record-text.ts';
export type { ReadRecord, RecordOptions, RecordStore, StoredRecord } from './record/record-store.ts';
export { refusalOf, tokensEnded, upgradeRefused } from '../errors/refusals.ts';
export { isTlsRefusal, tlsReason } from '../errors/tls-refusal.ts';
export { pause } from '../time/pause.ts';
export type { PauseOptions } from '../time/pause.ts';
export { longestTrusted, socketsHeard, systemRuntime } from '../time/runtime.ts';
export type { Runtime, TimerHandle } from '../time/runtime.ts';
export { settledWithin } from '../time/settled-within.ts';
export { Batches, largestBatch } from './batches.ts';
export type { BatchParts } from './batches.ts';
export { askOption, askOptions } from './ask-option.ts';
export type { Asking } from './ask-option.ts';
export { createDeadline } from './deadline.ts';
export type { CallName, Deadline, Mend, Outcome, RacedCall } from './deadline.ts';
export type { KeyRules, Refusal } from '../key/admission.ts';
export { emptyRecord } from '../key/record.ts';
export type { Hold, KeyRecord, Place, Terms } from '../key/record.ts';
export { step } from '../key/step.ts';
export type { KeyAnswer, KeyCall, KeyStep } from '../key/step.ts';
