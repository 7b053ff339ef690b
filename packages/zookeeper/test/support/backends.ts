import { startZookeeper } from '@locks/test-servers';
import { afterAll } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import type { Backend } from './conformance.ts';

/** Short units of time, for short sessions; and the server looks often for folders that are empty. */
export const serverOptions = {
  tickTime: 200,
  javaProperties: { 'znode.container.checkIntervalMs': '200', 'zookeeper.forceSync': 'no' },
} as const;

/** One server of the file's own, which it stops at its end. */
export async function startAlone(): Promise<Backend> {
  const server = await startZookeeper(serverOptions);
  afterAll(() => server.stop());
  // What the first provider on a server makes stays there: the root, and the base of tokens.
  const first = createZookeeperProvider({ servers: `${server.host}:${server.port}`, acl: 'open' });
  await first.connect(10_000);
  await first.close();
  return {
    members: [server],
    faults: {
      async pause() {
        await server.pause();
        return () => server.resume();
      },
      restart: () => server.restart(),
      restartEmpty: () => server.restart({ keepData: false }),
    },
  };
}
