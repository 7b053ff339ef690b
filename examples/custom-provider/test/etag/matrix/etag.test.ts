import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { requirements } from '@locks/conformance';
import { proxiedProviders } from '@locks/conformance/faults';
import { conformanceTests } from '@locks/conformance/vitest';
import { create as connect } from '../etag-store.js';

const folder = await mkdtemp(join(tmpdir(), 'locks-etag-'));
const file = join(folder, 'documents');
let server: ChildProcess;

/** Whether it listens. It does not where the port is taken. */
async function start(port: number): Promise<boolean> {
  server = fork(new URL('../etag-server.mjs', import.meta.url), [`${port}`, file], { execArgv: [] });
  return await Promise.race([once(server, 'message').then(() => true), once(server, 'exit').then(() => false)]);
}

/** Below the ports of outgoing connections, of which one could take it during a restart. */
async function startAnywhere(): Promise<number> {
  const free = randomInt(12_000, 32_000);
  return (await start(free)) ? free : await startAnywhere();
}

async function stop(): Promise<void> {
  const exited = once(server, 'exit');
  server.kill('SIGKILL');
  await exited;
}

await writeFile(file, '');
const port = await startAnywhere();
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true });
});

/** Shorter than usual, for several requirements wait for it. */
const timeout = 2_000;
const proxied = proxiedProviders({
  target: { host: '127.0.0.1', port },
  make: (proxy) => connect({ url: `http://${proxy.host}:${proxy.port}`, timeout }),
  dropReply: (proxy) => void proxy.dropReply({ when: (piece) => piece.toString('latin1').startsWith('PUT ') }),
});

/**
 * Over HTTP: calls, and what becomes of them when a connection or the server ends. With
 * LOCKS_TEST_WHOLE the whole suite; conformance.long.test.ts has it over a folder in any case.
 */
const only = requirements
  .map(({ id }) => id)
  .filter(
    (id) =>
      process.env['LOCKS_TEST_WHOLE'] !== undefined ||
      /^(?:record-|exclusion|release-|repeat-|renew-|token-|wake-|close-|sever-|lost-reply|duplicate-|silence-|restart-)/.test(
        id,
      ),
  );

conformanceTests({
  name: 'etag',
  only,
  create: proxied.create,
  createOther: () => connect({ url: `http://127.0.0.1:${port}`, waiterTtl: 900 }),
  processes: { module: new URL('../etag-store.js', import.meta.url), args: { url: `http://127.0.0.1:${port}` } },
  faults: {
    ...proxied.faults,
    async pause() {
      server.kill('SIGSTOP');
      return async () => void server.kill('SIGCONT');
    },
    async restart() {
      await stop();
      await start(port);
    },
    async restartEmpty() {
      await stop();
      await writeFile(file, '');
      await start(port);
    },
  },
});
