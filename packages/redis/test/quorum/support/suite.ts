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
import type { Chosen } from '../../../../conformance/test/support/selection.ts';
import { createDisturber } from './disturb.ts';
import type { Disturbance } from './disturb.ts';
import { startServers } from './servers.ts';
import type { Harm } from './servers.ts';
import { together } from './together.ts';

/** How a suite is run. */
interface QuorumSuite {
  readonly count: number;
  readonly options?: CombineOptions;
  /** Faults of single servers that last all the time, by their index. */
  readonly harms?: Readonly<Record<number, Harm>>;
  /** A fault of another server in each requirement. */
  readonly disturb?: Disturbance;
  /** Faults hurt all servers at once, so they are for servers that are fine otherwise. */
  readonly faults?: boolean;
}

function requirementsFor({ faults, disturb }: QuorumSuite): Chosen {
  if (faults === true) return withFaults;
  if (disturb !== 'restart') return withoutFaults;
  // A member that restarts during a release gives its vote back a moment later, and claims in its
  // queue move to another member's. Requirements of the other level ask once, and look at the
  // order.
  return (one) => one.level === 'locks' && withoutFaults(one) && one.id !== 'locks-wakes-order';
}

/** Where members do not answer, they are not waited for as long as by default. */
function usualFor({ harms, disturb }: QuorumSuite): CombineOptions {
  if (disturb === 'restart') return { memberTimeout: 100 };
  return disturb === undefined && harms === undefined ? {} : { memberTimeout: 500 };
}

function nameOf({ count, options, harms = {}, disturb, faults }: QuorumSuite): string {
  const which = Object.entries(harms).map(([index, harm]) => `, of which number ${Number(index) + 1} is ${harm}`);
  const disturbed = disturb === undefined ? '' : `, another one disturbed each time (${disturb})`;
  const need = options?.need === 'all' ? 'all' : 'a majority';
  return `${need} of ${count} Redis servers${which.join('')}${disturbed}${faults === true ? ', faults' : ''}`;
}

/** Registers the suite for several Redis servers as one provider. */
export async function quorumSuite(suite: QuorumSuite): Promise<void> {
  const { count, harms = {}, disturb, faults = false } = suite;
  const options = { ...usualFor(suite), ...suite.options };
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
  const sound = Object.keys(harms).length === 0 && disturb === undefined && !faults;
  const messages = subscribe('locks:member', ({ member: title, suspect }) => {
    if (suspect && sound) console.warn(`${title} is suspect, as the machine is slow`);
  });
  afterAll(messages);
  const disturber = disturb === undefined ? undefined : createDisturber(servers, disturb);
  conformanceTests({
    name: nameOf(suite),
    create: faults ? hurt.create : () => create(),
    createOther: () => create({ waiterTtl: 600, tokenRetention: 1_000 }),
    faults: faults ? hurt.faults : undefined,
    processes: {
      module: new URL('process.mjs', import.meta.url),
      args: { urls: servers.map(({ url }) => url), settings, options },
    },
    disturb: disturber?.begin,
    // A server that is disturbed may keep votes of requirements that are over, until their ttl.
    leaks: () =>
      leftOfAll(
        servers.flatMap((server) => (server === disturber?.victim ? [] : (server.observer ?? []))),
        prefix,
      ),
    only: requirementsFor(suite),
  });
}
