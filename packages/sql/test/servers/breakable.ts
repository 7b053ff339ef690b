import type { Faults } from '@locks/conformance';
import type { LockProvider } from '@locks/core';
import { closing, eventually, startProxy } from '@locks/test-servers';
import type { Proxy, ServerHandle } from '@locks/test-servers';

/** Providers that can be hurt one by one. */
export interface Breakable {
  /** A provider with a proxy of its own, which ends when it is closed. */
  readonly create: () => Promise<LockProvider>;
  readonly faults: Faults;
}

/** What differs from server to server. */
export interface Breaking {
  /** Used by this file alone. */
  readonly server: ServerHandle;
  /**
   * Where `make` finds it. Each login with it sends the same bytes, and is answered with the same.
   */
  readonly url: string;
  /**
   * Drops the next answer that says that a call of a provider has taken effect, and cuts its
   * connection.
   */
  readonly dropReply: (proxy: Proxy) => void;
  /** Takes from the server what it knows of locks. */
  readonly forget: () => Promise<void>;
  /** Gives it what it needs to begin. */
  readonly prepare: () => Promise<void>;
  readonly make: (url: string) => LockProvider | Promise<LockProvider>;
}

/** Providers on a server, each with a proxy in front of it. */
export function breakable({ server, url, dropReply, forget, prepare, make }: Breaking): Breakable {
  const proxies = new Map<LockProvider, Proxy>();

  async function create(): Promise<LockProvider> {
    const proxy = await startProxy(server);
    const provider = closing(await make(proxy.url(url)), async () => {
      proxies.delete(provider);
      await proxy.stop();
    });
    proxies.set(provider, proxy);
    return provider;
  }

  function proxyOf(provider: LockProvider): Proxy {
    const proxy = proxies.get(provider);
    if (proxy === undefined) throw new Error('A fault was asked for a provider that create() did not make.');
    return proxy;
  }

  const faults: Faults = {
    sever: (provider) => proxyOf(provider).cut(),
    silence: async (provider, direction) => proxyOf(provider).silence(direction),
    async dropReply(provider) {
      dropReply(proxyOf(provider));
    },
    async delay(provider, delay) {
      const end = proxyOf(provider).delay(delay, 'replies');
      return async () => end();
    },
    // A connection and its double begin with the same bytes. From then on two sessions execute
    // every statement. The answer of either may come back.
    async duplicate(provider) {
      const proxy = proxyOf(provider);
      await answering(provider);
      const end = proxy.duplicate();
      // Only what is connected from now on is duplicated.
      await proxy.cut();
      await answering(provider);
      return async () => end();
    },
    async pause() {
      await server.pause();
      return () => server.resume();
    },
    restart: () => server.restart(),
    async restartEmpty() {
      // No client may meet a server without tables: it would say that its operator made a mistake.
      const reachable = [...proxies.values()].map((proxy) => proxy.refuse());
      await Promise.all([...proxies.values()].map((proxy) => proxy.cut()));
      // Making a server from nothing takes longer than the checks wait; what it knew of locks is as
      // gone with their tables.
      await forget();
      await server.restart();
      await prepare();
      for (const end of reachable) end();
    },
  };
  return { create, faults };
}

/** Resolves when `provider` is connected. */
async function answering(provider: LockProvider): Promise<void> {
  await eventually('an answer', async () => {
    const asked = provider.inspect('any key');
    return await asked.then(
      () => true,
      () => false,
    );
  });
}
