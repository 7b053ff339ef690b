import type { Client } from 'node-zookeeper-client';
import type { Held } from '../../subjects/party.ts';
import { changeOf, childrenOf, closeClient, connectClient, createContender, makePath, remove } from '../client.ts';
import type { ZookeeperSubject } from './subject.ts';

const root = '/raw';

/**
 * The minimal lock on ZooKeeper: an ephemeral sequential node and the list of its siblings in one
 * flight, a watch of the previous one, and a removal. No token, no parents, and no handling of lost
 * sessions or replies.
 */
export const raw: ZookeeperSubject = {
  name: 'raw client',
  async open(url) {
    const client = await connectClient(url);
    const parents = new Set<string>();
    return {
      async acquire(key) {
        const parent = `${root}/${encodeURIComponent(key)}`;
        if (!parents.has(parent)) {
          await makePath(client, parent);
          parents.add(parent);
        }
        return await acquire(client, parent);
      },
      close: () => closeClient(client),
    };
  },
};

async function acquire(client: Client, parent: string): Promise<Held> {
  const [path, first] = await Promise.all([createContender(client, `${parent}/lock-`), childrenOf(client, parent)]);
  const own = path.slice(parent.length + 1);
  let before = predecessor(first, own);
  while (before !== undefined) {
    await changeOf(client, `${parent}/${before}`);
    before = predecessor(await childrenOf(client, parent), own);
  }
  return { release: () => remove(client, path) };
}

/** All names are equally long and differ only in the number at their end. */
function predecessor(names: readonly string[], own: string): string | undefined {
  let last: string | undefined;
  for (const name of names) if (name < own && (last === undefined || name > last)) last = name;
  return last;
}
