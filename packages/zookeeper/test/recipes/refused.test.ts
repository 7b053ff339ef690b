import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openProvider } from '../support/providers.ts';
import { getData, setData } from '../../src/wire/requests.ts';
import { layouts } from '../support/layouts.ts';
import { openClient, valueOf } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500 });
const witness = await openClient([server]);

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
