import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { exitCode } from '../failure.ts';
import type { End } from './command.ts';

/** Ends this process, and leaves the terminal as the command set it. */
export function leave(code: number): never {
  forgetTerminal();
  process.exit(code);
}

/** Ends this process the way its command ended. */
export function leaveAs({ code, signal }: End): never {
  return signal === null ? leave(code ?? exitCode.internal) : leaveBy(signal);
}

/** Those that end a process without a core dump. */
const plain: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']);

/** Ends this process as if `signal` had ended it. */
export function leaveBy(signal: NodeJS.Signals): never {
  forgetTerminal();
  // A shell ends its script after Ctrl-C only if the signal itself ended the command, and to
  // systemd an end by TERM is no failure. Process 1 of a container is not ended by it.
  if (plain.has(signal)) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(exitCode.signal + constants.signals[signal]);
}

/** At its end Node resets a terminal that it still has to the initial state. */
function forgetTerminal(): void {
  for (const stream of [0, 1, 2]) {
    try {
      closeSync(stream);
    } catch {
      // It was closed already.
    }
  }
}
