import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openProvider } from '../support/providers.ts';
import { getChildren } from '../../src/wire/requests.ts';
import { layouts } from '../support/layouts.ts';
import { openClient, valueOf, ownProxy } from '../support/sessions.ts';
import { rewriteReplies, withError } from '../support/rewrite.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500 });
const witness = await openClient([server]);

/** No version of ZooKeeper has this error. */
const unknown = -999;

test.each(layouts)('$name: an unknown error does not say for certain that no node was made', async (layout) => {
  const { node, within, mode, options } = layout;
  const root = `/${randomUUID()}`;
  let armed = false;
  const replies = rewriteReplies((reply) => {
    if (!armed || !reply.frame.includes(node)) return reply.frame;
    armed = false;
    return withError(reply, unknown);
  });
  const proxy = await ownProxy(server, replies);
  const provider = openProvider(proxy, { root, ...options });
  const claim = { key: 'key', owner: randomUUID(), mode, ttl: 10_000 } as const;
  const first = { ...claim, owner: randomUUID() };
  expect(await provider.tryAcquire(first)).toMatchObject({ granted: true });
  expect(await provider.release(first)).toBe(true);
  const nodes = async (): Promise<readonly string[]> => {
    const path = options.fair === false ? root : `${root}/key${within}`;
    return valueOf(await witness.send(getChildren(path))).children.filter((name) => name.includes(node));
  };

  armed = true;
  await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(armed).toBe(false);
  expect(await nodes()).toHaveLength(1);
  await provider.release(claim);
  expect(await nodes()).toEqual([]);

  armed = true;
  const next = { ...claim, owner: randomUUID() };
  await expect(provider.tryAcquire(next)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(await provider.tryAcquire(next)).toMatchObject({ granted: true });
  expect(await nodes()).toHaveLength(1);
  expect(await provider.release(next)).toBe(true);
});
