/** The signals that ask a process to end, and those that end one without a handler. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** The signals that arrive while a `run` waits for its lock. */
export interface StopSignals {
  /** Aborted by the first of them. */
  readonly aborted: AbortSignal;
  /** The first of them. */
  caught(): NodeJS.Signals | undefined;
  /** From now on other code handles them. */
  end(): void;
}

/** Catches signals. The second one calls `again`. */
export function catchStopSignals(again: (signal: NodeJS.Signals) => void): StopSignals {
  const controller = new AbortController();
  let first: NodeJS.Signals | undefined;
  const heard = (signal: NodeJS.Signals): void => {
    if (first !== undefined) again(signal);
    first ??= signal;
    controller.abort(new Error(`${signal} ended the waiting.`));
  };
  for (const signal of signals) process.on(signal, heard);
  return {
    aborted: controller.signal,
    caught: () => first,
    end: () => {
      for (const signal of signals) process.off(signal, heard);
    },
  };
}
