import type { Faults } from '@locks/conformance';
import { proxiedProviders } from '@locks/conformance/faults';
import type { LockProvider } from '@locks/core';
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
  const proxied = proxiedProviders({ target: server, make: (proxy) => make(proxy.url(url)), dropReply });
  const faults: Faults = {
    // A connection and its double begin with the same bytes. From then on two sessions execute
    // every statement. The answer of either may come back.
    ...proxied.faults,
    async pause() {
      await server.pause();
      return () => server.resume();
    },
    restart: () => server.restart(),
    async restartEmpty() {
      // No client may meet a server without tables: it would say that its operator made a mistake.
      const { proxies } = proxied;
      const reachable = proxies.map((proxy) => proxy.refuse());
      await Promise.all(proxies.map((proxy) => proxy.cut()));
      // Making a server from nothing takes longer than the checks wait; what it knew of locks is as
      // gone with their tables.
      await forget();
      await server.restart();
      await prepare();
      for (const end of reachable) end();
    },
  };
  return { create: proxied.create, faults };
}
