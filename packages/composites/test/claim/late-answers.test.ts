import { test } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore, isLockError } from '../../../core/src/index.ts';
import { simulate } from '../../../core/src/testing/index.ts';
import { combine } from '../../src/index.ts';
import { through } from '../../../core/test/support/through.ts';

/** In ms: how long a call may take beside members that stand still. */
const longest = 2_000;

test('where a majority answers, late or not, no claim is told of an outage, or waits for the others', async () => {
  const options = { schedules: 100, processes: 2, faults: false, settle: 40_000, patience: 120_000 };
  await simulate(options, (world) => {
    const count = 3 + world.integer(3);
    const frozen = new Set([world.integer(count)]);
    if (count === 5) frozen.add(world.integer(count));
    const stores = Array.from({ length: count }, () => createMemoryStore({ runtime: world.runtime }));
    let holders = 0;
    return {
      open(process) {
        const { name, runtime, link } = process;
        const members = stores.map((store, index) => {
          const server = createMemoryProvider({ store });
          const isFrozen = frozen.has(index) && world.processes.includes(process);
          return link(isFrozen ? through(server, () => new Promise(() => {})) : server, longest);
        });
        // Longer than all answers of a round together, so no vote ends before it is counted.
        const combined = combine(members, { memberTimeout: 100, runtime });
        return createLocks(combined, { runtime, label: name, ttl: 30_000, closeProvider: true });
      },
      step(process) {
        const wait = world.pick([0, Infinity, Infinity, Infinity]);
        process.run(`takes, with ${wait}`, async (name) => {
          const begun = world.runtime.time;
          const lease = await process.locks.tryAcquire('job', { wait }).catch((error: unknown) => {
            if (isLockError(error)) world.report(`${name}: ${error.message}`);
            throw error;
          });
          if (wait === 0 && world.runtime.time - begun >= longest) world.report(`${name}: the answer took too long`);
          if (lease === null) return;
          holders += 1;
          if (holders > 1) world.report('two holders');
          await process.pause(1 + world.integer(20));
          holders -= 1;
          await lease.release();
        });
      },
    };
  });
});
