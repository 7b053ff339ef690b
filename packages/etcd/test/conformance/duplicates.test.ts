import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { closing } from '@locks/test-servers';
import { createEtcdProvider } from '../../src/index.ts';
import { startRequestProxy } from '../support/request-proxy.ts';
import type { RequestProxy } from '../support/request-proxy.ts';
import { sharedServer } from '../support/etcd.ts';
import { duplicates } from '../support/requirements.ts';

// The other fault proxy knows bytes, and a stream of HTTP/2 cannot be repeated.
const proxies = new WeakMap<LockProvider, RequestProxy>();

conformanceTests({
  name: 'etcd, requests that arrive twice',
  async create() {
    const proxy = await startRequestProxy(sharedServer());
    const url = `etcd://${proxy.host}:${proxy.port}/duplicates`;
    const provider = closing(await createEtcdProvider({ url, waiterTtl: 3_000 }), () => proxy.stop());
    proxies.set(provider, proxy);
    return provider;
  },
  faults: {
    async duplicate(provider) {
      const end = proxies.get(provider)?.duplicate();
      return async () => end?.();
    },
  },
  only: duplicates,
});
