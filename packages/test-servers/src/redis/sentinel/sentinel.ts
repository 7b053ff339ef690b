import { setTimeout as delay } from 'node:timers/promises';
import type { ServerHandle } from '../../server/handle.ts';
import { startOnFreePorts } from '../../server/ports.ts';
import { startMember } from '../../start/start-member.ts';
import { startTogether } from '../../start/start-together.ts';
import { eventually } from '../../support/eventually.ts';
import { redisCommand } from '../command.ts';
import { defineNode } from '../node.ts';
import { mustBeLocal } from '../local-only.ts';
import { type TlsEntrance, tlsEntrance, withTls } from '../tls.ts';
import type { RedisSentinelOptions } from './options.ts';
import { type Watched, defineSentinel } from './definition.ts';

/** A master with replicas, and the Sentinels that watch them. */
export interface RedisSentinel extends AsyncDisposable {
  /** The Sentinels' name of the master. */
  readonly name: string;
  readonly sentinels: readonly ServerHandle[];
  /** The initial master first. */
  readonly servers: readonly ServerHandle[];
  /** `redis+sentinel://host:port,host:port,…/name`. */
  readonly url: string;
  /** With option `tls`. */
  readonly tls: TlsEntrance | undefined;
  /** The server that a majority of the Sentinels and the server itself call the master. */
  master(): Promise<ServerHandle>;
  /** Resolves to the new master that has replaced `old`. */
  masterAfter(old: ServerHandle): Promise<ServerHandle>;
  /** Makes a replica the master, though the old one is healthy. Resolves to it. */
  failOver(): Promise<ServerHandle>;
  /** Resolves when all servers that answer follow the master, with a copy of its data. */
  settled(): Promise<void>;
  /** Ends all of them permanently and removes their data. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a separate Redis with replicas and Sentinels, on free loopback ports. Resolves when all of
 * them know each other.
 */
export async function startRedisSentinel(options: RedisSentinelOptions = {}): Promise<RedisSentinel> {
  const { sentinels = 3, replicas = 2, downAfter = 1_000, args = [], tls = false, clocks } = options;
  if (clocks !== undefined) mustBeLocal('a Redis with Sentinels and clocks of its own');
  const count = 1 + replicas;
  return await startOnFreePorts('127.0.0.1', (tls ? 2 : 1) * (count + sentinels), async (ports) => {
    const tlsPorts = ports.slice(count + sentinels);
    const servers = await startTogether(count, async (index, signal) => {
      const follow = index === 0 ? [] : ['--replicaof', '127.0.0.1', `${tlsPorts[0] ?? ports[0]}`];
      const definition = withTls(defineNode([...follow, ...args], clocks), tlsPorts[index]);
      return await startMember(definition, { port: ports[index] ?? 0, signal });
    });
    const started = [...servers];
    try {
      const [master] = servers;
      if (master === undefined) throw new Error('a Redis with Sentinels has a master');
      const quorum = Math.floor(sentinels / 2) + 1;
      const watchedPort = tlsPorts[0] ?? master.port;
      const watched: Watched = {
        name: 'main',
        master: { ...master, port: watchedPort },
        quorum,
        downAfter,
      };
      const watchers = await startTogether(sentinels, async (index, signal) => {
        const port = ports[count + index] ?? 0;
        const definition = withTls(defineSentinel(watched), tlsPorts[count + index]);
        return await startMember(definition, { port, signal });
      });
      started.push(...watchers);
      await Promise.all(watchers.map((sentinel) => hasten(sentinel, 100)));
      const set = sentinelOf(servers, watchers, watched, tlsPorts);
      await set.settled();
      await Promise.all(watchers.map((sentinel) => hasten(sentinel, 500)));
      return set;
    } catch (error) {
      await Promise.all(started.map((server) => server.stop()));
      throw error;
    }
  });
}

/**
 * By default a Sentinel takes seconds to find others, and before Redis 7 this cannot be configured.
 * While the master is down it sends replicas `INFO` each second, and ignores one whose answer is
 * older than five ping periods: with a shorter one its failovers fail. A longer one approaches
 * `downAfter`, which counts from the last answer if a connection is cut, as at a promotion. A
 * Sentinel that finds an old master makes it a replica after four times `publishPeriod`.
 */
async function hasten(sentinel: ServerHandle, publishPeriod: number): Promise<void> {
  const periods = ['INFO-PERIOD', 100, 'PING-PERIOD', 300, 'ASK-PERIOD', 100, 'PUBLISH-PERIOD', publishPeriod];
  await redisCommand(sentinel, 'SENTINEL', 'DEBUG', ...periods).catch(() => {});
}

function sentinelOf(
  servers: readonly ServerHandle[],
  sentinels: readonly ServerHandle[],
  { name, quorum }: Watched,
  tlsPorts: readonly number[],
): RedisSentinel {
  /** The ports of a server that Sentinels know. */
  const knownPort = (index: number): number | undefined => tlsPorts[index] ?? servers[index]?.port;

  async function findMaster(): Promise<ServerHandle | undefined> {
    const ports = await Promise.all(
      sentinels.map(async (sentinel) => {
        const reply = await redisCommand(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name).catch(() => []);
        return Number((reply as readonly string[])[1]);
      }),
    );
    const named = servers.find((_, index) => ports.filter((one) => one === knownPort(index)).length >= quorum);
    return named !== undefined && (await replicationOf(named))?.includes('role:master') === true ? named : undefined;
  }

  /** A failed failover is retried after twice its limit. */
  const patience = 30_000;

  /** The master, once there is one other than `old`. */
  function find(what: string, old?: ServerHandle): Promise<ServerHandle> {
    return eventually(
      what,
      async () => {
        const found = await findMaster();
        if (found !== undefined && found !== old) return found;
        // Each check asks all Sentinels, which must hold an election meanwhile.
        await delay(50);
        return undefined;
      },
      patience,
    );
  }

  const master = (): Promise<ServerHandle> => find('a master');
  const masterAfter = (old: ServerHandle): Promise<ServerHandle> => find('another master', old);

  async function settled(): Promise<void> {
    const haveCopies = async (): Promise<boolean> => {
      // An election that failed is repeated: the master may change while the others copy it.
      const leader = await findMaster();
      if (leader === undefined) return false;
      const answers = await Promise.all(servers.filter((server) => server !== leader).map(replicationOf));
      return answers.every(
        (text) =>
          text === undefined ||
          (text.includes(`master_port:${knownPort(servers.indexOf(leader))}`) &&
            text.includes('master_link_status:up')),
      );
    };
    const agree = async (): Promise<boolean> => {
      const states = await Promise.all(sentinels.map((sentinel) => knownTo(sentinel, name)));
      return states.every(
        (state) =>
          state === undefined ||
          (state.sentinels === sentinels.length && state.replicas === servers.length - 1 && !state.disturbed),
      );
    };
    await eventually('Sentinels that know each other and a master that is well', agree, patience);
    await eventually('replicas with a copy', haveCopies, patience);
  }

  const stop = async (): Promise<void> =>
    void (await Promise.all([...sentinels, ...servers].map((server) => server.stop())));
  const url = `redis+sentinel://${sentinels.map(({ host, port }) => `${host}:${port}`).join(',')}/${name}`;
  return {
    name,
    sentinels,
    servers,
    url,
    tls: tlsPorts.length === 0 ? undefined : tlsEntrance(url, tlsPorts.slice(servers.length), tlsPorts),
    master,
    masterAfter,
    async failOver() {
      const old = await master();
      await eventually('a failover', async () => {
        // Refused during another one, or until a replica is known to be good.
        for (const sentinel of sentinels.slice(0, 1)) {
          await redisCommand(sentinel, 'SENTINEL', 'FAILOVER', name).catch(() => {});
        }
        await delay(50);
        return (await findMaster()) !== old;
      });
      return await masterAfter(old);
    },
    settled,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** What a server says of its role; `undefined` when it does not answer. */
async function replicationOf(server: ServerHandle): Promise<string | undefined> {
  return await redisCommand(server, 'INFO', 'replication').then(String, () => undefined);
}

interface Known {
  readonly sentinels: number;
  readonly replicas: number;
  /** The master is believed to be down, or is being replaced, though it may be back. */
  readonly disturbed: boolean;
}

/** What a Sentinel knows; `undefined` when it does not answer. */
async function knownTo(sentinel: ServerHandle, name: string): Promise<Known | undefined> {
  const fields = await redisCommand(sentinel, 'SENTINEL', 'MASTER', name).catch(() => undefined);
  if (fields === undefined) return undefined;
  const all = (fields as readonly unknown[]).map(String);
  const valueOf = (field: string): string => all[all.indexOf(field) + 1] ?? '';
  return {
    replicas: Number(valueOf('num-slaves')),
    // Without itself.
    sentinels: Number(valueOf('num-other-sentinels')) + 1,
    disturbed: valueOf('flags') !== 'master',
  };
}
