import { startZookeeper, startZookeeperEnsemble } from '@locks/test-servers';
import type { ServerHandle, ZookeeperEnsemble } from '@locks/test-servers';
import { afterAll } from 'vitest';

/** A server that stops at the end of the test file. */
export async function ownServer(options?: Parameters<typeof startZookeeper>[0]): Promise<ServerHandle> {
  const server = await startZookeeper(options);
  afterAll(() => server.stop());
  return server;
}

/** An ensemble that stops at the end of the test file. */
export async function ownEnsemble(options?: Parameters<typeof startZookeeperEnsemble>[0]): Promise<ZookeeperEnsemble> {
  const ensemble = await startZookeeperEnsemble(options);
  afterAll(() => ensemble.stop());
  return ensemble;
}
