import { eventually } from '@locks/test-servers';
import { systemRuntime } from '@locks/core/adapter';
import { expect, test } from 'vitest';
import type { Session } from '../../src/session/session.ts';
import { multi } from '../../src/wire/multi.ts';
import { Opened, isThere, makeNode, ownPath, watchEnd } from '../support/sessions.ts';
import type { End } from '../support/sessions.ts';
import { ownEnsemble } from '../support/servers.ts';

const ensemble = await ownEnsemble({ tickTime: 1_500 });

/** The shortest that these servers grant: pings take the longest part of it. */
const sessionTimeout = 3_000;
const rounds = Number(process.env['LOCKS_TEST_FROZEN_FOLLOWERS'] ?? 2);

interface Held {
  readonly session: Session;
  /** When the last confirmed heartbeat was sent. */
  readonly confirmed: () => number;
  readonly end: End;
}

test('a follower that freezes right after a heartbeat: the loss is told before the leader removes the nodes', async () => {
  const naiveErrors: number[] = [];
  const leads: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await using opened = new Opened();
    const [follower] = await ensemble.followers();
    if (follower?.pid === undefined) throw new Error('the ensemble has no follower');
    const { pid } = follower;
    const observer = await opened.sessions([await ensemble.leader()], { sessionTimeout: 20_000 }).ready(10_000);

    /** A session through the follower; `beat` is called when a heartbeat is confirmed. */
    const hold = async (beat: () => void): Promise<Held> => {
      let sentAt = 0;
      let confirmed = 0;
      const check = multi([{ type: 'check', path: '/' }]);
      const sessions = opened.sessions([follower], {
        sessionTimeout,
        closeWithin: 100,
        heartbeat: {
          ...check,
          write(writer) {
            sentAt = performance.now();
            check.write(writer);
          },
          read(reader) {
            confirmed = sentAt;
            beat();
            return check.read(reader);
          },
        },
      });
      const session = await sessions.ready(10_000);
      const path = await makeNode(session, ownPath(), 'ephemeral');
      return { session, confirmed: () => confirmed, end: await watchEnd(session, path, observer) };
    };

    const held: Held[] = [];
    let beats = 0;
    for (let index = 0; index < 6; index += 1) {
      held.push(
        await hold(() => {
          beats += 1;
          // All have had some: then the follower freezes in the middle of the next.
          if (beats === 20) process.kill(pid, 'SIGSTOP');
        }),
      );
      // They beat at different moments.
      await new Promise((resolve) => setTimeout(resolve, sessionTimeout / 18));
    }
    try {
      await eventually('all nodes are removed', () => held.every(({ end }) => end.removedAt !== Infinity), 20_000);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    // Its watches did not fire for another reason.
    expect(observer.alive).toBe(true);
    for (const { session, confirmed, end } of held) {
      expect(session.deadline).toBeLessThan(end.removedAt);
      leads.push(end.removedAt - end.lostAt);
      naiveErrors.push(confirmed() + sessionTimeout - end.removedAt);
    }
  }
  expect(Math.min(...leads)).toBeGreaterThan(0);
  // Send of the last confirmed heartbeat + timeout: too late for some, in enough rounds.
  if (rounds >= 10) expect(Math.max(...naiveErrors)).toBeGreaterThan(0);
}, 120_000);

test('the server of a session is killed: it goes on with its nodes at another one', async () => {
  await using opened = new Opened();
  const [follower, another] = await ensemble.followers();
  if (follower === undefined || another === undefined) throw new Error('the ensemble has no followers');
  const sessions = opened.sessions([follower, another], {
    sessionTimeout: 6_000,
    runtime: { ...systemRuntime, random: () => 0 },
  });
  const session = await sessions.ready(10_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  await follower.kill();
  try {
    await eventually('another one answers', () => isThere(session, path).catch(() => false));
    expect(sessions.current).toBe(session);
  } finally {
    await follower.restart();
  }
}, 60_000);

test('the leader is paused: the session outlives the election', async () => {
  await using opened = new Opened();
  const leader = await ensemble.leader();
  const sessions = opened.sessions(ensemble.servers, { sessionTimeout: 20_000 });
  const session = await sessions.ready(10_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  await leader.pause();
  try {
    await eventually('another one leads', async () => (await ensemble.leader()) !== leader, 30_000);
    // It may be connected to the one that is paused, and not know that yet.
    await eventually('another one answers', () => isThere(session, path).catch(() => false), 20_000);
    expect(sessions.current).toBe(session);
  } finally {
    await leader.resume();
  }
}, 90_000);
