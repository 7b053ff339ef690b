import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { exitCode } from '../exit-code.ts';
import type { End } from './command.ts';

/** Ends this process, and leaves the terminal as the command has set it. */
export function leave(code: number): never {
  forgetTerminal();
  process.exit(code);
}

/** Ends this process as a process ends that a signal has ended. */
export function leaveBy(signal: NodeJS.Signals): never {
  forgetTerminal();
  // A shell ends its script after Ctrl-C only if the signal itself has ended the command. Process 1
  // of a container is not ended by it.
  if (signal === 'SIGINT') {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(codeOf({ code: null, signal }));
}

/** The exit code of a shell for a command that ended so. */
export function codeOf({ code, signal }: End): number {
  return code ?? exitCode.signal + (signal === null ? 0 : constants.signals[signal]);
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
