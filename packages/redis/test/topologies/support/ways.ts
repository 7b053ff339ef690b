import type { Faults } from '@locks/conformance';
import type { LockProvider } from '@locks/core';
import { eventually, startProxy } from '@locks/test-servers';
import type { Proxy, ServerHandle } from '@locks/test-servers';
import { isScriptCall } from '../../support/faults.ts';

/** Proxies in front of several servers, and what makes a client go through them. */
export interface Ways {
  readonly proxies: readonly Proxy[];
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** The client finds the proxies where it is told of the servers. */
  readonly options: { readonly natMap: Record<string, { host: string; port: number }> };
  /** That of the server at this port. */
  at(port: number): Proxy;
  stop(): Promise<void>;
}

/** A network of its own between one client and `servers`. */
export async function waysTo(servers: readonly ServerHandle[]): Promise<Ways> {
  const pairs = await Promise.all(servers.map(async (server) => ({ server, proxy: await startProxy(server) })));
  const natMap = Object.fromEntries(
    pairs.map(({ server, proxy }) => [`${server.host}:${server.port}`, { host: proxy.host, port: proxy.port }]),
  );
  return {
    proxies: pairs.map(({ proxy }) => proxy),
    nodes: pairs.map(({ proxy: { host, port } }) => ({ host, port })),
    options: { natMap },
    at(port) {
      const found = pairs.find(({ server }) => server.port === port);
      if (found === undefined) throw new Error(`no server at port ${port}`);
      return found.proxy;
    },
    stop: async () => void (await Promise.all(pairs.map(({ proxy }) => proxy.stop()))),
  };
}

/** What networks do, to all ways of a provider at once. */
export function faultsOnTheWay(waysOf: WeakMap<LockProvider, Ways>): Faults {
  const through = (provider: LockProvider): readonly Proxy[] => {
    const ways = waysOf.get(provider);
    if (ways === undefined) throw new Error('A fault was asked for a provider that create() did not make.');
    return ways.proxies;
  };
  return {
    sever: async (provider) => void (await Promise.all(through(provider).map((proxy) => proxy.cut()))),
    async silence(provider, direction) {
      const ends = through(provider).map((proxy) => proxy.silence(direction));
      return async () => void (await Promise.all(ends.map((end) => end())));
    },
    async delay(provider, delay) {
      const ends = through(provider).map((proxy) => proxy.delay(delay, 'replies'));
      return async () => {
        for (const end of ends) end();
      };
    },
    async dropReply(provider) {
      const proxies = through(provider);
      const sprung = proxies.map((proxy) => proxy.dropReply({ when: isScriptCall }).sprung);
      // One reply only, of whichever server.
      const others = proxies.map(async (proxy, index) => {
        await sprung[index];
        await Promise.all(proxies.filter((other) => other !== proxy).map((other) => other.pass()));
      });
      void Promise.race(others);
    },
    async duplicate(provider) {
      const proxies = through(provider);
      const ends = proxies.map((proxy) => proxy.duplicate());
      // Only what is connected from now on is duplicated.
      await Promise.all(proxies.map((proxy) => proxy.cut()));
      await answering(provider);
      return async () => {
        for (const end of ends) end();
      };
    },
  };
}

/** Resolves when `provider` is connected. */
export async function answering(provider: LockProvider): Promise<void> {
  await eventually('an answer', async () =>
    provider.inspect('are you there?').then(
      () => true,
      () => false,
    ),
  );
}
