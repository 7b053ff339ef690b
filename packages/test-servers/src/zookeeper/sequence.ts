import type { ServerHandle } from '../server/handle.ts';
import { type Change, appendChanges } from './transaction-log.ts';

/** The last sequence number of ZooKeeper: a signed integer of 32 bits. */
const last = 2 ** 31 - 1;

/**
 * Makes `next` the sequence number of the next sequential child of `path`. A missing node is
 * created, open to all clients. Restarts `server`, a ZooKeeper that runs alone as a local process.
 * A lower number than the present one has no effect.
 */
export async function setSequence(server: ServerHandle, path: string, next: number): Promise<void> {
  if (!/^(\/[^/]+)+$/.test(path)) throw new Error(`"path" is "${path}": it starts with "/", and has no empty part`);
  if (!Number.isInteger(next) || next < 0 || next > last)
    throw new Error(`"next" is ${next}: it is an integer from 0 to ${last}`);
  const parts = path.split('/').slice(1);
  const ancestors = parts.map((_, index): Change => {
    return { kind: 'create', path: `/${parts.slice(0, index + 1).join('/')}`, parentCreations: -1 };
  });
  // ZooKeeper numbers children by how many there have been. A change in the log contains this
  // count, so that a replay gives the same numbers.
  const child = `${path}/locks-test-sequence`;
  const changes: readonly Change[] = [
    ...ancestors,
    { kind: 'create', path: child, parentCreations: next },
    { kind: 'delete', path: child },
  ];
  await server.restart({ meanwhile: (dataFolder) => appendChanges(dataFolder, changes) });
}
