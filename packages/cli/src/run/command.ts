import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { printable } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
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

/**
 * Starts `words` with the environment, the descriptors and, if there is one, the terminal of this
 * process. There is no shell in between: it would drop variables whose names are invalid in a
 * shell. `known` is called with the process before anything else can happen.
 *
 * With a terminal the command stays in the process group of this process. Otherwise Ctrl-C, Ctrl-Z,
 * `fg` and background reads would behave differently from without `locks`: Node can create a
 * session, which has no terminal, but not a group. Without a terminal the command gets a session,
 * so that signals reach all of its processes.
 * @throws `Failure` if it cannot be started.
 */
export async function startCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  terminal: boolean,
  known: (family: Family) => void,
): Promise<RunningCommand> {
  const [file = '', ...args] = words;
  if (file === '') throw notStarted(file, { code: 'ENOENT' });
  let child: ChildProcess;
  try {
    child = spawn(file, args, { stdio: descriptors(), detached: !terminal, env: { ...process.env, ...environment } });
  } catch (error) {
    throw notStarted(file, error as NodeJS.ErrnoException);
  }
  const ended = new Promise<End>((resolve) => {
    // Not 'close': background processes of the command keep its output open.
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  const { pid } = child;
  if (pid === undefined) {
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
    throw notStarted(file, error);
  }
  child.on('error', () => {});
  const family = { pid, isGroup: !terminal };
  known(family);
  return { family, ended };
}

/** Each descriptor of the command is that of this process with the same number. */
function descriptors(): StdioOptions {
  const all = [0, 1, 2, ...inheritedDescriptors];
  return Array.from({ length: Math.max(...all) + 1 }, (_, fd) => (all.includes(fd) ? fd : 'ignore'));
}

/** With the exit codes of a shell. */
function notStarted(file: string, { code, message }: Partial<NodeJS.ErrnoException>): Failure {
  const name = printable(file);
  if (code === 'ENOENT')
    return new Failure(exitCode.notFound, `The command "${name}" was not found, or the interpreter that it names.`);
  if (code === 'EACCES')
    return new Failure(exitCode.notExecutable, `The command "${name}" cannot be run: permission denied.`);
  return new Failure(exitCode.notExecutable, `The command "${name}" cannot be started: ${message}.`);
}

/** In ms: how long a command that wants the terminal is stopped before it retries. */
const again = 300;

/** Those that programs use to notify each other. */
const passedOn = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT'] as const;

/** The terminal also sends them to the command, which is in the same group. */
const ofTerminal: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/**
 * Forwards signals to the command while it runs. `resumed` is called when this process continues
 * after a stop. Returns a function that ends that; signals are ignored afterwards.
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
    // The command would continue while this process renews nothing.
    handlers.set('SIGTSTP', () => {
      signalFamily(family, 'SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    });
  } else {
    // The command was stopped, as it wants the terminal. The shell sees this process, which is not
    // stopped. So `fg` wakes nothing, and the command has to retry.
    const tryAgain = (): void => {
      if (!settled) signalFamily(family, 'SIGCONT');
    };
    const later = (): void => void setTimeout(tryAgain, again).unref();
    for (const signal of ['SIGTTIN', 'SIGTTOU'] as const) handlers.set(signal, later);
  }
  for (const [signal, handler] of handlers) {
    process.on(signal, () => {
      // Another process may have the id now.
      if (!settled) handler();
    });
  }
  return () => {
    settled = true;
  };
}
