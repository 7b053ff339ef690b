import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { send, signalFamily } from './processes.ts';
import type { Family } from './processes.ts';

/** How a command ended. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A command that runs. */
export interface RunningCommand {
  readonly family: Family;
  readonly ended: Promise<End>;
}

/** Waits for a line, and becomes the command: with the codes 126 and 127 of a shell. */
const gate = 'read -r go <&3 || exit 1; exec 3<&-; exec "$@"';

/**
 * Starts `words` with the input, the output and, where there is one, the terminal of this process.
 * `known` is called with its process before the command begins: it is guarded from its start, also
 * where this process is killed then.
 *
 * With a terminal the command stays in the group of this process. Only so Ctrl-C, Ctrl-Z, `fg` and
 * reads in the background are what they are without `locks`: Node can make a session, which has no
 * terminal, and no group. Without a terminal the command gets a session, so that signals reach all
 * of its processes.
 * @throws `Failure` when no process can be started.
 */
export function startCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  terminal: boolean,
  known: (family: Family) => void,
): RunningCommand {
  const child = spawn('/bin/sh', ['-c', gate, 'locks', ...words], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    detached: !terminal,
    env: { ...process.env, ...environment },
  });
  child.on('error', () => {});
  const ended = new Promise<End>((resolve) => {
    // Not 'close': what the command left in the background keeps its output open.
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  const { pid } = child;
  if (pid === undefined)
    throw new Failure(
      exitCode.notExecutable,
      'No process can be started: /bin/sh is missing, or the system has too many.',
    );
  const family = { pid, isGroup: !terminal };
  known(family);
  const begin = child.stdio[3] as Writable | null;
  begin?.on('error', () => {});
  begin?.end('go\n');
  return { family, ended };
}

/** In ms: how long a command that wants the terminal is stopped before it tries again. */
const again = 300;

/** Those that programs use to tell each other something. */
const passedOn = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT'] as const;

/** The terminal sends them to the command, too, as it is in the same group. */
const ofTerminal: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/**
 * Passes signals on to the command while it runs. `resumed` is called when this process goes on
 * after a stop. Returns what ends that: then signals do nothing.
 */
export function passSignals(family: Family, resumed: () => void): () => void {
  const handlers = new Map<NodeJS.Signals, () => void>();
  let settled = false;
  for (const signal of passedOn) {
    const ignored = !family.isGroup && ofTerminal.has(signal);
    handlers.set(signal, () => {
      if (!ignored) send(family.isGroup ? -family.pid : family.pid, signal);
    });
  }
  handlers.set('SIGCONT', () => resumed());
  if (family.isGroup) {
    // The command would work on while this process renews nothing.
    handlers.set('SIGTSTP', () => {
      signalFamily(family, 'SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    });
  } else {
    // The command was stopped, as it wants the terminal. A shell sees this process, which runs on.
    // So `fg` wakes nothing, and the command has to try again.
    const tryAgain = (): void => {
      if (!settled) signalFamily(family, 'SIGCONT');
    };
    const later = (): void => void setTimeout(tryAgain, again).unref();
    for (const signal of ['SIGTTIN', 'SIGTTOU'] as const) handlers.set(signal, later);
  }
  for (const [signal, handler] of handlers) {
    process.on(signal, () => {
      // Another process may have the number now.
      if (!settled) handler();
    });
  }
  return () => {
    settled = true;
  };
}
