// Locks of @locks/zookeeper, driven over standard input and output like the other peers, see
// ../support/peer.ts. Arguments: connect string, session timeout in ms, recipe, root, and "client"
// for sessions over node-zookeeper-client. It ends with its standard input.
import { createInterface } from 'node:readline';
import { createLocks } from '@locks/core';
import { createZookeeperProvider } from '@locks/zookeeper';
import { createClient } from 'node-zookeeper-client';
import { openClient } from '../support/client.mjs';

const [servers, sessionTimeout, recipe, root, over] = process.argv.slice(2);
const provider = createZookeeperProvider({
  ...(over === 'client'
    ? { client: () => createClient(servers, { sessionTimeout: Number(sessionTimeout) }) }
    : { servers, sessionTimeout: Number(sessionTimeout) }),
  recipe,
  root,
  acl: 'open',
});
const locks = createLocks(provider);
const client = await openClient(servers, Number(sessionTimeout));
const releases = new Map();

function answer(...words) {
  process.stdout.write(`${words.join(' ').replaceAll('\n', ' ')}\n`);
}

function acquire(kind, path, permits, wait) {
  const options = { mode: kind, wait, ...(Number(permits) === 0 ? {} : { permits: Number(permits) }) };
  return locks.acquire(path.slice(root.length + 1), options);
}

/**
 * Adds one to the number in a node, without a check of its version; how many are inside with us.
 */
async function visit(path) {
  const own = await client.create(`${path}/inside-`, '', 'EPHEMERAL_SEQUENTIAL');
  const most = await inside(path);
  const count = Number(await client.read(path));
  await client.write(path, `${count + 1}`);
  await client.remove(own);
  return most;
}

async function inside(path) {
  return (await client.children(path)).length;
}

async function serve(id, command, kind, path, permits, ...rest) {
  try {
    if (command === 'acquire') {
      const released = new Promise((resolve) => releases.set(id, resolve));
      const lease = await acquire(kind, path, permits, Number(rest[0]));
      answer(id, 'acquired');
      await released;
      await lease.release();
      answer(id, 'released');
      return;
    }
    let most = 0;
    for (let round = 0; round < Number(rest[1]); round += 1) {
      const lease = await acquire(kind, path, permits, 60_000);
      most = Math.max(most, await (command === 'contend' ? visit(rest[0]) : inside(rest[0])));
      await lease.release();
    }
    answer(id, 'done', most);
  } catch (error) {
    if (error.code === 'LOCK_TIMEOUT') answer(id, 'timeout');
    else answer(id, 'error', String(error));
  }
}

answer(0, 'ready');
for await (const line of createInterface(process.stdin)) {
  const [id, command, ...rest] = line.split(' ');
  if (command === 'release') releases.get(id)();
  else void serve(id, command, ...rest);
}
await locks.close();
await provider.close();
process.exit(0);
