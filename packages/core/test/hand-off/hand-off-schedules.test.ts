import { describe, expect, it } from 'vitest';
import { flawedProviders } from '../schedules/flaws.ts';
import { runSchedule, seedOf } from '../schedules/run.ts';
import type { Flaw } from '../schedules/world.ts';

const { LOCKS_SCHEDULES = '1000', LOCKS_SCHEDULE_BASE = '20261121' } = process.env;
const base = Number(LOCKS_SCHEDULE_BASE);
const perTest = 500;
const timeout = 300_000;

// Tokens are those of the counter alone: without a reserve, some would be given twice.
const options = { localHandOff: { count: 4, ms: 300 }, tokenFloor: 2n ** 52n } as const;

async function findFailure(flaw: Flaw, first: number, count: number, shrink: boolean): Promise<string | undefined> {
  for (let index = first; index < first + count; index += 1) {
    const { failure } = await runSchedule(seedOf(base, index), { ...flaw, options }, shrink);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

describe('schedules of several processes that pass keys on', () => {
  const tests = Array.from({ length: Math.ceil(Number(LOCKS_SCHEDULES) / perTest) }, (_, index) => index * perTest);

  it.each(tests)(
    `break no promise over a bad network: ${perTest} from number %d`,
    async (first) => {
      const failure = await findFailure({}, first, perTest, true);
      if (failure !== undefined) throw new Error(failure);
    },
    timeout,
  );

  it('grant many leases that the store knows nothing of', async () => {
    const owners = (log: readonly string[], pattern: RegExp): ReadonlySet<string> =>
      new Set(log.flatMap((line) => pattern.exec(line)?.[1] ?? []));
    let count = 0;
    for (let index = 0; index < 100; index += 1) {
      const { log } = await runSchedule(seedOf(base, index), { options });
      const known = owners(log, /store: try (\S+): \{"granted":true/);
      for (const owner of owners(log, / has (p\S+)$/)) if (!known.has(owner)) count += 1;
    }
    expect(count).toBeGreaterThan(50);
  });

  it.each(
    Object.entries({
      ...flawedProviders,
      'does not raise the token of a renewal': {
        client: (provider) =>
          Object.assign(Object.create(provider) as typeof provider, {
            renew: (claim: Parameters<typeof provider.renew>[0]) => provider.renew(claim),
          }),
      },
    } satisfies Record<string, Flaw>),
  )(
    'find a provider that %s',
    async (_, flaw) => {
      expect(await findFailure(flaw, 0, 1_000, false)).toBeDefined();
    },
    timeout,
  );
});
