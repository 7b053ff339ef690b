import type { Faults } from '@locks/conformance';
import type { LockProvider } from '@locks/core';
import { startProxy } from '@locks/test-servers';
import type { Proxy, ServerHandle } from '@locks/test-servers';
import type { Redis } from 'ioredis';
import { createRedisProvider } from '../../src/index.ts';
import type { RedisOptions } from '../../src/index.ts';
import { eventually } from './redis.ts';

/** What stands between a provider and the server. */
interface Path {
  readonly client: Redis;
  readonly proxy: Proxy;
}

/** Providers that can be hurt one by one. */
export interface Breakable {
  /** A provider with a proxy and a client of its own, which end when it is closed. */
  readonly create: () => Promise<LockProvider>;
  readonly faults: Faults;
}

/** Whether `piece` has a command of a provider, and not one by which the client sets its connection up. */
export function isScriptCall(piece: Buffer): boolean {
  return /\r\neval(?:sha)?\r\n/i.test(piece.toString('latin1'));
}

/** Providers on `server`, with clients that `open` makes; `ownServer` may also be paused and restarted, as nobody else uses it. */
export function breakable(
  server: ServerHandle,
  ownServer: boolean,
  open: (url: string) => Redis,
  options: RedisOptions,
): Breakable {
  const paths = new WeakMap<LockProvider, Path>();

  async function create(): Promise<LockProvider> {
    const proxy = await startProxy(server);
    const client = open(proxy.url(server.url));
    // What becomes of its connections is the subject of the tests.
    client.on('error', () => {});
    const provider = createRedisProvider(client, options);
    const close = provider.close.bind(provider);
    provider.close = async () => {
      await close();
      client.disconnect();
      await proxy.stop();
    };
    paths.set(provider, { client, proxy });
    return provider;
  }

  function pathOf(provider: LockProvider): Path {
    const path = paths.get(provider);
    if (path === undefined) throw new Error('A fault was asked for a provider that create() did not make.');
    return path;
  }

  const onTheWay: Faults = {
    sever: (provider) => pathOf(provider).proxy.cut(),
    silence: async (provider, direction) => pathOf(provider).proxy.silence(direction),
    async dropReply(provider) {
      pathOf(provider).proxy.dropReply({ when: isScriptCall });
    },
    async delay(provider, delay) {
      const end = pathOf(provider).proxy.delay(delay, 'replies');
      return async () => end();
    },
    async duplicate(provider) {
      const { client, proxy } = pathOf(provider);
      await eventually('a connection', () => client.status === 'ready');
      const before = proxy.clientConnections;
      const end = proxy.duplicate();
      // Only what is connected from now on is duplicated.
      await proxy.cut();
      await eventually('new connections', () => client.status === 'ready' && proxy.clientConnections === before);
      return async () => end();
    },
  };
  const atTheServer: Faults = {
    async pause() {
      await server.pause();
      return () => server.resume();
    },
    restart: () => server.restart(),
    restartEmpty: () => server.restart({ keepData: false }),
  };
  return { create, faults: ownServer ? { ...onTheWay, ...atTheServer } : onTheWay };
}
