import type { Faults } from '@locks/conformance';
import { proxiedProviders } from '@locks/conformance/faults';
import { conformanceTests } from '@locks/conformance/vitest';
import { startEtcd } from '@locks/test-servers';
import { afterAll } from 'vitest';
import { createEtcdProvider } from '../../src/index.ts';
import type { Chosen } from '../../../conformance/test/support/selection.ts';

/**
 * Registers the suite, or those that `only` chooses. It has a server of its own, which it breaks
 * while other files run. `timeout`: of each call, in ms.
 */
export async function suite(name: string, timeout: number, only?: Chosen): Promise<void> {
  const server = await startEtcd();
  afterAll(() => server.stop());
  const { url } = server;
  // Positions in the queue that last shorter than by default: several requirements wait for one to
  // lapse.
  const options = { prefix: 'conformance', timeout, waiterTtl: 3_000 };
  const { create, faults } = proxiedProviders({
    target: server,
    make: (proxy) => createEtcdProvider({ url: proxy.url(url), ...options }),
  });
  const atTheServer: Faults = {
    async pause() {
      await server.pause();
      return () => server.resume();
    },
    restart: () => server.restart(),
    restartEmpty: () => server.restart({ keepData: false }),
  };
  // A stream of HTTP/2 cannot be repeated: duplicates.test.ts has a proxy of its own.
  const { duplicate: _, ...onTheWay } = faults;
  conformanceTests({
    name,
    create,
    createOther: () => createEtcdProvider({ url, ...options, waiterTtl: 1_000 }),
    faults: { ...onTheWay, ...atTheServer },
    processes: { module: new URL('process.mjs', import.meta.url), args: { url, ...options } },
    only,
  });
}
