import { conformanceTests } from '@locks/conformance/vitest';
import { startRedis } from '@locks/test-servers';
import { afterAll } from 'vitest';
import { breakable } from '../../support/faults.ts';
import { ownPrefix } from '../../support/redis.ts';
import { create } from '../redis-records.mjs';

// A store of two functions under everything that breaks the native provider.
const server = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'no'] });
afterAll(() => server.stop());
const options = { prefix: ownPrefix(), timeout: 2_000, waiterTtl: 3_000 };

const broken = breakable(server, true, (url) => create({ ...options, url }));
conformanceTests({
  name: 'a provider over a conditional write in Redis',
  create: broken.create,
  createOther: () => create({ ...options, url: server.url, waiterTtl: 600 }),
  faults: broken.faults,
  processes: { module: new URL('../redis-records.mjs', import.meta.url), args: { ...options, url: server.url } },
});
