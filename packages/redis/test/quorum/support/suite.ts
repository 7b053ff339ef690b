import { conformanceTests } from '@locks/conformance/vitest';
import { combine } from '@locks/composites';
import { subscribe } from '@locks/core';
import type { CombineOptions } from '@locks/composites';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { breakable } from '../../support/faults.ts';
import { leftOfAll } from '../../support/left.ts';
import { over } from '../../support/make.ts';
import { ownPrefix } from '../../support/redis.ts';
import { withFaults, withoutFaults } from '../../../../conformance/test/support/selection.ts';
import { startServers } from './servers.ts';
import type { Harm } from './servers.ts';
import { together } from './together.ts';

/** How a suite is run. */
interface QuorumSuite {
  readonly count: number;
  readonly options?: CombineOptions;
  /** Faults of single servers that last all the time, by their index. */
  readonly harms?: Readonly<Record<number, Harm>>;
  /** Faults hurt all servers at once, so they are for servers that are fine otherwise. */
  readonly faults?: boolean;
}

function nameOf({ count, options, harms = {}, faults }: QuorumSuite): string {
  const which = Object.entries(harms).map(([index, harm]) => `, of which number ${Number(index) + 1} is ${harm}`);
  const need = options?.need === 'all' ? 'all' : 'a majority';
  return `${need} of ${count} Redis servers${which.join('')}${faults === true ? ', faults' : ''}`;
}

/** Registers the suite for several Redis servers as one provider. */
export async function quorumSuite(suite: QuorumSuite): Promise<void> {
  const { count, harms = {}, faults = false } = suite;
  const isHarmed = Object.keys(harms).length > 0;
  // Where members do not answer, they are not waited for as long as by default.
  const options = { ...(isHarmed && { memberTimeout: 500 }), ...suite.options };
  const prefix = ownPrefix();
  const servers = await startServers(count, harms);
  // Where all members are silent, calls end with it. On a loaded machine the others need more than
  // 2 s for hundreds of claims at once.
  const settings = { timeout: faults ? 2_000 : 5_000, waiterTtl: 3_000, prefix };
  const member = over((address) => new Redis(address));
  const breakables = servers.map(({ server }) => breakable(server, true, (address) => member(address, settings)));
  const hurt = together(breakables, options);
  const create = async (more = {}): ReturnType<typeof hurt.create> => {
    const members = await Promise.all(servers.map(async ({ url }) => await member(url, { ...settings, ...more })));
    return combine(members, options);
  };
  // The order of claims depends on it, so a failure is read together with these messages.
  const sound = !isHarmed && !faults;
  const messages = subscribe('locks:member', ({ member: title, suspect }) => {
    if (suspect && sound) console.warn(`${title} is suspect, as the machine is slow`);
  });
  afterAll(messages);
  conformanceTests({
    name: nameOf(suite),
    create: faults ? hurt.create : () => create(),
    createOther: () => create({ waiterTtl: 600, tokenRetention: 1_000 }),
    faults: faults ? hurt.faults : undefined,
    processes: {
      module: new URL('process.mjs', import.meta.url),
      args: { urls: servers.map(({ url }) => url), settings, options },
    },
    leaks: () =>
      leftOfAll(
        servers.flatMap(({ observer }) => observer ?? []),
        prefix,
      ),
    only: faults ? withFaults : withoutFaults,
  });
}
