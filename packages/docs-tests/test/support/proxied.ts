import type { Proxy } from '@locks/conformance/faults';
import { startProxy } from '@locks/test-servers';
import { onTestFinished } from 'vitest';

/** A way to a store through proxies, one for each of its servers. */
export interface Proxied {
  readonly url: string;
  readonly proxies: readonly Proxy[];
}

/** In front of the servers at `url`, until the end of the test. */
export async function proxied(url: string): Promise<Proxied> {
  const proxies: Proxy[] = [];
  let through = url;
  for (const [address, host, port] of url.matchAll(/([\w.-]+):(\d+)(?=[/,?]|$)/g)) {
    const proxy = await startProxy({ host: host as string, port: Number(port) });
    onTestFinished(() => proxy.stop());
    proxies.push(proxy);
    through = through.replace(address, `${proxy.host}:${proxy.port}`);
  }
  return { url: through, proxies };
}
