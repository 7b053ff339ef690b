import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startZookeeper } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { TestProject } from 'vitest/node';
import { tableOf } from './table.ts';
import { preparePeers } from './tools.ts';
import type { PeerPrograms } from './tools.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** host:port of a ZooKeeper for the files of test/interop, which do not break it. */
    interopAddress: string;
    peerPrograms: PeerPrograms;
    /** The file that the table's cells are noted down in. */
    interopTable: string;
  }
}

let server: ServerHandle | undefined;
let folder: string | undefined;
let remove: (() => Promise<void>) | undefined;

export async function setup(project: TestProject): Promise<void> {
  const peers = await preparePeers();
  remove = peers.remove;
  // Short sessions, because the places of killed processes last as long; empty containers go soon,
  // because the names in them count from 0 then.
  server = await startZookeeper({ tickTime: 500, javaProperties: { 'znode.container.checkIntervalMs': '500' } });
  project.provide('interopAddress', `${server.host}:${server.port}`);
  project.provide('peerPrograms', peers.programs);
  folder = await mkdtemp(join(tmpdir(), 'locks-test-interop-'));
  await writeFile(tableIn(folder), '');
  project.provide('interopTable', tableIn(folder));
}

export async function teardown(): Promise<void> {
  if (folder !== undefined) {
    console.log(`\n${await tableOf(tableIn(folder))}\n`);
    await rm(folder, { recursive: true });
  }
  await server?.stop();
  await remove?.();
}

function tableIn(path: string): string {
  return join(path, 'table');
}
