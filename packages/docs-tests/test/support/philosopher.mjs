// A process of philosophers who eat with two forks each, started by `startChild`. It writes what
// happens to a file, so that nothing is lost when it is killed: node philosopher.mjs
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '@locks/conformance/processes';
import { openLocks } from '@locks/core';

const { TABLE_STORE, TABLE_FILE, TABLE_LABEL: label } = process.env;
const { forks, ...config } = JSON.parse(TABLE_STORE);
const locks = await openLocks({ ...config, label });

/** Ms of the clock that all processes of a host share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const note = (what) => appendFileSync(TABLE_FILE, `${JSON.stringify(what)}\n`);

let leaves = false;

/** Each takes the forks beside it, in the order in which it thinks of them. */
async function dine(seat) {
  const near = [forks[seat], forks[(seat + 1) % forks.length]];
  while (!leaves) {
    await sleep(Math.random() * 5);
    const both = locks.multiLock(Math.random() < 0.5 ? near : near.toReversed());
    await both.withLock(async (lease) => {
      const at = now();
      note({
        type: 'eats',
        by: label,
        at,
        owner: lease.owner,
        tokens: [...lease.tokens].map(([key, token]) => [key, `${token}`]),
      });
      const end = at + Math.random() * 20;
      for (let moment = at; moment < end; moment = now()) {
        // The moment before the question counts: the answer may be late.
        if (lease.held) note({ type: 'holds', at: moment, owner: lease.owner });
        await sleep(3);
      }
    });
  }
}

const dinner = Promise.all(forks.map((_, seat) => dine(seat)));

serveParent(async (request) => {
  if (request === 'leave') {
    leaves = true;
    await dinner;
    await locks.close();
  }
  return 'ready';
});

await dinner;
