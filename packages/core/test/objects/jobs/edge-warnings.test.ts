import { expect, it, onTestFinished, vi } from 'vitest';
import { createFleet } from './fleet.ts';

const hour = 3_600_000;

it.each([
  [{ every: '1m' }, 30_000 - 100, "{ every: '1m', at: '30s' }"],
  [{ every: '1m', at: '30s' }, 59_500, "{ every: '1m' }"],
  [{ every: '1h' }, hour / 2 + 1_300, "{ every: '1h', at: '30m' }"],
  [{ every: '24h' }, 12 * hour + 80, "{ every: '24h', at: '12h' }"],
  [{ every: '24h', at: '3h' }, 15 * hour, "{ every: '24h', at: '15h' }"],
  [{ every: '1s' }, 503, "{ every: '1s', at: '500ms' }"],
] as const)(
  'warns for each key of calls at the edge of %o, and proposes another slot',
  async (slot, time, proposed) => {
    const heard: (readonly [code: string, text: string])[] = [];
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation((text, options) => {
      heard.push([(options as { code: string }).code, String(text)]);
    });
    onTestFinished(() => warn.mockRestore());
    const fleet = await createFleet();
    const { runtime } = fleet;
    const day = 24 * hour;
    const now = runtime.clock.origin + runtime.clock.now();
    await runtime.advance(Math.ceil(now / day) * day + time - now);
    // A slot ahead of the clock is no wrong one here: it is counted by the clock of the store.
    const locks = fleet.process();
    for (const key of ['one', 'two', 'one']) await locks.once(key, slot, () => 0);
    const effects = `so some runs may be skipped and others repeated. Set ${proposed}, the time of this call`;
    expect(heard).toEqual([
      ['LOCKS_ONCE_EDGE', expect.stringMatching(/^A call of once\("one"\) was at the edge of its slot/)],
      ['LOCKS_ONCE_EDGE', expect.stringContaining('once("two")')],
    ]);
    expect(heard[0]?.[1]).toContain(effects);
    // What it proposes is right.
    const [, every, , at = '0'] = /every: '(.+?)'(, at: '(.+?)')?/.exec(proposed) ?? [];
    await fleet.process().once('three', { every: every!, at }, () => 0);
    expect(heard).toHaveLength(2);
  },
);
