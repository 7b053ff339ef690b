import { conformanceTests } from '@locks/conformance/vitest';
import { startEtcdCluster } from '@locks/test-servers';
import { afterAll } from 'vitest';
import { createEtcdProvider } from '../../../src/index.ts';
import { ownPrefix } from '../../support/etcd.ts';
import { inOneProcess } from '../../../../conformance/test/support/selection.ts';

const cluster = await startEtcdCluster();
afterAll(() => cluster.stop());
const [prefix, { servers }] = [ownPrefix(), cluster];
let next = 0;

/** Each provider begins with another member. */
function endpoints(): readonly string[] {
  const from = next++ % servers.length;
  const order = [...servers.slice(from), ...servers.slice(0, from)];
  return order.map(({ host, port }) => `${host}:${port}`);
}

const options = { prefix, timeout: 15_000, waiterTtl: 3_000 };
conformanceTests({
  name: 'etcd, three members',
  create: () => createEtcdProvider({ ...options, endpoints: endpoints() }),
  createOther: () => createEtcdProvider({ ...options, endpoints: endpoints(), waiterTtl: 1_000 }),
  only: inOneProcess,
});
