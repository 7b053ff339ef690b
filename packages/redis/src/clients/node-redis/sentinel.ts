import type { RedisClient } from '../../wire/client.ts';
import type { NodeRedisClient } from './client.ts';
import { commandsOf, senderOf } from './commands.ts';
import { copyOf, duplicateOf } from './copy.ts';
import { keyPrefixOf } from './version.ts';
import { stateOf } from './state.ts';

/**
 * The few members used of a Sentinel client of node-redis (`createSentinel()`). It is not changed.
 */
export interface NodeRedisSentinel {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  /** Calls `task` with the client of the master, repeatedly while it loses its connection. */
  _execute<T>(isReadonly: boolean | undefined, task: (client: NodeRedisClient) => Promise<T>): Promise<T>;
}

/** The end of a command. The library must not see failures: it would resend. */
type Outcome<T> = { readonly reply: T } | { readonly failure: unknown };

/** A client of the master that Sentinels report, as the provider uses one. */
export function fromNodeRedisSentinel(sentinel: NodeRedisSentinel): RedisClient {
  const keyPrefix = keyPrefixOf(sentinel);
  const state = stateOf(sentinel, 'Sentinel');
  let entered: Promise<void> = Promise.resolve();

  /**
   * Calls of the library that wait for a client can overtake each other, and starve. So each waits
   * until the one before it has a client.
   */
  async function atMaster<T>(task: (client: NodeRedisClient) => Promise<T>): Promise<T> {
    const before = entered;
    let enter: () => void = () => {};
    entered = new Promise((resolve) => (enter = resolve));
    await before;
    try {
      return await sentinel._execute(false, (client) => {
        enter();
        return task(client);
      });
    } finally {
      enter();
    }
  }

  async function once<T>(task: (client: NodeRedisClient) => Promise<T>): Promise<T> {
    const outcome = await atMaster<Outcome<T>>(async (client) => {
      try {
        return { reply: await task(client) };
      } catch (failure) {
        return { failure };
      }
    });
    if ('reply' in outcome) return outcome.reply;
    const { failure } = outcome;
    if (failure instanceof Error && /\bREADONLY\b/.test(failure.message)) followMaster();
    throw failure;
  }

  /** After such a refusal the library asks the Sentinels again. */
  function followMaster(): void {
    let refused = false;
    const refuse = async (): Promise<void> => {
      if (refused) return;
      refused = true;
      throw new Error('READONLY');
    };
    atMaster(refuse).catch(() => {});
  }

  return {
    ...commandsOf(
      state.guarded((...args) => once((client) => senderOf(client)(...args))),
      keyPrefix,
    ),
    duplicate: () => copyOf({ create: () => once(async (client) => duplicateOf(client)), keyPrefix }),
    // No command is sent twice, so another master or connection leaves no doubt.
    stream: sentinel,
    get status() {
      return state.status();
    },
  };
}
