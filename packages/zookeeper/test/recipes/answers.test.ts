import { randomUUID } from 'node:crypto';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { getChildren, getData, setData } from '../../src/wire/requests.ts';
import { layouts } from '../support/layouts.ts';
import { openProvider } from '../support/providers.ts';
import { rewriteReplies, withError } from '../support/rewrite.ts';
import { ownServer } from '../support/servers.ts';
import { makeNode, openClient, ownProxy, valueOf } from '../support/sessions.ts';

const server = await ownServer({ tickTime: 500 });
const witness = await openClient([server]);

test.each(layouts)(
  '$name: where every answer comes late, a hold that was ended by force is noticed all the same',
  async ({ mode, options }) => {
    const root = `/${randomUUID()}`;
    const proxy = await ownProxy(server);
    const [slow, near] = [proxy, server].map((at) => openProvider(at, { root, sessionTimeout: 6_000, ...options }));
    if (slow === undefined || near === undefined) throw new Error('two providers');
    const claim = { key: 'key', owner: randomUUID(), mode, ttl: 10_000 } as const;
    const next = { ...claim, owner: randomUUID(), mode: 'exclusive' } as const;
    expect(await slow.tryAcquire(claim)).toMatchObject({ granted: true });
    // A renewal waits 667 ms.
    const inTime = proxy.delay(750, 'replies');
    expect(await slow.renew(claim)).toMatchObject({ validity: expect.any(Number) as number });
    expect(await near.release(claim)).toBe(true);
    expect(await near.tryAcquire(next)).toMatchObject({ granted: true });

    await eventually('the end of the hold', async () => (await slow.renew(claim)) === false);
    inTime();

    expect(await slow.release(claim)).toBe(false);
    expect(await near.renew(next)).not.toBe(false);
    expect(await near.release(next)).toBe(true);
    expect(await near.inspect('key')).toEqual({ key: 'key', holders: [], waiters: 0 });
    const again = { ...claim, owner: randomUUID() };
    expect(await slow.tryAcquire(again)).toMatchObject({ granted: true });
    expect(await slow.release(again)).toBe(true);
  },
  30_000,
);

test.each(layouts)('$name: a claim that is refused for good leaves the key free', async ({ mode, options }) => {
  const root = `/${randomUUID()}`;
  const [refused, other] = [openProvider(server, { root, ...options }), openProvider(server, { root, ...options })];
  await Promise.all([refused.connect(10_000), other.connect(10_000)]);
  const claim = { key: 'key', owner: randomUUID(), mode, ttl: 10_000 } as const;
  const { data } = valueOf(await witness.send(getData(`${root}/@base`)));
  valueOf(await witness.send(setData(`${root}/@base`, Buffer.from('unreadable'))));

  await expect(refused.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });

  valueOf(await witness.send(setData(`${root}/@base`, data)));
  const next = { ...claim, owner: randomUUID(), mode: 'exclusive' } as const;
  expect(await other.tryAcquire(next)).toMatchObject({ granted: true });
  expect(await refused.release(claim)).toBe(false);
  expect(await other.renew(next)).not.toBe(false);
  expect(await other.release(next)).toBe(true);
  expect(await refused.tryAcquire(claim)).toMatchObject({ granted: true });
  expect(await refused.release(claim)).toBe(true);
});

test.each(layouts)('$name: a node of another program at the key is named, and stays', async ({ mode, options }) => {
  const root = `/${randomUUID()}`;
  await makeNode(witness, root, 'persistent');
  await makeNode(witness, `${root}/key`, 'ephemeral');
  const provider = openProvider(server, { root, ...options });
  const claim = { key: 'key', owner: randomUUID(), mode, ttl: 10_000 } as const;
  const message = expect.stringContaining('the lock of another program') as string;
  await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED', message });
  expect(valueOf(await witness.send(getChildren(root))).children).toContain('key');
});

/** No version of ZooKeeper has this error. */
const unknown = -999;

test.each(layouts)('$name: a garbled path of a new node is not kept', async ({ node, mode, options }) => {
  const root = `/${randomUUID()}`;
  let garbled = false;
  const replies = rewriteReplies(({ frame }) => {
    const at = frame.indexOf(node);
    if (garbled || at === -1) return frame;
    garbled = true;
    frame.writeUInt8(0, at - 1);
    return frame;
  });
  const provider = openProvider(await ownProxy(server, replies), { root, ...options });
  const claim = { key: 'key', owner: randomUUID(), mode, ttl: 10_000 } as const;
  await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(garbled).toBe(true);
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  expect(await provider.release(claim)).toBe(true);
});

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
    return valueOf(await witness.send(getChildren(`${root}/key${within}`))).children.filter((name) =>
      name.includes(node),
    );
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
