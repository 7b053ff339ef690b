import { describe, expect, onTestFinished, test } from 'vitest';
import { statements } from '../../src/mysql/statements.ts';
import { connect, rowsOf, startServer, urlOfUser, withClient, serverOfFile } from './support/database.ts';
import { createTables, newDatabase } from '../support/databases.ts';
import { blockRow, expectFree, join, untilBlocked } from '../servers/parties.ts';
import type { Party } from '../servers/parties.ts';
import { misconfigured, unavailable } from '../../../core/test/support/lock-error.ts';
import { borrow } from '../support/borrow.ts';

const server = await serverOfFile();
const { url } = server;

/** A party each of whose connections begins with `setting`. */
function joinWith(setting: string | undefined, options: object = {}): Party {
  const afterCreate = (
    connection: { query(sql: string, done: (error: unknown) => void): void },
    done: (error: unknown, connection: unknown) => void,
  ): void => connection.query(setting ?? 'DO 0', (error) => done(error, connection));
  return join({ uri: url, ...options }, { pool: { min: 0, max: 4, afterCreate } });
}

const claimOf = (key: string) => ({ key, owner: 'me/1', ttl: 30_000, mode: 'exclusive' }) as const;

/** Every call does what it does elsewhere. */
async function expectAll({ locks, provider }: Party, key: string): Promise<void> {
  const lease = await locks.acquire(key);
  await lease.renew();
  expect(await locks.tryAcquire(key)).toBeNull();
  const { holders } = await locks.inspect(key);
  expect(holders).toMatchObject([{ owner: lease.owner, mode: 'exclusive', token: lease.token }]);
  expect(holders[0]!.remaining).toBeGreaterThan(3_000);
  expect(holders[0]!.remaining).toBeLessThanOrEqual(5_000);
  const served: number[] = [];
  const waiting = [1, 2, 3].map((index) =>
    locks.withLock(key, () => void served.push(index), { mode: 'shared', permits: 2 }),
  );
  await expect.poll(async () => (await locks.inspect(key)).waiters).toBe(3);
  expect(await lease.release()).toBe(true);
  await Promise.all(waiting);
  expect(served.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  // Two processes that wait for the row at once.
  const free = await blockRow(url, key);
  const claims = [1, 2].map((index) => ({ key, owner: `waits/${index}`, ttl: 5_000, mode: 'exclusive' }) as const);
  const answers = claims.map((claim) => provider.tryAcquire(claim));
  await untilBlocked(url, 2);
  await free();
  const granted = (await Promise.all(answers)).filter((answer) => answer.granted);
  expect(granted).toHaveLength(1);
  expect(granted[0]!.granted && granted[0]!.token > lease.token).toBe(true);
  for (const claim of claims) await provider.release(claim);
}

const strict = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,ONLY_FULL_GROUP_BY';

describe.each([
  ["tx_isolation = 'READ-UNCOMMITTED'"],
  ["tx_isolation = 'READ-COMMITTED'"],
  ["tx_isolation = 'REPEATABLE-READ', SESSION innodb_snapshot_isolation = ON"],
  ["tx_isolation = 'SERIALIZABLE', SESSION innodb_snapshot_isolation = ON"],
  ["sql_mode = ''"],
  ["sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,IGNORE_SPACE,HIGH_NOT_PRECEDENCE'"],
  [`sql_mode = '${strict}'`],
  ["sql_mode = 'SIMULTANEOUS_ASSIGNMENT,NO_UNSIGNED_SUBTRACTION,EMPTY_STRING_IS_NULL'"],
  ["time_zone = '+13:00'"],
  ["time_zone = '-11:30'"],
  ['character_set_connection = latin1, SESSION collation_connection = latin1_general_cs'],
])('where sessions have %s', (setting) => {
  test('every call does what it does elsewhere, also after a wait for the row', async () => {
    await expectAll(joinWith(`SET SESSION ${setting}`), `job ${setting.replaceAll(/\W/g, '')}`);
  });
});

test('the tables are made alike under any mode of the session that makes them', async () => {
  const at = await newDatabase(server.url, 'CHARACTER SET latin1 COLLATE latin1_swedish_ci');
  await withClient(server.url, (client) =>
    client.query(`SET GLOBAL sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,SIMULTANEOUS_ASSIGNMENT'`),
  );
  onTestFinished(() =>
    withClient(server.url, (client) => client.query('SET GLOBAL sql_mode = DEFAULT')).then(() => {}),
  );
  await createTables(at);
  const { locks } = join(at);
  const lease = await locks.acquire('job');
  const waiting = locks.withLock('job', () => 'served', { mode: 'shared' });
  await expect.poll(async () => (await locks.inspect('job')).waiters).toBe(1);
  await lease.release();
  expect(await waiting).toBe('served');
});

describe.each([
  ['that wants big numbers as strings', { supportBigNumbers: true, bigNumberStrings: true }],
  ['that has big numbers as numbers', { supportBigNumbers: false, decimalNumbers: true, dateStrings: true }],
  ['that casts values', { typeCast: () => 'not what the server said' }],
  ['that wants rows as arrays', { rowsAsArray: true, nestTables: true, namedPlaceholders: true }],
  ['that counts changed rows only', { flags: '-FOUND_ROWS' }],
  ['with another character set', { charset: 'latin1' }],
  ['with another time zone', { timezone: '+09:00' }],
])('a connection %s', (_name, options) => {
  test('makes no difference', async () => {
    await expectAll(joinWith(undefined, options), `job ${_name}`);
  });

  test('has tokens up to 2^53 exact', async () => {
    const { provider } = joinWith(undefined, options);
    const claim = { key: `token ${_name}`, owner: 'me/1', ttl: 5_000, mode: 'exclusive' } as const;
    const floor = 2n ** 53n - 3n;
    expect(await provider.tryAcquire({ ...claim, floor })).toEqual({ granted: true, token: floor + 1n });
    expect((await provider.inspect(claim.key)).holders).toMatchObject([{ token: floor + 1n }]);
    expect(await provider.renew(claim, floor + 2n)).toEqual({});
    expect((await provider.inspect(claim.key)).holders).toMatchObject([{ token: floor + 2n }]);
    expect(await provider.renew(claim, floor + 1n)).toBe(false);
    await provider.release(claim);
    const share = { ...claim, key: `shared ${claim.key}`, mode: 'shared' } as const;
    expect(await provider.tryAcquire({ ...share, floor })).toEqual({ granted: true, token: floor + 1n });
    await provider.release(share);
  });
});

describe('a session without autocommit', () => {
  test('is refused, and told what to do', async () => {
    const { locks } = joinWith('SET SESSION autocommit = 0');
    await expect(locks.tryAcquire('uncommitted')).rejects.toMatchObject(misconfigured('autocommit'));
  });

  test.each(['SET SESSION autocommit = 0', 'START TRANSACTION'])(
    'is noticed when it becomes so by %s',
    async (setting) => {
      const party = join(url);
      const { locks, knex } = party;
      const key = `left open by ${setting}`;
      const [warm, sharer] = [await locks.acquire(key), { mode: 'shared' } as const];
      await warm.release();
      for (const options of [{}, sharer]) {
        const { connections, giveBack } = await borrow(knex);
        await new Promise<void>((resolve) => void connections[0]!.query(setting, resolve));
        await giveBack();
        if (options === sharer) {
          // The procedure does nothing in it, so the call is repeated over another one.
          expect(await (await locks.tryAcquire(key, options))?.release()).toBe(true);
        } else {
          await expect(locks.tryAcquire(key, options)).rejects.toMatchObject({
            code: 'LOCK_UNAVAILABLE',
            cause: { message: expect.stringContaining('COMMIT') as string },
          });
        }
        await expectFree(join(url), key);
        await knex.destroy();
        knex.initialize();
      }
    },
  );
});

test.each<[string, (party: Party) => Promise<unknown>]>([
  ['an attempt', ({ provider }) => provider.tryAcquire(claimOf('other'))],
  ['a renewal', ({ provider }) => provider.renew(claimOf('held'))],
  ['a release', ({ provider }) => provider.release(claimOf('held'))],
])('a server that becomes read only takes no change over an open connection: %s', async (_, call) => {
  // The owner of the procedures may write to such a server, and the user may not.
  const own = await urlOfUser(server, 'user_of_locks', 'SELECT, INSERT, UPDATE, EXECUTE');
  const party = join(own, { pool: { min: 0, max: 1 } });
  await party.provider.tryAcquire(claimOf('held'));
  await withClient(url, (client) => client.query('SET GLOBAL read_only = ON'));
  onTestFinished(() => withClient(url, (client) => client.query('SET GLOBAL read_only = OFF')).then(() => {}));
  await expect(call(party)).rejects.toMatchObject(unavailable(/read.only/));
});

describe('the clock', () => {
  test('is not disturbed by a change of the time zone within a statement', async () => {
    const client = await connect(url);
    const elapsed = async (began: string, now: string): Promise<unknown> => {
      const sql = statements.elapsed
        .replace('NOW(6)', `TIMESTAMP '${began}'`)
        .replace('SYSDATE(6)', `TIMESTAMP '${now}'`);
      return (await rowsOf(client, `SELECT ${sql} AS elapsed`))[0]?.['elapsed'];
    };
    expect(await elapsed('2026-03-29 01:59:59.5', '2026-03-29 03:00:00.75')).toBe(1_250_000);
    expect(await elapsed('2026-10-25 02:59:59.5', '2026-10-25 02:00:00.75')).toBe(1_250_000);
    expect(await elapsed('2026-04-05 01:59:59.9', '2026-04-05 01:30:00.0')).toBe(100_000);
    expect(await elapsed('2026-01-01 00:00:00.0', '2026-01-01 00:10:00.0')).toBe(600_000_000);
    // A clock that was set back a little.
    expect(await elapsed('2026-01-01 00:00:00.5', '2026-01-01 00:00:00.3')).toBe(-200_000);
  });

  test('agrees with that of the procedures, in any time zone', async () => {
    const client = await connect(url);
    for (const zone of ['+13:00', '-11:30', 'SYSTEM']) {
      await client.query('SET SESSION time_zone = ?', [zone]);
      const sql = statements.clock.replaceAll('{elapsed}', statements.elapsed);
      const [row] = await rowsOf(client, `SELECT SLEEP(0.3), ${sql} - UNIX_TIMESTAMP(NOW(6)) * 1000000 AS difference`);
      expect(Number(row?.['difference'])).toBeGreaterThanOrEqual(300_000);
      expect(Number(row?.['difference'])).toBeLessThan(3_000_000);
    }
  });
});

test('a server whose SYSDATE stands still within a statement is served by procedures', async () => {
  const own = await startServer('--sysdate-is-now');
  onTestFinished(() => own.stop());
  await createTables(own.url);
  const { locks, provider } = join(own.url);
  const claim = { key: 'job', owner: 'first/1', ttl: 1_000, mode: 'exclusive' } as const;
  expect((await provider.tryAcquire(claim)).granted).toBe(true);
  expect(await provider.renew(claim)).toEqual({});
  expect(await provider.release(claim)).toBe(true);
  const free = await blockRow(own.url, 'job');
  const second = provider.tryAcquire({ ...claim, owner: 'second/1', ttl: 20_000 });
  await untilBlocked(own.url, 1, 1_200);
  await free();
  expect((await second).granted).toBe(true);
  const [holder] = (await locks.inspect('job')).holders;
  expect(holder?.remaining).toBeGreaterThan(19_000);
  expect(await provider.renew(claim)).toBe(false);
});
