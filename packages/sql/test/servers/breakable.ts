import type { Faults } from '@locks/conformance';
import type { LockProvider } from '@locks/core';
import { startProxy } from '@locks/test-servers';
import type { Proxy, ServerHandle } from '@locks/test-servers';
import { closing, eventually } from '../support/waiting.ts';

/** Providers that can be hurt one by one. */
export interface Breakable {
  /** A provider with a proxy of its own, which ends when it is closed. */
  readonly create: () => Promise<LockProvider>;
  readonly faults: Faults;
}

/** What differs from server to server. */
export interface Breaking {
  /** Nobody else may use it. */
  readonly server: ServerHandle;
  /** Where `make` finds it. Whoever logs in with it tells the server the same each time, and is told the same. */
  readonly url: string;
  /** Drops the next answer that says that a call of a provider has taken effect, and cuts its connection. */
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
    // All that a connection begins with is the same for its double: from then on two sessions execute every statement, and whether the first one's answer or the second one's comes back is open.
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
      // Nobody is to meet a server without tables: that is a mistake of whoever runs it, and told as such.
      const reachable = [...proxies.values()].map((proxy) => proxy.refuse());
      await Promise.all([...proxies.values()].map((proxy) => proxy.cut()));
      // Making a server from nothing takes longer than the checks wait; what it knew of locks is as gone with their tables.
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
    const asked = provider.inspect('is anybody there?');
    return await asked.then(
      () => true,
      () => false,
    );
  });
}
