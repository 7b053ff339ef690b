import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../processes/child.ts';
import { now } from '../clock.ts';
import type { NemesisTarget } from '../target.ts';
import type { Assignment, Order } from '../worker/messages.ts';
import type { FleetOptions } from './fleet.ts';

interface Looker extends Pick<FleetOptions, 'program' | 'cwd' | 'logs'> {
  readonly assignment: Omit<Assignment, 'process' | 'log'>;
}

/**
 * Lines for the keys that are held or waited for, and all else left in the store, for longer than
 * leases may last. A process without proxies looks.
 */
export async function findLeftovers(
  { program, cwd, logs, assignment }: Looker,
  names: { readonly keys: readonly string[]; readonly jobs: readonly string[] },
  { ttl, leftovers = async () => [] }: NemesisTarget,
): Promise<readonly string[]> {
  const within = 3 * ttl + 10_000;
  const child = startChild<Order>(program, { name: 'the process that looks', ...(cwd === undefined ? {} : { cwd }) });
  try {
    await child.ask({ kind: 'begin', assignment: { ...assignment, process: 'look', log: join(logs, 'look.log') } });
    const held = (await child.ask({ kind: 'look', ...names, within })) as readonly string[];
    await child.ask({ kind: 'leave' });
    await child.gone;
    let left = await leftovers();
    for (const end = now() + within; left.length > 0 && now() < end; left = await leftovers()) await sleep(200);
    return [...held, ...left];
  } finally {
    await child.kill();
  }
}
