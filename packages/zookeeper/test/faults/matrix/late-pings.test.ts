import { eventually, type ServerHandle } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { setData } from '../../../src/wire/requests.ts';
import { serverOptions } from '../../support/backends.ts';
import { Opened, makeNode, ownPath, watchEnd } from '../../support/sessions.ts';
import { ownEnsemble } from '../../support/servers.ts';

const rounds = Math.max(3, Math.round(Number(process.env['LOCKS_FAULT_ROUNDS'] ?? 30) / 10));
const tick = 1_000;
/** The shortest that servers grant by default, and what the documentation asks for. */
const timeouts = [2 * tick, 4 * tick] as const;

const ensemble = await ownEnsemble({ ...serverOptions, tickTime: tick, initLimit: 30, partitions: true });

/**
 * Ms by the clock that the servers on this machine count with: sessions end at multiples of a tick.
 */
function serverTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Holds what the leader sends the follower from one confirmed heartbeat to the next: the follower
 * reports no session meanwhile. What the follower says is lost from the moment at which the leader
 * has committed the next heartbeat.
 */
async function strike(follower: ServerHandle, sessionTimeout: number): Promise<number> {
  await using opened = new Opened();
  const observer = await opened.sessions([await ensemble.leader()], { sessionTimeout: 20_000 }).ready(10_000);
  const pulse = await makeNode(observer, ownPath(), 'persistent');
  const write = setData(pulse, Buffer.alloc(0));
  let sentAt = 0;
  let confirmed = (): void => {};
  const sessions = opened.sessions([follower], {
    sessionTimeout,
    closeWithin: 100,
    heartbeat: {
      ...write,
      write(writer) {
        sentAt = serverTime();
        write.write(writer);
      },
      read(reader) {
        confirmed();
        return write.read(reader);
      },
    },
  });
  const session = await sessions.ready(10_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  const end = await watchEnd(session, path, observer);

  const begunAt = serverTime();
  const release = await new Promise<() => void>((resolve) => {
    confirmed = () => {
      const age = serverTime() - begunAt;
      const phase = (sentAt % tick) / tick;
      // A report right before a multiple of a tick, and a heartbeat right after it, leave the least
      // to the rounding.
      const likely = phase > 0.06 && phase < 0.2;
      if (age < sessionTimeout || (!likely && age < 10 * sessionTimeout)) return;
      confirmed = () => {};
      resolve(ensemble.hold(follower));
    };
  });
  const committed = new Promise<void>((resolve) => {
    void observer.watch(pulse, resolve);
  });
  await committed;
  const speak = ensemble.mute(follower);
  release();
  try {
    await eventually('the node is removed', () => end.removedAt !== Infinity, 10 * sessionTimeout);
    expect(observer.alive).toBe(true);
    return end.removedAt - session.deadline;
  } finally {
    await speak();
    await eventually('the follower is back', async () => (await ensemble.followers()).includes(follower), 20_000);
  }
}

test.each(timeouts)(
  `the leader's pings come late, and a follower is cut off right after the next heartbeat (%s ms, ${rounds} x): the session is lost before the leader removes its nodes`,
  async (sessionTimeout) => {
    const margins: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [follower] = await ensemble.followers();
      if (follower === undefined) throw new Error('the ensemble has no follower');
      margins.push(await strike(follower, sessionTimeout));
    }
    console.log(`late pings, ${sessionTimeout} ms: ${margins.map((margin) => margin.toFixed(0)).join(', ')} ms`);
    expect(Math.min(...margins)).toBeGreaterThan(0);
  },
  60_000 + rounds * 60_000,
);
