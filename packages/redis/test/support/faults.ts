import type { Faults } from '@locks/conformance';
import type { LockProvider } from '@locks/core';
import { closing, startProxy } from '@locks/test-servers';
import type { Proxy, ServerHandle } from '@locks/test-servers';
import { eventually } from './redis.ts';

/** Providers that can be hurt one by one. */
export interface Breakable {
  /** A provider with a proxy of its own, which ends when it is closed. */
  readonly create: () => Promise<LockProvider>;
  readonly faults: Faults;
}

/**
 * Whether `piece` has a command of a provider, and not one by which the client sets its connection
 * up.
 */
export function isScriptCall(piece: Buffer): boolean {
  return /\r\neval(?:sha)?\r\n/i.test(piece.toString('latin1'));
}

/**
 * Providers on `server`, which `make` connects; `ownServer` may also be paused and restarted, as no
 * other test uses it.
 */
export function breakable(
  server: ServerHandle,
  ownServer: boolean,
  make: (url: string) => LockProvider | Promise<LockProvider>,
): Breakable {
  const proxies = new WeakMap<LockProvider, Proxy>();

  async function create(): Promise<LockProvider> {
    const proxy = await startProxy(server);
    const provider = closing(await make(proxy.url(server.url)), () => proxy.stop());
    proxies.set(provider, proxy);
    return provider;
  }

  function proxyOf(provider: LockProvider): Proxy {
    const proxy = proxies.get(provider);
    if (proxy === undefined) throw new Error('A fault was asked for a provider that create() did not make.');
    return proxy;
  }

  const onTheWay: Faults = {
    sever: (provider) => proxyOf(provider).cut(),
    silence: async (provider, direction) => proxyOf(provider).silence(direction),
    async dropReply(provider) {
      proxyOf(provider).dropReply({ when: isScriptCall });
    },
    async delay(provider, delay) {
      const end = proxyOf(provider).delay(delay, 'replies');
      return async () => end();
    },
    async duplicate(provider) {
      const proxy = proxyOf(provider);
      await answering(provider);
      const before = proxy.clientConnections;
      const end = proxy.duplicate();
      // Only what is connected from now on is duplicated.
      await proxy.cut();
      await answering(provider);
      await eventually('as many connections as before', () => proxy.clientConnections === before);
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

/** Resolves when `provider` is connected. */
async function answering(provider: LockProvider): Promise<void> {
  await eventually('an answer', async () => {
    const asked = provider.inspect('are you there?');
    return await asked.then(
      () => true,
      () => false,
    );
  });
}
