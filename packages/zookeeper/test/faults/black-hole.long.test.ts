import { eventually, startProxy } from '@locks/test-servers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { transports } from '../support/client-sessions.ts';
import { ownServer } from '../support/servers.ts';
import { isThere, makeNode, openSession, ownPath, watchEnd } from '../support/sessions.ts';
import { openChance } from './support/chance.ts';

/** They fall silent at the same time, ten at once, which is hard on a machine. */
const rounds = Number(process.env['LOCKS_FAULT_ROUNDS'] ?? 20);
const roundsAtOnce = 10;
const sessionTimeout = 3_000;
const directions = ['both', 'requests', 'replies'] as const;

const chance = openChance();
const server = await ownServer({ tickTime: 500, minSessionTimeout: 1_000, maxSessionTimeout: 60_000 });

test.each(transports)(
  `over $over, ${rounds} black holes: sessions report their loss before the server removes their nodes, and are followed by others`,
  async (transport) => {
    const observer = await openSession([server], { sessionTimeout: 60_000 });
    const fallSilent = async (number: number): Promise<number> => {
      await using proxy = await startProxy(server);
      const sessions = transport.sessions([proxy], { sessionTimeout, closeWithin: 100 });
      const session = await sessions.ready(10_000);
      const path = await makeNode(session, ownPath(), 'ephemeral');
      const end = await watchEnd(session, path, observer);
      // At any moment between two heartbeats, when the deadline comes from heartbeats alone.
      await delay(sessionTimeout + chance.between(0, sessionTimeout / 2));
      const speak = proxy.silence(directions[number % directions.length]);
      await eventually('the node is removed', () => end.removedAt !== Infinity, 30_000);
      // Its watch did not fire for another reason.
      expect(await isThere(observer, path)).toBe(false);
      expect(session.alive).toBe(false);
      expect(session.deadline).toBeLessThan(end.removedAt);
      expect(sessions.current).toBeUndefined();
      await speak();
      const next = await sessions.ready(20_000);
      expect(next.id).not.toBe(session.id);
      await makeNode(next, path, 'ephemeral');
      await sessions.close();
      return end.removedAt - end.lostAt;
    };
    const margins: number[] = [];
    for (let first = 0; first < rounds; first += roundsAtOnce) {
      const numbers = Array.from({ length: Math.min(roundsAtOnce, rounds - first) }, (_, index) => first + index);
      margins.push(...(await Promise.all(numbers.map(fallSilent))));
    }
    console.log(
      `black hole: ${rounds} sessions of ${sessionTimeout} ms, ${chance.note}; ` +
        // Where replies alone are lost, the process ends its old session itself, right after it has
        // told of the loss.
        `smallest time from the loss to the removal: ${Math.min(...margins).toFixed(1)} ms`,
    );
    expect(Math.min(...margins)).toBeGreaterThan(0);
  },
  60_000 + rounds * 6_000,
);
