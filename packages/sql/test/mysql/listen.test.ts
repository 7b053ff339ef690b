import { systemRuntime } from '@locks/core/adapter';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { rowsOf, withClient, serverOfFile } from './support/database.ts';
import { ownTables } from '../servers/sessions.ts';
import { join } from '../servers/parties.ts';
import { knexClient } from '../../src/clients/knex.ts';
import { createListening } from '../../src/mysql/listen.ts';

const server = await serverOfFile();

test('a wake ends the wait of another process, which then hears of it', async () => {
  const url = await ownTables(server);
  const client = knexClient(join(url).knex);
  const listening = createListening(client, 'woken', systemRuntime);
  let heard = 0;
  const listener = await listening.listen(
    () => {
      heard += 1;
    },
    () => {},
  );
  await withClient(url, async (other) => {
    for (let wakes = 1; wakes <= 5; wakes += 1) {
      const before = heard;
      await other.query(`KILL QUERY IS_USED_LOCK('locks_${listening.name}:wakes')`);
      // The second look, for a wake that came between two waits.
      await eventually('two looks', () => Promise.resolve(heard >= before + 2));
    }
  });
  listener.close();
});

test('both sessions end with the first one, or when the listener is closed', async () => {
  const url = await ownTables(server);
  const client = knexClient(join(url).knex);
  for (const end of ['killed', 'closed']) {
    const listening = createListening(client, end, systemRuntime);
    let reason: unknown;
    const listener = await listening.listen(
      () => {},
      (why) => {
        reason = why;
      },
    );
    const { name } = listening;
    await listener.probe();
    await withClient(url, async (other) => {
      const sessions = async (): Promise<readonly unknown[]> => {
        const sql = 'SELECT IS_USED_LOCK(?) AS keeps, IS_USED_LOCK(?) AS waits';
        const [row] = await rowsOf(other, sql, [`locks_${name}`, `locks_${name}:wakes`]);
        return [row?.['keeps'] as unknown, row?.['waits'] as unknown];
      };
      const [keeper, waiting] = await sessions();
      expect([keeper, waiting]).toEqual([expect.any(Number), expect.any(Number)]);
      if (end === 'closed') listener.close();
      else await other.query(`KILL ${String(keeper)}`);
      await eventually('their end', async () => (await sessions()).every((id) => id === null));
    });
    expect(listening.name).toBe(end);
    expect(reason === undefined).toBe(end === 'closed');
  }
});
