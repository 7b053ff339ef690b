import { setTimeout as delay } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { redisCommand } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { initialise } from '../../../src/index.ts';
import { connect, eventually } from '../../support/redis.ts';
import { cutCopies } from './copies.ts';
import { inCluster, oneServer, quorumOfThree, redisKey, withSentinels, withSentinelsAndLimit } from './deployments.ts';
import type { Deployment, Needs } from './deployments.ts';
import { events } from './events.ts';
import type { Event } from './events.ts';
import { readTable } from './losses-table.ts';
import type { Outcome } from './losses-table.ts';
import { opened } from '../../support/over.ts';

/** A column of the table. */
export interface Form {
  readonly start: (needs: Needs) => Promise<Deployment>;
  readonly minReplicas?: number;
  /** In ms: of the lease, which has to outlast the event. Where locks rest, the test does too. */
  readonly ttl: number;
  /** In ms. Longer than the ttl by the time for which a master that is cut off goes on. */
  readonly restartGuard?: number;
}

export const guardedSentinels: Form = { start: withSentinelsAndLimit, ttl: 12_000, restartGuard: 16_000 };

/** By the heads of the table. */
export const forms: Readonly<Record<string, Form>> = {
  'one server': { start: oneServer, ttl: 30_000 },
  'with `restartGuard`': { start: oneServer, ttl: 5_000, restartGuard: 5_000 },
  'quorum of three': { start: quorumOfThree, ttl: 30_000 },
  Sentinels: { start: withSentinels, ttl: 60_000 },
  'Sentinels with `minReplicas`': { start: withSentinels, ttl: 60_000, minReplicas: 1 },
  'Sentinels with `restartGuard`': guardedSentinels,
  Cluster: { start: inCluster, ttl: 30_000 },
};

/** Registers a test for each cell below the head `name`: it brings the event about. */
export function lossesTests(name: string): void {
  const form = forms[name];
  if (form === undefined) throw new Error(`No test knows the form ${name}.`);
  for (const { event, outcome } of readTable().filter((cell) => cell.form === name)) {
    test(`${event}, ${name}: ${outcome}`, { timeout: 150_000 }, async () => {
      const known = events[event];
      if (known === undefined) throw new Error(`No test knows the event ${event}.`);
      expect(await outcomeOf(known, form)).toBe(outcome);
    });
  }
}

/** What `event` costs in the form of a column: it happens while a client holds a key. */
export async function outcomeOf(event: Event, { start, ttl, restartGuard, minReplicas }: Form): Promise<Outcome> {
  const deployment = await start(event.needs ?? {});
  const options = {
    timeout: 1_000,
    ...(restartGuard && { restartGuard }),
    ...(minReplicas && { minReplicas }),
  };
  const open = async (): Promise<Locks> => {
    return await opened(openLocks({ url: deployment.url, ttl, closeTimeout: 1_000, options }));
  };
  const master = await deployment.master();
  if (restartGuard !== undefined) await initialise(connect({}, master.url));
  const [holder, other] = [await open(), await open()];
  // Each knows its server.
  for (const locks of [holder, other]) await (await locks.acquire('job')).release();
  // A release of a quorum may be on its way to the third member: its vote would be missing.
  for (const server of [master, ...deployment.others]) await untilKeys(server, 0);
  const scene = { deployment, master };
  await event.prepare?.(scene);
  const copies = event.failover === true ? await cutCopies(deployment, master, minReplicas) : undefined;
  const lease = await holder.acquire('job', { renew: event.renew === true });
  // Two of three members may have decided. The table is about a lease that has the votes of all.
  for (const server of [master, ...deployment.others]) await untilKeys(server, 1);
  await copies?.limit();
  const end = await event.happen(scene);
  await copies?.allow();
  if (event.failover === true) await deployment.followed(master);
  await event.afterwards?.(scene);
  const rival = event.newcomer === true ? await open() : other;
  const outcome = await outcomeFor(lease, rival);
  await end?.();
  if (outcome === 'rest') await servedAfter(lease, rival);
  return outcome;
}

async function untilKeys(server: ServerHandle, count: 0 | 1): Promise<void> {
  await expect.poll(() => redisCommand(server, 'EXISTS', redisKey), { timeout: 5_000 }).toBe(count);
}

/** What another client sees while the lease is held by its own word. */
async function outcomeFor(lease: Lease, rival: Locks): Promise<Outcome> {
  const refusals = new Set<string>();
  while (lease.held) {
    const second = await rival.tryAcquire('job').catch((error: unknown) => void refusals.add(reasonOf(error)));
    if (second && second.held && lease.held) {
      expect(second.token).toBeGreaterThan(lease.token);
      return 'two';
    }
    if (second === null && (await isRenewed(lease))) return 'kept';
    await delay(50);
  }
  // Not because Redis was down all the time.
  expect([...refusals].join('\n')).toMatch(/no grants for another|TRYAGAIN/);
  return 'rest';
}

async function servedAfter(lease: Lease, rival: Locks): Promise<void> {
  const next = await eventually(
    'a grant',
    async () => (await rival.tryAcquire('job').catch(() => undefined)) ?? undefined,
    60_000,
  );
  expect(next.token).toBeGreaterThan(lease.token);
  expect(lease.held).toBe(false);
}

async function isRenewed(lease: Lease): Promise<boolean> {
  return await lease.renew().then(
    () => true,
    () => false,
  );
}

/** The message of an error, with those of its causes. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${reasonOf(error.cause)}` : '';
}
