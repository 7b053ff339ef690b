import { redisCommand } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { FaultOf } from './listed.ts';
import type { Processes } from './processes.ts';

/** One command to each server. */
async function command({ handles }: Processes, ...words: readonly [string, ...(string | number)[]]): Promise<void> {
  await Promise.all(handles.map((server) => redisCommand(server, ...words)));
}

/** Commands that begin a fault of all servers, and commands that end it. */
function changed(
  begin: readonly Words[],
  end: readonly Words[],
  more: Partial<FaultOf<Processes>> = {},
): FaultOf<Processes> {
  const all = async (servers: Processes, words: readonly Words[]): Promise<void> => {
    for (const each of words) await command(servers, ...each);
  };
  return {
    targets: 1,
    ...more,
    async begin(servers) {
      await all(servers, begin);
      if (end.length > 0) return () => all(servers, end);
    },
  };
}
type Words = readonly [string, ...(string | number)[]];

const moment = { lasts: [0, 0] } as const;
const cut: Words = ['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'];

/** What can be done to a Redis by commands. */
export const byCommands = {
  flush: changed([['FLUSHALL']], [], { ...moment, empties: true, weight: 0.5 }),
  'out of memory': changed([['CONFIG', 'SET', 'maxmemory', 1]], [['CONFIG', 'SET', 'maxmemory', 0]]),
  'rights revoked': changed(
    [['ACL', 'SETUSER', 'default', '-evalsha', '-eval']],
    [['ACL', 'SETUSER', 'default', '+@all']],
    { refuses: true },
  ),
  'clients cut': changed([cut, ['CLIENT', 'KILL', 'TYPE', 'pubsub']], [], moment),
  'scripts forgotten': changed([['SCRIPT', 'FLUSH']], [], moment),
  busy: {
    targets: 1,
    lasts: [0, 0],
    // Some tenths of a second: a slow script of another application.
    begin: async (servers) => await command(servers, 'EVAL', 'for i = 1, 2e7 do end', 0),
  },
  'foreign keys': {
    targets: 1,
    lasts: [0, 0],
    begin: async ({ handles }) => await Promise.all(handles.map(foreign)).then(() => {}),
  },
} as const satisfies Readonly<Record<string, FaultOf<Processes>>>;

/** Keys of other applications with the same prefix, and without it. */
async function foreign(server: ServerHandle): Promise<void> {
  const name = `stranger-${Math.floor(Math.random() * 1e6)}`;
  await redisCommand(server, 'SET', `locks:${name}`, 'text');
  await redisCommand(server, 'RPUSH', `{locks:${name}}:queue`, 'one', 'two');
  await redisCommand(server, 'HSET', `locks:wake:${name}`, 'field', 'value');
  await redisCommand(server, 'PUBLISH', 'locks:wake:stranger', 'nothing');
}

/** It follows a missing server, so it refuses to write. Its data stays. */
export const readOnly = changed([['REPLICAOF', '127.0.0.1', 1]], [['REPLICAOF', 'NO', 'ONE']]);

/** The first of several stores refuses, while the others grant. */
export const firstRevoked: FaultOf<Processes> = {
  targets: 1,
  begin: (servers, ...rest) =>
    byCommands['rights revoked'].begin({ ...servers, handles: servers.handles.slice(0, 1) }, ...rest),
};

/** A new password; all connections with the old one are cut. */
export const passwordRotated: FaultOf<Processes> = {
  targets: 1,
  refuses: true,
  async begin({ handles: [server] }) {
    const change = async (from: string | undefined, to: string): Promise<void> => {
      const { Redis } = await import('ioredis');
      const client = new Redis({
        host: server?.host ?? '',
        port: server?.port ?? 0,
        ...(from !== undefined && { password: from }),
      });
      client.on('error', () => {});
      await client.config('SET', 'requirepass', to);
      await client.call(...cut);
      client.disconnect();
    };
    await change(undefined, 'another');
    return () => change('another', '');
  },
};
