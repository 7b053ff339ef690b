import type { RedisNode } from '../../wire/client.ts';
import type { NodeRedisClient } from './client.ts';

type Arg = string | number;

/** Sends a command, and gives its reply. */
export type Send = (...args: readonly Arg[]) => Promise<unknown>;

/** Of each command: the caller may have chosen other types for the replies of the client. */
export const plainReplies = { typeMapping: undefined } as const;

/** Sends over `client`. Errors of the server have the name that they have with ioredis. */
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

/** `error`, by the name of a reply where it is one. */
export function asReply(error: unknown): unknown {
  const isReply = error instanceof Error && /^(?:-?[A-Z]{2,}\b)/.test(error.message);
  if (isReply) error.name = 'ReplyError';
  return error;
}
