import { constants } from 'node:os';
import { isLockError, subscribe } from '@locks/core';
import type { JobRun, Lease, Locks, Slot } from '@locks/core';
import { exitCode, exitCodeOf } from '../failure.ts';
import { answerElsewhere, answerOfRun } from '../jobs/answer.ts';
import type { Output } from '../output/output.ts';
import type { End } from './command.ts';
import type { StopSignals } from './stop-signals.ts';

/** How a job is run. Durations are in ms. */
export interface JobTerms {
  readonly slot: Slot;
  readonly ttl: number | undefined;
  readonly wait: number | undefined;
  readonly next: number | undefined;
  readonly lockDelay: number;
  readonly retries: number;
  readonly after: number;
  /** The exit code of a call whose slot runs elsewhere. */
  readonly conflict: number | undefined;
}

/** A command that did not succeed. Its record has the exit code. */
class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: number;

  constructor({ code, signal }: End) {
    super(signal === null ? `exit ${code}` : `ended by ${signal}`);
    this.exitCode = code ?? exitCode.signal + constants.signals[signal ?? 'SIGKILL'];
  }
}

/** In ms: no call may wait for longer. */
const longestWait = 86_400_000;

/** Those that ask this process, and its command, to end. */
const ending = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Runs `command` in a slot of the job `key`, if it is due. Returns how this process is to end: as
 * the command ended, or with the code of the answer.
 */
export async function runOnce(
  locks: Locks,
  key: string,
  { slot, ttl, wait, next, lockDelay, retries, after, conflict }: JobTerms,
  stop: StopSignals,
  output: Output,
  command: (lease: Lease) => Promise<End>,
): Promise<End> {
  const stopped = new AbortController();
  let end: End | undefined;
  let run: JobRun | undefined;
  let failure: Error | undefined;
  const unsubscribe = subscribe('locks:job', ({ job }) => (run = job));
  const work = async (lease: Lease): Promise<void> => {
    let asked = false;
    for (const signal of ending) process.on(signal, () => (asked = true));
    end = await command(lease);
    if (end.code === 0) return;
    if (asked) stopped.abort();
    throw new CommandFailed(end);
  };
  const options = {
    ttl,
    lockDelay,
    next,
    wait: wait === undefined ? undefined : Math.min(wait, longestWait),
    onFailure: retries === 0 ? ('keep' as const) : { retries, after },
    signal: AbortSignal.any([stop.aborted, stopped.signal]),
  };
  try {
    const result = await locks.once(key, slot, options, work);
    if (!result.held) {
      const { text, row, code } = answerElsewhere(key, result, { slot, conflict, retries, after });
      output.say(text, row);
      return { code, signal: null };
    }
  } catch (error) {
    failure = error as Error;
  } finally {
    unsubscribe();
  }
  const code = codeOf(failure);
  if (run !== undefined) {
    const { text, row } = answerOfRun(run, code, { retries, after });
    output.say(text, row);
  }
  if (isLockError(failure, 'LOCK_LOST')) return { code, signal: null };
  if (failure !== undefined && !(failure instanceof CommandFailed)) throw failure;
  return end ?? { code, signal: null };
}

function codeOf(failure: Error | undefined): number {
  if (failure === undefined) return 0;
  return failure instanceof CommandFailed ? failure.exitCode : exitCodeOf(failure);
}
