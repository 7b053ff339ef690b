import type { Faults } from '@locks/conformance';
import type { LockProvider } from '@locks/core';
import { startProxy, untilAnswered } from '@locks/test-servers';
import type { Proxy, Rewrite, ServerHandle } from '@locks/test-servers';
import { isScriptCall } from '../../support/faults.ts';

/** Proxies in front of several servers. What these say of one another leads to the proxies. */
export interface Ways {
  readonly proxies: readonly Proxy[];
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** That of the server at this port. */
  at(port: number): Proxy;
  stop(): Promise<void>;
}

/**
 * A network of its own between one client and `servers`, with address translation. `Ways.proxies`
 * are those of `servers`; `Ways.at` also has those of `besides`, such as Sentinels.
 */
export async function waysTo(servers: readonly ServerHandle[], besides: readonly ServerHandle[] = []): Promise<Ways> {
  const ports = new Map<number, number>();
  const rewrite: Rewrite = (piece, way) => (way === 'replies' ? translate(piece, ports) : piece);
  const all = await Promise.all(
    [...servers, ...besides].map(async (server) => ({ server, proxy: await startProxy(server, { rewrite }) })),
  );
  for (const { server, proxy } of all) ports.set(server.port, proxy.port);
  const proxies = all.slice(0, servers.length).map(({ proxy }) => proxy);
  return {
    proxies,
    nodes: proxies.map(({ host, port }) => ({ host, port })),
    at(port) {
      const found = all.find(({ server }) => server.port === port);
      if (found === undefined) throw new Error(`no server at port ${port}`);
      return found.proxy;
    },
    stop: async () => void (await Promise.all(all.map(({ proxy }) => proxy.stop()))),
  };
}

/** A host, and its port as a text or a number; or both in one text. All ports have five digits. */
const address = /(127\.0\.0\.1(?::|\r\n(?:\$4\r\nport\r\n)?(?::|\$5\r\n)))(\d{5})(?=\r\n)/g;

function translate(piece: Buffer, ports: ReadonlyMap<number, number>): Buffer {
  const text = piece.toString('latin1');
  const other = text.replace(
    address,
    (_all, before: string, port: string) => `${before}${ports.get(Number(port)) ?? port}`,
  );
  return Buffer.from(other, 'latin1');
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
  await untilAnswered('an answer', () => provider.inspect('are you there?'));
}
