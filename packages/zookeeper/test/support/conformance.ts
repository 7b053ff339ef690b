import type { Faults, LeakCounts } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { closing, startProxy } from '@locks/test-servers';
import type { Proxy, ServerHandle } from '@locks/test-servers';
import { beforeAll } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import type { ZookeeperOptions, ZookeeperProviderOptions } from '../../src/index.ts';
import { countsOf } from './counts.ts';
import { startFrameProxy } from './frame-proxy.ts';
import type { FrameProxy } from './frame-proxy.ts';
import { serversOf } from './servers.ts';
import type { Chosen } from '../../../conformance/test/support/selection.ts';

/** The servers that the suite runs on, and how all of them are hurt at once. */
export interface Backend {
  readonly members: readonly ServerHandle[];
  readonly faults: Pick<Faults, 'pause' | 'restart' | 'restartEmpty'>;
  /**
   * The longest time for one requirement, in ms: several servers take a while to start and to elect
   * a leader.
   * @default the suite's
   */
  readonly limit?: number;
}

/** Short sessions: several requirements wait for one to end. */
const settings = { acl: 'open', sessionTimeout: 6_000 } as const;

/** The proxies between one provider and the servers. */
interface Way {
  readonly proxies: readonly Proxy[];
  readonly frameProxies: readonly FrameProxy[];
}

/** Makes a provider that finds its servers at `servers`. */
export type Make = (
  options: ZookeeperProviderOptions & { readonly servers: string },
) => LockProvider | Promise<LockProvider>;

/** Providers that can be hurt one by one, and their servers. */
export interface Breakable {
  /** A provider with proxies of its own, which end when it is closed. */
  create(): Promise<LockProvider>;
  readonly faults: Faults;
}

/** Providers on the servers of `backend`, each with proxies in front of them. */
export function breakable(
  { members, faults: atTheServers }: Backend,
  options: ZookeeperOptions,
  make: Make = createZookeeperProvider,
): Breakable {
  const ways = new WeakMap<LockProvider, Way>();

  async function create(): Promise<LockProvider> {
    const frameProxies = await Promise.all(members.map((member) => startFrameProxy(member)));
    const proxies = await Promise.all(frameProxies.map((target) => startProxy(target)));
    const provider = closing(await make({ ...options, servers: serversOf(...proxies) }), async () => {
      await Promise.all([...proxies, ...frameProxies].map((one) => one.stop()));
    });
    ways.set(provider, { proxies, frameProxies });
    return provider;
  }

  function wayOf(provider: LockProvider): Way {
    const way = ways.get(provider);
    if (way === undefined) throw new Error('A fault was asked for a provider that create() did not make.');
    return way;
  }

  function onTheWay(
    provider: LockProvider,
    begin: (proxy: Proxy) => () => void | Promise<void>,
  ): Promise<() => Promise<void>> {
    const ends = wayOf(provider).proxies.map((proxy) => begin(proxy));
    return Promise.resolve(async () => {
      for (const end of ends) await end();
    });
  }

  const faults: Faults = {
    ...atTheServers,
    async sever(provider) {
      await Promise.all(wayOf(provider).proxies.map((proxy) => proxy.cut()));
    },
    silence: (provider, direction) => onTheWay(provider, (proxy) => proxy.silence(direction)),
    delay: (provider, delay) => onTheWay(provider, (proxy) => proxy.delay(delay, 'replies')),
    async dropReply(provider) {
      for (const proxy of wayOf(provider).frameProxies) proxy.dropReply();
    },
    async duplicate(provider) {
      const ends = wayOf(provider).frameProxies.map((proxy) => proxy.double());
      return async () => {
        for (const end of ends) end();
      };
    },
  };
  return { create, faults };
}

/** Registers the suite: all of it, or the requirements that `only` chooses. */
export function suite(
  name: string,
  backend: Backend,
  options: ZookeeperOptions,
  only?: Chosen,
  make: Make = createZookeeperProvider,
): void {
  const { members, limit } = backend;
  const all = { ...settings, ...options };
  const { create, faults } = breakable(backend, all, make);

  // It stays.
  const makeFolderOfRegisters = async (): Promise<void> => {
    const provider = await create();
    await provider.register?.('any', { from: undefined, to: 'text' });
    await provider.register?.('any', { from: 'text', to: undefined });
    await provider.close();
  };
  beforeAll(makeFolderOfRegisters);

  conformanceTests({
    name,
    create,
    ttl: 500,
    faults: {
      ...faults,
      async restartEmpty() {
        await faults.restartEmpty?.();
        await makeFolderOfRegisters();
      },
    },
    processes: { module: new URL('process.mjs', import.meta.url), args: { ...all, servers: serversOf(...members) } },
    leaks: () => left(members),
    only,
    limit,
  });
}

/** What a provider may leave: nothing but nodes that stay. */
async function left(members: readonly ServerHandle[]): Promise<LeakCounts> {
  const counts = await Promise.all(members.map((member) => countsOf(member)));
  const total: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((each) => Object.entries(each))) total[name] = (total[name] ?? 0) + count;
  return total;
}
