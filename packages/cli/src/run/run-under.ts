import type { Lease } from '@locks/core';
import { messageOf, printable } from '@locks/core/text';
import { exitCode } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { sentence, waitFor } from '../output/output.ts';
import { passSignals, startCommand } from './command.ts';
import type { End, RunningCommand } from './command.ts';
import { endCommand } from './end-command.ts';
import { startGuard } from './guard.ts';
import { withHeldKey } from './held-keys.ts';
import { leave, leaveAs } from './leave.ts';
import { hasTerminal, living, signalFamily } from './processes.ts';
import type { StopSignals } from './stop-signals.ts';

/** In ms: after that a release is left to the ttl. */
const longestRelease = 5_000;

/** In ms: how long processes that were signalled together may take to end. */
const settling = 100;

interface Circumstances {
  /** As the user wrote it. The lock of a run in a slot has another key. */
  readonly key: string;
  /** In ms. */
  readonly grace: number;
  readonly stop: StopSignals;
  readonly output: Output;
  /**
   * In ms: how long to retry recording the end of a run if the store does not answer. 0: there is
   * no record.
   */
  readonly recording: number;
}

/**
 * Runs a command until it ends, or its lease is lost: then this process ends. A run with a record
 * throws the reason of the loss.
 */
export async function runUnder(
  lease: Lease,
  words: readonly string[],
  { key, grace, stop, output, recording }: Circumstances,
): Promise<End> {
  stop.aborted.throwIfAborted();
  const { owner, token } = lease;
  output.note(`holds ${printable(key)} with token ${token}`, { event: 'held', key, owner, token });
  const terminal = hasTerminal();
  const guard = startGuard({ grace, owner });
  try {
    const environment = { LOCKS_KEY: key, LOCKS_OWNER: owner, LOCKS_TOKEN: String(token), ...withHeldKey(key) };
    const command = await startCommand(words, environment, terminal, guard.watch);
    const end = await untilEnd(command, lease, { key, grace, stop, output });
    if (end === undefined) {
      guard.dismiss();
      if (recording === 0) leave(exitCode.lost);
      throw lease.signal.reason;
    }
    if (!terminal) await tellLeftovers(command, key, output);
    leaveLate(end, key, longestRelease + recording, output);
    return end;
  } finally {
    guard.dismiss();
  }
}

/** How the command ended. `undefined`: the lease was lost, and the whole command was ended. */
async function untilEnd(
  command: RunningCommand,
  lease: Lease,
  { key, grace, stop, output }: Omit<Circumstances, 'recording'>,
): Promise<End | undefined> {
  const { family } = command;
  return await new Promise((resolve) => {
    let over = false;
    const lost = (): void => {
      if (over) return;
      over = true;
      const message = messageOf(lease.signal.reason ?? `The lease on ${printable(key)} is over.`);
      output.say(`${sentence(message)} Ends the command.`, { event: 'lost', key, message });
      void endCommand(command, grace).then(() => resolve(undefined));
    };
    const settle = passSignals(family, () => {
      if (!lease.held) lost();
      else if (family.isGroup) signalFamily(family, 'SIGCONT');
    });
    stop.end();
    if (lease.signal.aborted) lost();
    lease.signal.addEventListener('abort', lost, { once: true });
    void command.ended.then((end) => {
      settle();
      if (over) return;
      over = true;
      resolve(end);
    });
  });
}

/** The lock ends with the command. Background processes of the command continue without it. */
async function tellLeftovers({ family }: RunningCommand, key: string, output: Output): Promise<void> {
  if (living(family).length === 0) return;
  await waitFor(settling);
  const left = living(family);
  if (left.length === 0) return;
  const text = `The command has ended, and ${left.length} of its processes continue without the lock ${printable(key)}: ${left.join(', ')}`;
  output.say(text, { event: 'left', key, pids: left });
}

/** Ends this process if the store does not answer the release within `patience` ms. */
function leaveLate(end: End, key: string, patience: number, output: Output): void {
  setTimeout(() => {
    const text = `The store did not confirm the release of ${printable(key)}. The key is free when its ttl ends.`;
    output.say(text, { event: 'unreleased', key });
    leaveAs(end);
  }, patience).unref();
}
