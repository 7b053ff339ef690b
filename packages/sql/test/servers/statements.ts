import type { ServerHandle } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { contendInTurn, startContender } from './contenders.ts';
import { join } from './parties.ts';

/** What the tests of statements have to know of a kind of server. */
export interface Counting {
  /** Counts the statements that clients send, from now on. */
  count(): Promise<() => Promise<number>>;
  /** How many an acquisition with 100 waiters takes, but for looks. */
  readonly most: number;
  /** How many looks at the queue each process has in a second. */
  readonly looks: number;
  /** A line of the log that says that something is wrong. */
  readonly wrong: RegExp;
}

/** What the lines of the log of `server` from now on say that is wrong. */
export async function complaints(server: ServerHandle, wrong: RegExp): Promise<() => Promise<readonly string[]>> {
  const { length } = await server.log();
  return async () =>
    (await server.log())
      .slice(length)
      .split('\n')
      .filter((line) => wrong.test(line));
}

/** How many statements calls take, on a server with tables. */
export function testStatements(server: ServerHandle, { count, most, looks, wrong }: Counting): void {
  const { url } = server;

  test('an uncontended acquire and release take two statements, a renewal one', async () => {
    const { locks } = join(url, { pool: { min: 0, max: 1 } });
    for (let index = 0; index < 7; index += 1) await (await locks.acquire(`key-${index}`)).release();
    const sent = await count();
    const pairs = 200;
    for (let pair = 0; pair < pairs; pair += 1) await (await locks.acquire(`key-${pair % 7}`)).release();
    expect(await sent()).toBe(2 * pairs);
    const lease = await locks.acquire('renewed', { renew: false });
    await lease.renew();
    const renewals = await count();
    for (let round = 0; round < 20; round += 1) await lease.renew();
    expect(await renewals()).toBe(20);
    await lease.release();
  });

  test('with 100 waiters in two processes an acquisition takes a few, and the server has nothing to log', async () => {
    const contenders = [await startContender(), await startContender()];
    const said = await complaints(server, wrong);
    const sent = await count();
    const task = { url, key: 'contended', workers: 50, rounds: 5, ttl: 30_000 };
    const start = performance.now();
    const acquisitions = (await contendInTurn(contenders, task)).length;
    const span = performance.now() - start;
    // Looks go on however long it takes.
    const each = ((await sent()) - (2 * looks * span) / 1_000) / acquisitions;
    console.log(`statements per acquisition, 100 waiters, 2 processes: ${each.toFixed(2)}, in ${Math.round(span)} ms`);
    expect(each).toBeLessThanOrEqual(most);
    await Promise.all(contenders.map(({ ended }) => ended));
    expect(await said()).toEqual([]);
  });
}
