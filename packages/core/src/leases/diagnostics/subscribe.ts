import { subscribe as subscribeTo, unsubscribe } from 'node:diagnostics_channel';
import { LockError } from '../../errors/lock-error.ts';
import { describe } from '../../options/key.ts';
import type { ChannelMessages } from './messages.ts';

/** Ends a subscription when it is called, or at the end of a `using` block. */
export interface Subscription extends Disposable {
  (): void;
}

/**
 * Calls `listener` with each later message of `channel`, of all clients of this process. The
 * channels are those of `node:diagnostics_channel`, where an error of a listener ends the process.
 * Here an error or rejection of `listener` becomes a warning of the process.
 * @throws `LOCK_INVALID` unless `channel` is `locks:…` and `listener` a function.
 */
export function subscribe<Name extends keyof ChannelMessages>(
  channel: Name,
  listener: (message: ChannelMessages[Name]) => unknown,
): Subscription {
  if (typeof channel !== 'string' || !channel.startsWith('locks:')) {
    throw new LockError(
      'LOCK_INVALID',
      `subscribe(channel, listener): "channel" must be a name such as "locks:lost", not ${describe(channel)}.`,
    );
  }
  if (typeof listener !== 'function') {
    throw new LockError(
      'LOCK_INVALID',
      `subscribe("${channel}", listener): "listener" must be a function, not ${describe(listener)}.`,
    );
  }
  const listen = (message: unknown): void => {
    try {
      const answer = listener(message as ChannelMessages[Name]);
      if (answer instanceof Promise) answer.catch((error: unknown) => warn(channel, error));
    } catch (error) {
      warn(channel, error);
    }
  };
  subscribeTo(channel, listen);
  const stop = (): void => void unsubscribe(channel, listen);
  return Object.assign(stop, { [Symbol.dispose]: stop });
}

function warn(channel: string, error: unknown): void {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`A listener of "${channel}" failed.`, { code: 'LOCKS_LISTENER', detail });
}
