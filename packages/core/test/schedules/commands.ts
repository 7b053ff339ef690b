import * as fc from 'fast-check';
import type { AcquireOptions } from '../../src/index.ts';
import { calm, slow, stormy } from './link.ts';
import { keys, longestTtl } from './world.ts';
import type { Process } from './process.ts';
import type { Conditions, World } from './world.ts';

/** What the commands may assume. */
export interface Model {
  readonly alive: boolean[];
}

type Command = fc.AsyncCommand<Model, World>;

const permitsOf: Readonly<Record<string, number | undefined>> = { a: 2, b: undefined };

/** A command of one process: `act`, then `pause` ms. */
function command(
  anyIndex: number,
  name: string,
  pause: number,
  act: (world: World, process: Process, model: Model) => void,
): Command {
  return {
    check: ({ alive }) => alive[anyIndex % alive.length] === true,
    async run(model, world) {
      const by = world.processes[anyIndex % world.processes.length]!;
      // Nothing runs where the event loop is blocked.
      if (world.now >= by.runtime.busyUntil) {
        world.note(`${by.name}: ${name}`);
        act(world, by, model);
      }
      await world.store.advance(pause);
      world.look();
      world.forget();
    },
    toString: () => `p${anyIndex}: ${name}, then ${pause} ms`,
  };
}

const process = fc.nat(3);
const pause = fc.nat(45);

const taking = fc
  .record({
    process,
    pause,
    key: fc.constantFrom(keys[0], keys[0], keys[0], keys[1]),
    ttl: fc.constantFrom(60, 100, 150, 300, longestTtl),
    wait: fc.constantFrom(0, 30, 250, Infinity, Infinity, Infinity),
    kind: fc.constantFrom('exclusive', 'exclusive', 'exclusive', 'shared', 'shared', 'more'),
    renew: fc.constantFrom(true, true, true, false),
    maxHold: fc.constantFrom(Infinity, Infinity, Infinity, 120),
    hold: fc.constantFrom(5, 20, 60, 200, Infinity),
  })
  .map(({ process: index, pause: ms, key, kind, hold, ...times }) => {
    const options: AcquireOptions & { readonly wait: number } =
      kind === 'exclusive' ? times : { ...times, mode: 'shared', permits: kind === 'more' ? 3 : permitsOf[key] };
    const { ttl, wait, renew, maxHold } = times;
    const name = `take ${key} ${kind}, ttl ${ttl}, wait ${wait}, renew ${renew}, maxHold ${maxHold}, hold ${hold}`;
    return command(index, name, ms, (world, by) => world.take(by, key, options, hold));
  });

/** Commands without arguments of their own, and how often each is drawn. */
const plain: Readonly<Record<string, readonly [number, (world: World, process: Process, model: Model) => void]>> = {
  release: [4, (world, by) => void by.holds.slice(-1).map((hold) => world.release(by, hold))],
  renew: [2, (world, by) => void by.holds.slice(-1).map((hold) => world.renew(by, hold))],
  abort: [3, (_, by) => by.waits.findLast((wait) => wait.open)?.controller.abort(new Error('not wanted any more'))],
  close: [
    1,
    (world, by, model) => {
      by.state = 'closed';
      model.alive[world.processes.indexOf(by)] = false;
      world.excuse(by, Infinity);
      void by.locks.close();
    },
  ],
  crash: [
    1,
    (world, by, model) => {
      model.alive[world.processes.indexOf(by)] = false;
      world.crash(by);
    },
  ],
  // As long as the clock is sure to notice.
  sleep: [1, (world, by) => world.sleep(by, 2_500)],
};

const doing = fc
  .record({
    process,
    pause,
    name: fc.constantFrom(...Object.entries(plain).flatMap(([name, [often]]) => Array<string>(often).fill(name))),
  })
  .map(({ process: index, pause: ms, name }) => command(index, name, ms, plain[name]![1]));

const stalling = fc
  .record({ process, pause, ms: fc.integer({ min: 20, max: 500 }), cut: fc.boolean() })
  .map(({ process: index, pause: after, ms, cut }) =>
    command(index, `${cut ? 'is cut off' : 'is blocked'} for ${ms} ms`, after, (world, by) => {
      // A loss shows later, as a call without an answer and the pause after it.
      world.excuse(by, cut ? ms + 1_000 : ms);
      if (cut) by.link.cutUntil = world.now + ms;
      else by.runtime.stall(ms);
    }),
  );

const conditions: fc.Arbitrary<Conditions> = fc.record({
  seed: fc.noShrink(fc.nat(2 ** 31 - 1)),
  processes: fc.integer({ min: 2, max: 4 }),
  weather: fc.constantFrom(calm, calm, slow, stormy, stormy),
  drift: fc.constantFrom(0, 0.005),
});

/** A schedule: where it starts, and what is done. */
export const schedules: fc.Arbitrary<[Conditions, Iterable<Command>]> = fc.tuple(
  conditions,
  fc.commands([taking, taking, taking, doing, stalling], { size: 'max', maxCommands: 24 }),
);
