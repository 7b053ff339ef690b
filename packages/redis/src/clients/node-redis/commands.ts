import type { RedisNode } from '../../wire/client.ts';
import type { NodeRedisClient } from './client.ts';

type Arg = string | number;

/** Sends a command, and resolves to its reply. */
export type Send = (...args: readonly Arg[]) => Promise<unknown>;

/** For each command, as the caller may have changed the client's types of replies. */
export const plainReplies = { typeMapping: undefined } as const;

/** Sends over `client`. Errors of the server get the name that they have in ioredis. */
export function senderOf(client: Pick<NodeRedisClient, 'sendCommand'>): Send {
  return async (...args) => {
    try {
      return await client.sendCommand(args.map(String), plainReplies);
    } catch (error) {
      throw asReply(error);
    }
  };
}

/** The commands that the provider uses, over `send`. Scripts get keys with `keyPrefix`. */
export function commandsOf(
  send: Send,
  keyPrefix = '',
): Pick<RedisNode, 'evalsha' | 'eval' | 'ping' | 'scan' | 'info'> & {
  readonly options: { readonly keyPrefix: string };
} {
  const script = (name: string, text: string, keys: number, args: readonly Arg[]): Promise<unknown> =>
    send(name, text, keys, ...(keyPrefix === '' ? args : args.map((arg, at) => (at < keys ? keyPrefix + arg : arg))));
  return {
    options: { keyPrefix },
    evalsha: (sha, keys, ...args) => script('EVALSHA', sha, keys, args),
    eval: (text, keys, ...args) => script('EVAL', text, keys, args),
    ping: () => send('PING'),
    info: (section) => send('INFO', section),
    scan: (cursor, ...rest) => send('SCAN', cursor, ...rest) as Promise<[string, string[]]>,
  };
}

/** `error`, with the name `ReplyError` if it is a reply. */
export function asReply(error: unknown): unknown {
  const isReply = error instanceof Error && /^(?:-?[A-Z]{2,}\b)/.test(error.message);
  if (isReply) error.name = 'ReplyError';
  return error;
}
