import type { Redis } from 'ioredis';
import { now, sleep } from '../measure/clock.ts';
import type { Crew } from '../crew/crew.ts';
import type { Assignment, CrewReport } from '../crew/crew-messages.ts';
import { connect } from './counting-client.ts';

/**
 * The reference: one message that circulates among the processes, each publishing to the next after
 * the time of a hold. No hand-over can be faster.
 */
export async function openPushCrew({ url, key, process, processes, hold }: Assignment): Promise<Crew> {
  const { client, counter } = await connect(url);
  const subscriber: Redis = client.duplicate();
  await subscriber.connect();
  const channel = (index: number): string => `${key}/push/${index % processes}`;
  let pushes: number[] = [];
  const send = async (): Promise<void> => {
    if (hold > 0) await sleep(hold);
    await client.publish(channel(process + 1), `${now()}`);
  };
  subscriber.on('message', (_channel: string, sentAt: string) => {
    pushes.push(now() - Number(sentAt));
    void send();
  });
  await subscriber.subscribe(channel(process));

  return {
    done: new Promise(() => {}),
    grants: 0,
    async begin() {
      if (process === 0) await send();
    },
    measure() {
      pushes = [];
      counter.reset();
    },
    report: (): CrewReport => ({
      claims: new Float64Array(),
      commands: counter.total,
      failures: 0,
      firstFailure: undefined,
      pushes,
    }),
  };
}
