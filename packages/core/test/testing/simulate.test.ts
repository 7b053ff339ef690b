import { describe, expect, it } from 'vitest';
import { LockError, createLocks, createMemoryProvider, createMemoryStore } from '../../src/index.ts';
import { simulate } from '../../src/testing/index.ts';
import type { Scenario, SimulateOptions, SimulatedProcess, World } from '../../src/testing/index.ts';

/** Every process takes one key, and holds it for a while. */
function working(work: (process: SimulatedProcess, world: World) => Promise<unknown>) {
  return (world: World): Scenario => ({
    step(process) {
      process.run('works', () => process.locks.withLock('k', () => work(process, world)));
    },
  });
}

const pausing = working((process) => process.pause(50));

async function failureOf(scenario: (world: World) => Scenario, options: SimulateOptions = {}): Promise<string> {
  return await simulate({ schedules: 200, ...options }, scenario).then(
    () => 'none',
    (error: unknown) => (error as Error).message,
  );
}

describe('a simulation', () => {
  it('plays as many schedules as were asked for, each of them from its seed', async () => {
    const logs = new Set<string>();
    for (let seed = 0; seed < 20; seed += 1) {
      const played = await simulate({ seed, schedules: 3 }, pausing);
      expect(played.schedules).toBe(3);
      expect(played.log.length).toBeGreaterThan(5);
      expect(await simulate({ seed, schedules: 3 }, pausing)).toEqual(played);
      logs.add(played.log.join('\n'));
    }
    expect(logs.size).toBe(20);
  });

  it('hurts processes and their networks in all ways, and nothing without faults', async () => {
    const lines: string[] = [];
    for (const faults of [true, false]) {
      for (let seed = 0; seed < 60; seed += 1)
        lines.push(...(await simulate({ seed, schedules: 1, faults }, pausing)).log);
      const text = lines.splice(0).join('\n');
      for (const fault of [/crashes/, /is blocked/, /sleeps/, /is cut off/, /sets its wall clock/, /LOCK_UNAVAILABLE/])
        expect(fault.test(text), String(fault)).toBe(faults);
    }
  });

  it('tells the shortest form of a schedule that fails, which is played again by its name', async () => {
    let steps = 0;
    const scenario = (world: World): Scenario => ({
      step(process) {
        steps += 1;
        process.run('counts', async () => {
          if ((await process.request(() => world.integer(10))) === 9) world.report('it is 9');
        });
      },
    });
    const failure = await failureOf(scenario);
    const replay = /replay: '(\d+:[\d.]+)'/.exec(failure)?.[1] ?? '';
    expect(failure).toMatch(/^at [\d.]+: it is 9$/m);
    expect(failure).toMatch(/^[\d.]+ p\d#1 counts$/m);
    expect(await failureOf(scenario)).toBe(failure);
    steps = 0;
    expect(await failureOf(scenario, { replay })).toBe(failure);
    expect(steps).toBe(2);
  });

  it.each<[string, RegExp, (world: World) => Scenario]>([
    [
      'a call that rejects unexpectedly',
      /works failed with Error: broken/,
      working(() => Promise.reject(new Error('broken'))),
    ],
    [
      'a call that does not end',
      /works has not ended/,
      () => ({ step: (process) => process.run('works', () => new Promise(() => {})) }),
    ],
    [
      'what was left in a store',
      /k is left with the holders p\d\/.* and 0 in the queue/,
      () => ({ step: (process) => process.run('takes', () => process.locks.tryAcquire('k')) }),
    ],
    [
      'two holders, by their history',
      /two holders of "k": [^]* is granted with token/,
      (world) => ({
        // Each of them has a store of its own.
        open: ({ runtime, name }) =>
          createLocks(createMemoryProvider({ store: createMemoryStore({ runtime }) }), { runtime, label: name }),
        step(process) {
          process.run('holds', async () => {
            const lease = await process.locks.acquire('k');
            world.history.granted(process.name, lease);
            await process.pause(100);
            await world.history.release(lease);
          });
        },
      }),
    ],
  ])('finds %s', async (_, problem, scenario) => {
    expect(await failureOf(scenario)).toMatch(problem);
  });

  it('calls `look` at each step, `end` when there are no faults any more, and `check` at last', async () => {
    const order: string[] = [];
    await simulate({ schedules: 1 }, (world) => ({
      step: (process) => process.run('pauses', () => process.pause(100)),
      look: () => void order.push('look'),
      end: () => void order.push('end'),
      check: () => void order.push(`check ${world.processes.filter(({ calls }) => calls.size > 0).length}`),
    }));
    expect(order.indexOf('end')).toBeGreaterThan(order.indexOf('look'));
    expect(order.filter((each) => each !== 'look')).toEqual(['end', 'check 0']);
  });

  it('carries requests to any server: late, twice or not at all', async () => {
    const counts = new Map<number, number>();
    let unanswered = 0;
    let requests = 0;
    await simulate({ schedules: 100 }, (world) => ({
      step(process) {
        const begun = world.runtime.time;
        requests += 1;
        const request = requests;
        counts.set(request, 0);
        const serve = (): void => void counts.set(request, (counts.get(request) ?? 0) + 1);
        process.run('asks', async () => {
          await process.request(serve).catch((error: unknown) => {
            if (!(error instanceof LockError)) throw error;
            unanswered += 1;
          });
          if (world.runtime.time === begun) world.report('no time has passed');
        });
      },
    }));
    expect(unanswered).toBeGreaterThan(10);
    for (const times of [0, 1, 2]) expect([...counts.values()]).toContain(times);
  });
});
