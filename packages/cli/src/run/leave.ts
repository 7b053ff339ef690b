import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { exitCode } from '../failure.ts';
import type { End } from './command.ts';

/** Ends this process, and leaves the terminal as the command has set it. */
export function leave(code: number): never {
  forgetTerminal();
  process.exit(code);
}

/** Ends this process as its command has ended. */
export function leaveAs({ code, signal }: End): never {
  return signal === null ? leave(code ?? exitCode.internal) : leaveBy(signal);
}

/** Those that end a process without a dump of its memory. */
const plain: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']);

/** Ends this process as a process ends that a signal has ended. */
export function leaveBy(signal: NodeJS.Signals): never {
  forgetTerminal();
  // A shell ends its script after Ctrl-C only if the signal itself has ended the command, and to
  // systemd an end by TERM is no failure. Process 1 of a container is not ended by it.
  if (plain.has(signal)) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(exitCode.signal + constants.signals[signal]);
}

/** At its end Node sets a terminal back to what it was at the start, where it still has it. */
function forgetTerminal(): void {
  for (const stream of [0, 1, 2]) {
    try {
      closeSync(stream);
    } catch {
      // It was closed already.
    }
  }
}
