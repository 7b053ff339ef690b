import { Client } from 'pg';
import { now, sleep } from '../measure/clock.ts';
import type { Crew } from '../crew/crew.ts';
import type { Assignment, CrewReport } from '../crew/crew-messages.ts';

/**
 * The reference: one notification that travels round the processes, each notifying the next after
 * the time of a hold. It is sent by an update that is as durable as any, as a release is. A
 * hand-over takes that, and the acquire that it asks for.
 */
export async function openNotifyCrew({ url, key, process, processes, hold }: Assignment): Promise<Crew> {
  const [sender, listener] = [new Client(url), new Client(url)];
  await Promise.all([sender.connect(), listener.connect()]);
  const channel = (index: number): string => `push_${key.replaceAll(/\W/g, '_')}_${index % processes}`;
  let pushes: number[] = [];
  const name = 'push';
  const text = `WITH written AS (
      INSERT INTO raw_locks (key, version) VALUES ($1, 1) ON CONFLICT (key) DO UPDATE SET version = raw_locks.version + 1
      RETURNING version
    )
    SELECT pg_notify($2, $3) FROM written`;
  const send = async (): Promise<void> => {
    if (hold > 0) await sleep(hold);
    await sender.query({ name, text, values: [Buffer.from(key), channel(process + 1), `${now()}`] });
  };
  listener.on('notification', ({ payload }) => {
    pushes.push(now() - Number(payload));
    send().catch(() => {});
  });
  await listener.query(`LISTEN ${channel(process)}`);

  return {
    done: new Promise(() => {}),
    grants: 0,
    async begin() {
      if (process === 0) await send();
    },
    measure() {
      pushes = [];
    },
    report: (): CrewReport => ({
      claims: new Float64Array(),
      commands: 0,
      failures: 0,
      firstFailure: undefined,
      pushes,
    }),
    async close() {
      await Promise.all([sender.end(), listener.end()]);
    },
  };
}
