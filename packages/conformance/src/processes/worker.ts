import { setMaxListeners } from 'node:events';
import { createLocks, isLockError } from '@locks/core';
import type { Claim, Lease, LockProvider, Locks } from '@locks/core';
import { createRandom } from '../checks/random.ts';
import { startWaiting } from '../checks/waiting.ts';
import type { Waiting } from '../checks/waiting.ts';
import { incrementFile } from './counter-file.ts';
import type { LeaseElsewhere, Request } from './messages.ts';
import { serveParent } from './serve-parent.ts';

// The other process of a check: creates a provider and executes requests. Ends when its parent
// does.

// Its waits end with the process.
const { signal } = new AbortController();
setMaxListeners(0, signal);
const random = createRandom(process.pid, 'worker');
let provider: LockProvider | undefined;
let locks: Locks | undefined;
const leases = new Map<string, Lease>();
/** The waiting claims, by owner. */
const inQueue = new Map<string, Waiting>();

serveParent(answer);

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'start': {
      const made = (await import(/* any module */ request.module)) as {
        create(args: unknown): LockProvider | Promise<LockProvider>;
      };
      provider = await made.create(request.args);
      return undefined;
    }
    case 'call': {
      const own = started();
      const method = own[request.method] as (...parameters: readonly unknown[]) => Promise<unknown>;
      return await method.call(own, ...request.parameters);
    }
    case 'wait':
      return (await wait(request).granted).token;
    case 'enqueue':
      if (request.onWake === 'die') return await enqueueToDie(request.claim);
      return await enqueue(request.claim);
    case 'rest':
      return await linedUp(request.owner).rest();
    case 'granted': {
      const waiting = linedUp(request.owner);
      waiting.goOn();
      return (await waiting.granted).token;
    }
    case 'acquire':
      return look(await acquire(request.key, request.ttl));
    case 'look':
      return look(heldBy(request.owner));
    case 'write': {
      // Directly to the resource, without a check of the lease.
      const { token, mode } = heldBy(request.owner);
      return { token, mode };
    }
    case 'job':
      return await runJob(request);
    case 'race':
      return await raceForJob(request);
    case 'count':
      for (const claim of request.claims) {
        const waiting = wait({ claim });
        const { token } = await waiting.granted;
        await incrementFile(request.file, token);
        await waiting.release();
      }
      return undefined;
    default:
      request satisfies never;
      throw new Error('unknown request');
  }
}

function wait({ claim }: Pick<Extract<Request, { kind: 'wait' }>, 'claim'>): Waiting {
  return startWaiting(started(), claim, { signal, random, throughUnknown: true });
}

function enqueue(claim: Claim): Promise<void> {
  const waiting = wait({ claim });
  inQueue.set(claim.owner, waiting);
  return waiting.inQueue;
}

async function acquire(key: string, ttl: number): Promise<Lease> {
  locks ??= createLocks(started());
  for (;;) {
    try {
      const lease = await locks.acquire(key, { ttl });
      leases.set(lease.owner, lease);
      return lease;
    } catch (error) {
      // A machine suspended for a whole short ttl gets its grants too late.
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    }
  }
}

/** Resolves when the work has begun. It ends with the process. */
async function runJob({ key, slot, ttl }: Omit<Extract<Request, { kind: 'job' }>, 'kind'>): Promise<void> {
  locks ??= createLocks(started());
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const never = new Promise<never>(() => {});
  const work = (): Promise<never> => {
    begin();
    return never;
  };
  for (;;) {
    try {
      await Promise.race([begun, locks.once(key, new Date(slot), { ttl }, work)]);
      return;
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    }
  }
}

async function raceForJob(request: Omit<Extract<Request, { kind: 'race' }>, 'kind'>): Promise<readonly string[]> {
  const { key, slots, ttl } = request;
  locks ??= createLocks(started());
  const states: string[] = [];
  for (const slot of slots) states.push((await locks.once(key, new Date(slot), { ttl }, () => {})).state);
  return states;
}

function look(lease: Lease): LeaseElsewhere {
  const { held, remaining } = lease;
  const { owner, token, mode } = lease;
  return { owner, token, mode, held, remaining, aborted: lease.signal.aborted };
}

function linedUp(owner: string): Waiting {
  const waiting = inQueue.get(owner);
  if (waiting === undefined) throw new Error(`in this process ${owner} has not lined up`);
  return waiting;
}

function heldBy(owner: string): Lease {
  const lease = leases.get(owner);
  if (lease === undefined) throw new Error(`this process has no lease of ${owner}`);
  return lease;
}

/**
 * A claim woken during its attempt tries again. From then on a wake kills the process, without
 * clean-up.
 */
async function enqueueToDie(claim: Claim): Promise<void> {
  let armed = false;
  let woken = true;
  const onWake = (): void => {
    if (armed) process.kill(process.pid, 'SIGKILL');
    woken = true;
  };
  while (woken) {
    woken = false;
    await started().tryAcquire(claim, onWake);
  }
  armed = true;
}

function started(): LockProvider {
  if (provider === undefined) throw new Error('the worker was not started');
  return provider;
}
