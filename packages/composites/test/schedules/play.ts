import { onTestFinished } from 'vitest';
import { subscribe } from '../../../core/src/index.ts';
import { simulate } from '../../../core/src/testing/index.ts';
import type { World } from '../../../core/src/testing/index.ts';
import { asked } from '../../../core/test/schedules/asked.ts';
import { Holds } from '../../../core/test/schedules/holds.ts';
import type { ObjectScenario } from '../../../core/test/schedules/holds.ts';
import type { Setting } from './stores.ts';

/** In ms: between two steps of a fleet whose processes change their phase meanwhile. */
export const moving = 700;

/** One lease after the other, whose promises and tokens are compared. */
export const leases: ObjectScenario = (world) => ({
  step(process) {
    const key = world.pick(['a', 'a', 'b']);
    const hold = world.integer(150);
    const settings = { wait: world.pick([0, 200, Infinity, Infinity]), renew: world.integer(4) > 0 };
    process.run(`${key} ${JSON.stringify({ ...settings, hold })}`, async () => {
      const lease = await process.locks.acquire(key, settings);
      world.history.granted(process.name, lease);
      await process.pause(hold);
      await world.history.release(lease);
    });
  },
});

/** Plays `schedules` of a scenario on the stores of a setting. */
export async function run(
  scenario: ObjectScenario,
  setting: (world: World) => Setting,
  schedules: number,
  pace = 60,
): Promise<void> {
  onTestFinished(subscribe('locks:migration', () => {}));
  await simulate({ ...asked, schedules, pace }, (world) => {
    const holds = new Holds(world);
    const { open, ...operator } = setting(world);
    const played = scenario(world, holds);
    return {
      ...played,
      open,
      step(process) {
        operator.step?.();
        played.step(process);
      },
      async end() {
        operator.end?.();
        await played.end?.();
      },
      look: () => holds.look(),
    };
  });
}
