import { startZookeeper } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { TestProject } from 'vitest/node';
import { preparePeers } from './tools.ts';
import type { PeerPrograms } from './tools.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** host:port of a ZooKeeper for the files of test/interop, which do not break it. */
    interopAddress: string;
    peerPrograms: PeerPrograms;
  }
}

let server: ServerHandle | undefined;
let remove: (() => Promise<void>) | undefined;

export async function setup(project: TestProject): Promise<void> {
  const peers = await preparePeers();
  remove = peers.remove;
  // Short sessions, because the places of killed processes last as long; empty containers go soon,
  // because the names in them count from 0 then.
  server = await startZookeeper({ tickTime: 500, javaProperties: { 'znode.container.checkIntervalMs': '500' } });
  project.provide('interopAddress', `${server.host}:${server.port}`);
  project.provide('peerPrograms', peers.programs);
}

export async function teardown(): Promise<void> {
  await server?.stop();
  await remove?.();
}
