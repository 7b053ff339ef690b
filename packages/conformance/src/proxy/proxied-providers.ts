import { setTimeout as delay } from 'node:timers/promises';
import type { LockProvider } from '@locks/core';
import type { Faults } from '../faults/faults.ts';
import type { Target } from './dial.ts';
import { startProxy } from './proxy.ts';
import type { Proxy } from './proxy.ts';

/** How providers reach their server. */
export interface ProxiedOptions {
  /** Where the server listens. */
  readonly target: Target;
  /** Creates a provider that connects to the address of `proxy`. */
  readonly make: (proxy: Proxy) => LockProvider | Promise<LockProvider>;
  /**
   * Prepares that the next command of a provider takes effect, and its reply is lost. Needed if a
   * client also sends other data, such as pings. @default the next request is that command
   */
  readonly dropReply?: ((proxy: Proxy) => void) | undefined;
}

/** Providers of one server, each of which can be cut off from it. */
export interface ProxiedProviders {
  /** The proxies of open providers. */
  readonly proxies: readonly Proxy[];
  /** The hooks that need no control over the server. */
  readonly faults: {
    readonly [Hook in 'sever' | 'silence' | 'dropReply' | 'delay' | 'duplicate']: NonNullable<Faults[Hook]>;
  };
  /** A provider behind a separate proxy, which stops when the provider is closed. */
  create(): Promise<LockProvider>;
  /** The proxy of a provider that `create` made. Throws for any other. */
  proxyOf(provider: LockProvider): Proxy;
}

/** How long a client may take to connect again, in ms. */
const patience = 30_000;

/** Providers with a fault proxy each, for the suite's options `create` and `faults`. */
export function proxiedProviders({
  target,
  make,
  dropReply = (proxy) => void proxy.dropReply(),
}: ProxiedOptions): ProxiedProviders {
  const known = new Map<LockProvider, Proxy>();

  function proxyOf(provider: LockProvider): Proxy {
    const proxy = known.get(provider);
    if (proxy === undefined) throw new Error('A fault was asked for a provider that create() did not make.');
    return proxy;
  }

  return {
    proxyOf,
    get proxies() {
      return [...known.values()];
    },
    async create() {
      const proxy = await startProxy(target);
      const provider = await make(proxy);
      const close = provider.close.bind(provider);
      provider.close = async () => {
        await close();
        known.delete(provider);
        await proxy.stop();
      };
      known.set(provider, proxy);
      return provider;
    },
    faults: {
      sever: (provider) => proxyOf(provider).cut(),
      silence: async (provider, direction) => proxyOf(provider).silence(direction),
      dropReply: async (provider) => dropReply(proxyOf(provider)),
      async delay(provider, ms) {
        const end = proxyOf(provider).delay(ms, 'replies');
        return async () => end();
      },
      async duplicate(provider) {
        const proxy = proxyOf(provider);
        await answers(provider);
        const end = proxy.duplicate();
        // Only new connections are duplicated.
        await proxy.cut();
        await answers(provider);
        return async () => end();
      },
    },
  };
}

async function answers(provider: LockProvider): Promise<void> {
  const end = performance.now() + patience;
  for (;;) {
    try {
      await provider.inspect('any key');
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(5);
    }
  }
}
