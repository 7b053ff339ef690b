import type { RedisOptions } from '../options/options.ts';
import type { RedisKind } from '../options/redis-url.ts';
import type { AnyRedisClient } from '../wire/servers.ts';

/** How the configuration uses the server. */
export interface Use extends Pick<RedisOptions, 'restartGuard' | 'minReplicas'> {
  readonly kind: RedisKind;
}

/** One examined server. Each call rejects if the user has no right to it. */
export interface Server {
  readonly use: Use;
  /** A field of INFO. */
  readonly info: (field: string) => Promise<string>;
  /** The same as a number; 0 if the field is missing. */
  readonly count: (field: string) => Promise<number>;
  /** A value of CONFIG GET. */
  readonly setting: (name: string) => Promise<string>;
  /** The names of its connections in CLIENT LIST. */
  readonly names: () => Promise<readonly string[]>;
}

/** Clients of ioredis and iovalkey have `call`; those over node-redis have `command`. */
interface Asked {
  info(section: string): Promise<unknown>;
  call?(...command: readonly string[]): Promise<unknown>;
  command?(...command: readonly string[]): Promise<unknown>;
}

/** The server behind `client`. */
export function serverOf(client: AnyRedisClient, use: Use): Server {
  const asked = client as unknown as Asked;
  let all: Promise<ReadonlyMap<string, string>> | undefined;
  const info = async (field: string): Promise<string> => {
    all ??= asked.info('all').then(readInfo);
    return (await all).get(field) ?? '';
  };
  const send = async (...command: readonly string[]): Promise<unknown> =>
    await (asked.call ?? asked.command)?.call(asked, ...command);
  return {
    use,
    info,
    count: async (field) => Number(await info(field)) || 0,
    async setting(name) {
      const value = valueIn(await send('CONFIG', 'GET', name), name);
      if (typeof value !== 'string') throw new Error(`the server has no setting ${name}`);
      return value;
    },
    async names() {
      const list = String(await send('CLIENT', 'LIST'));
      return [...list.matchAll(/ name=(\S+)/g)].map(([, name = '']) => name);
    },
  };
}

/** A value of an answer with names and values: a list, or a map in RESP3. */
function valueIn(answer: unknown, name: string): unknown {
  if (Array.isArray(answer)) return answer[answer.indexOf(name) + 1] as unknown;
  return (answer as Readonly<Record<string, unknown>>)[name];
}

/** Lines of `name:value`. */
function readInfo(text: unknown): ReadonlyMap<string, string> {
  const lines = String(text)
    .split('\r\n')
    .map((line) => /^([^:#]+):(.*)$/.exec(line));
  return new Map(lines.flatMap((line) => (line === null ? [] : [[line[1] ?? '', line[2] ?? ''] as const])));
}
