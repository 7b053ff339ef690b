import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { collect, eventually } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { openProvider } from '../support/providers.ts';
import type { SessionMessage } from '../../src/session/session-channel.ts';
import type { Session } from '../../src/session/session.ts';
import { multi } from '../../src/wire/multi.ts';
import { exists } from '../../src/wire/requests.ts';
import { countsOf } from '../support/counts.ts';
import { makeNode, openAcl, openSession, valueOf } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500 });

/** Makes nodes under `root` whose names have more than `bytes` together. */
async function fill(session: Session, root: string, bytes: number): Promise<void> {
  const name = 'x'.repeat(500);
  const batch = 500;
  for (let made = 0; made * name.length < bytes; made += batch) {
    const nodes = Array.from({ length: batch }, (_, index) => {
      const path = `${root}/${name}${made + index}`;
      return { type: 'create', path, kind: 'persistent', data: Buffer.alloc(0), acl: openAcl } as const;
    });
    expect(valueOf(await session.send(multi(nodes))).committed).toBe(true);
  }
}

test('a list that is longer than an answer may be does no harm to the session that carries the locks', async () => {
  const filler = await openSession([server], { sessionTimeout: 30_000 });
  const root = `/${randomUUID()}`;
  await makeNode(filler, root, 'persistent');
  await fill(filler, root, 4 * 1024 * 1024);
  const states: SessionMessage[] = [];
  const note = (message: unknown): void => void states.push(message as SessionMessage);
  subscribe('locks:session', note);
  onTestFinished(() => void unsubscribe('locks:session', note));
  const provider = openProvider(server, { root });
  const claim = { key: 'held', owner: randomUUID(), mode: 'exclusive', ttl: 10_000 } as const;
  const grant = await provider.tryAcquire(claim);
  // Sessions of other files in this process may end at any time.
  const { session: own } = states.find(({ state }) => state === 'connected') ?? {};
  expect(own).toBeDefined();
  const { connections, sessions } = await countsOf(server);

  expect(await collect(provider.list(''))).toEqual(['held']);
  expect(await collect(provider.list('h'))).toEqual(['held']);
  expect(await collect(provider.list('other'))).toEqual([]);

  expect(states.filter(({ session }) => session === own).map(({ state }) => state)).toEqual(['connected']);
  expect(grant).toMatchObject({ granted: true });
  expect(valueOf(await filler.send(exists(`${root}/held`))).numChildren).toBe(1);
  await eventually('the end of the connection of the list', async () => {
    const counts = await countsOf(server);
    return counts.connections === connections && counts.sessions === sessions;
  });
  expect(await provider.release(claim)).toBe(true);
});

test('a provider that is closed while it lists leaves no connection', async () => {
  const { connections, sessions } = await countsOf(server);
  const provider = openProvider(server);
  await provider.connect(10_000);
  const list = collect(provider.list(''));
  list.catch(() => {});
  await provider.close();
  await expect(list).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  await eventually('the end of all connections', async () => {
    const counts = await countsOf(server);
    return counts.connections === connections && counts.sessions === sessions;
  });
});
