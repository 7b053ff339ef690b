import { createLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { eventually, startProxy, type Proxy } from '@locks/test-servers';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { exists } from '../../src/wire/requests.ts';
import { openChance } from './support/chance.ts';
import { Witness } from './support/witness.ts';
import { ownServer } from '../support/servers.ts';

const sessionTimeout = 9_000;
const root = '/suspension';
const rounds = Math.max(1, Math.round(Number(process.env['LOCKS_FAULT_ROUNDS'] ?? 0) / 10));

const chance = openChance();
const server = await ownServer({ tickTime: 500, maxSessionTimeout: 60_000 });

interface Place {
  readonly host: string;
  readonly port: number;
}

function open({ host, port }: Place, label: string): Locks {
  const options = { root, acl: 'open', sessionTimeout, timeout: 400 } as const;
  return createLocks(createZookeeperProvider({ servers: `${host}:${port}`, ...options }), { label });
}

/** Ends the connections in one way or another; returns what lets them come again. */
const cuts: Readonly<Record<string, (proxy: Proxy) => Promise<() => Promise<void>>>> = {
  async 'connections are reset and refused'(proxy) {
    const admit = proxy.refuse();
    await proxy.cut();
    return () => Promise.resolve(admit());
  },
  'nothing arrives': (proxy) => Promise.resolve(proxy.silence()),
};

test.each(Object.keys(cuts))(
  `${rounds} x %s for less than the deadline: leases, tokens and positions in the queue are kept, and nothing is granted meanwhile`,
  async (name) => {
    const cut = cuts[name];
    if (cut === undefined) throw new Error(`there is no cut "${name}"`);
    for (let round = 0; round < rounds; round += 1) {
      const history = createHistory(() => performance.now());
      await using proxy = await startProxy(server);
      await using witness = new Witness([server], root);
      const watching = await witness.session();
      await using here = open(proxy, 'here');
      await using elsewhere = open(server, 'elsewhere');
      const [kept, queue, fresh, waited] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];

      const lease = await here.acquire(kept);
      history.granted('here', lease);
      const before = await here.inspect(kept);
      const nodeOf = async (): Promise<bigint> => {
        const [node = ''] = await witness.children(watching, kept);
        const answer = await watching.send(exists(`${root}/${kept}/${node}`));
        return answer.ok ? answer.value.ephemeralOwner : 0n;
      };
      const session = await nodeOf();
      const first = await elsewhere.acquire(queue);
      history.granted('elsewhere', first);
      const order: string[] = [];
      const served: Promise<void>[] = [];
      const names: string[] = [];
      for (const [index, locks] of [here, elsewhere, here, elsewhere, here].entries()) {
        const label = `${locks === here ? 'here' : 'elsewhere'} ${index}`;
        names.push(label);
        const serve = async (next: Lease): Promise<void> => {
          order.push(label);
          history.granted(label, next);
          history.released(next);
          await next.release();
        };
        served.push(locks.acquire(queue).then(serve));
        await eventually(
          `${index + 1} wait`,
          async () => (await witness.children(watching, queue)).length === index + 2,
        );
      }
      const places = await witness.children(watching, queue);

      const restore = await cut(proxy);
      const cutAt = performance.now();
      // Silence is noticed when a heartbeat is not answered, at the latest after a third of the
      // timeout and a pulse.
      const attempts: Promise<unknown>[] = [];
      const grantedMeanwhile: unknown[] = [];
      let over = false;
      const waiting = here.acquire(waited).then((next) => {
        expect(over, 'a lease was granted while the session was suspended').toBe(true);
        history.granted('here', next);
        return next;
      });
      await first.release();
      history.released(first);
      const until = cutAt + chance.between(1_000, 4_000);
      while (performance.now() < until) {
        const attempt = here.tryAcquire(fresh).then(
          (granted) => void grantedMeanwhile.push(granted),
          (error: unknown) => expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' }),
        );
        attempts.push(attempt);
        await attempt;
        await delay(20);
      }
      expect(attempts.length).toBeGreaterThan(1);
      expect(grantedMeanwhile).toEqual([]);
      expect(order).toEqual([]);
      expect(lease.held).toBe(true);
      // All are where they were, but the holder.
      expect(await witness.children(watching, queue)).toEqual(places.slice(1));
      over = true;
      await restore();

      await Promise.all(served);
      expect(order).toEqual(names);
      const late = await waiting;
      history.released(late);
      expect(await late.release()).toBe(true);
      expect(lease.held).toBe(true);
      expect(lease.signal.aborted).toBe(false);
      await lease.renew();
      expect(await here.inspect(kept)).toEqual(before);
      expect(before.holders).toEqual([{ key: kept, owner: lease.owner, mode: 'exclusive', token: lease.token }]);
      expect(await nodeOf()).toBe(session);
      history.released(lease);
      expect(await lease.release()).toBe(true);
      expect(checkHistory(history.events, { ended: true })).toEqual([]);
      // What was tried in vain is given up.
      await eventually('nothing is left', async () => (await witness.children(watching, fresh)).length === 0);
    }
    console.log(`${name}: ${rounds} rounds, ${chance.note}`);
  },
  30_000 + rounds * 20_000,
);
