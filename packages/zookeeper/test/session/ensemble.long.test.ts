import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { isThere, makeNode, openSessions, ownPath } from '../support/sessions.ts';
import { ownEnsemble } from '../support/servers.ts';

const ensemble = await ownEnsemble({ tickTime: 1_500 });

test('the leader is paused: the session outlives the election', async () => {
  const leader = await ensemble.leader();
  const sessions = openSessions(ensemble.servers, { sessionTimeout: 20_000 });
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
