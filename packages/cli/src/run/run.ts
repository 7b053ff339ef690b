import { isatty } from 'node:tty';
import { isLockError, subscribe } from '@locks/core';
import type { Lease, LockError, Locks, Slot } from '@locks/core';
import { messageOf, printable, span } from '@locks/core/text';
import { Failure, exitCode, exitCodeOf } from '../failure.ts';
import { writeMetricsFile } from '../jobs/metrics-file.ts';
import { sentence, waitFor } from '../output/output.ts';
import type { Output } from '../output/output.ts';
import { openStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';
import { joinJobControl } from './job-control.ts';
import { refuseNested } from './held-keys.ts';
import { leaveAs, leaveBy } from './leave.ts';
import { runOnce } from './run-once.ts';
import { hasTerminal } from './processes.ts';
import { catchStopSignals } from './stop-signals.ts';
import type { StopSignals } from './stop-signals.ts';
import type { End } from './command.ts';
import { runUnder } from './run-under.ts';

/** Options of `locks run`. Durations are in ms. */
export interface RunOptions extends StoreOptions {
  readonly wait?: number | undefined;
  readonly ttl?: number | undefined;
  readonly shared?: boolean | undefined;
  readonly permits?: number | undefined;
  readonly once?: Slot | undefined;
  readonly retry?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly next?: number | undefined;
  /** The file for the last run of the job, for Prometheus. */
  readonly metricsFile?: string | undefined;
  readonly atLeast?: number | undefined;
  readonly grace: number;
  readonly conflictExitCode?: number | undefined;
}

/**
 * In ms: how much longer than the grace a store keeps the key. With less, a machine under load may
 * not end the command before the lease expires.
 */
const slack = 2_000;

/** In ms: the longest ttl of a store. */
const longest = 86_400_000;

/** Runs `words` under the lock `key`, and ends this process with their exit code. */
export async function run(key: string, words: readonly string[], options: RunOptions, output: Output): Promise<never> {
  checkOnce(options);
  refuseNested(key);
  if (process.platform === 'win32') {
    throw new Failure(
      exitCode.misconfigured,
      'run needs the processes and signals of POSIX. On Windows use it in WSL.',
    );
  }
  if (hasTerminal()) joinJobControl();
  const stop = catchStopSignals(leaveBy);
  const opened = await Promise.race([openPatiently(options, output, stop), aborted(stop)]);
  if (opened === undefined) return leaveBy(stop.caught() ?? 'SIGTERM');
  const { locks, wait } = opened;
  const tellWaits = output.verbose || isatty(2);
  const unsubscribe = subscribe('locks:slow', ({ by, waited }) => {
    if (!tellWaits) return;
    const holders = by.length === 0 ? '' : ` It is held by ${by.map(printable).join(', ')}.`;
    output.say(`waits for ${printable(key)}.${holders}`, { event: 'waiting', key, by, waited });
  });
  try {
    const recording = options.once === undefined ? 0 : (options.ttl ?? usualTtl);
    const work = async (lease: Lease): Promise<End> => {
      unsubscribe();
      return await runUnder(lease, words, { key, grace: options.grace, stop, output, recording });
    };
    const end = await underLock(locks, key, { ...options, wait }, output, stop, work);
    await locks.close();
    return leaveAs(end);
  } catch (error) {
    await locks.close();
    const signal = stop.caught();
    if (signal !== undefined && error === stop.aborted.reason) return leaveBy(signal);
    if (isLockError(error, 'LOCK_TIMEOUT')) {
      throw new Failure(options.conflictExitCode ?? exitCode.busy, busyText(key, error));
    }
    throw error;
  }
}

/** @throws `Failure` for options that cannot be combined. */
function checkOnce({ once, shared, permits, atLeast, retry, retryAfter, next, metricsFile }: RunOptions): void {
  const ofLocks = { '--shared': shared, '--permits': permits, '--at-least': atLeast };
  const ofJobs = { '--retry': retry, '--retry-after': retryAfter, '--next': next, '--metrics-file': metricsFile };
  const given = Object.entries(once === undefined ? ofJobs : ofLocks);
  const [wrong] = given.find(([, value]) => value !== undefined) ?? [];
  if (wrong !== undefined) {
    const why = once === undefined ? 'needs --once' : 'has no meaning with --once. Leave one out';
    throw new Failure(exitCode.usage, `${wrong} ${why}.`);
  }
  if (retryAfter !== undefined && retry === undefined) {
    throw new Failure(exitCode.usage, '--retry-after needs --retry.');
  }
}

/** In ms: the default ttl, and how long an unresponsive store is retried. */
const usualTtl = 30_000;

/** In ms, and up to twice of it: with less, many runs would overload a store that starts. */
const pause = 500;

/**
 * Opens the store, which may not answer yet: retries for `--wait`, or as long as `acquire` retries
 * an unresponsive store. Returns the locks, and what is left of `--wait`.
 */
async function openPatiently(
  options: RunOptions,
  output: Output,
  { aborted: signal }: StopSignals,
): Promise<{ readonly locks: Locks; readonly wait: number | undefined }> {
  const { wait, ttl = usualTtl } = options;
  const end = performance.now() + (wait ?? ttl);
  for (let told = false; ; told = true) {
    try {
      const locks = await openStore(options, output, { slowWait: 1_000, closeTimeout: 2_000 });
      return { locks, wait: told && wait !== undefined ? Math.max(0, Math.round(end - performance.now())) : wait };
    } catch (error) {
      const left = end - performance.now();
      if (exitCodeOf(error) !== exitCode.unreachable || left <= 0 || signal.aborted) throw error;
      const message = messageOf(error);
      if (!told) output.say(`${sentence(message)} Tries again for ${span(left)}.`, { event: 'unreachable', message });
      await waitFor(Math.min(left, pause * (1 + Math.random())), signal);
    }
  }
}

async function aborted({ aborted: signal }: StopSignals): Promise<undefined> {
  return await new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

async function underLock(
  locks: Locks,
  key: string,
  { wait, ttl, shared, permits, atLeast, grace, ...options }: RunOptions,
  output: Output,
  stop: StopSignals,
  work: (lease: Lease) => Promise<End>,
): Promise<End> {
  const keeps = locks.traits.expiry !== 'session';
  if (!keeps && atLeast !== undefined && atLeast > 0) {
    const why = `${locks.name} ends a lock with its session, so no key stays locked after the end of this process`;
    throw new Failure(exitCode.usage, `--at-least: ${why}. Leave it out, or name another store.`);
  }
  if (!keeps && grace > 0) {
    output.say(
      `${locks.name} ends a lock with its session, so a part of the grace (${span(grace)}) may come after the end of the lock. With --grace 0 the command is killed immediately.`,
      { event: 'grace', grace, within: false },
    );
  }
  const lockDelay = keeps ? grace + slack : 0;
  // The store keeps the key for both together.
  const kept = ttl === undefined ? undefined : Math.min(ttl, longest - lockDelay);
  const { once: slot, retry: retries = 0, retryAfter: after = 0, next, conflictExitCode: conflict } = options;
  if (slot !== undefined) {
    const terms = { slot, ttl: kept, wait, next, lockDelay, retries, after, conflict };
    try {
      return await runOnce(locks, key, terms, stop, output, work);
    } finally {
      if (options.metricsFile !== undefined) await writeMetricsFile(options.metricsFile, locks, key, output);
    }
  }
  const mode = shared === true || permits !== undefined ? 'shared' : 'exclusive';
  const signal = stop.aborted;
  return await locks.withLock(key, { wait, ttl: kept, mode, permits, atLeast, lockDelay, signal }, work);
}

function busyText(key: string, { wait = 0, holders = [] }: LockError): string {
  const after = wait === 0 ? 'now' : `within ${span(wait)}`;
  const why =
    holders.length === 0 ? 'others hold it or wait for it' : `it is held by ${holders.map(printable).join(', ')}`;
  return `${printable(key)} was not free ${after}: ${why}. Raise --wait, or see locks inspect.`;
}
