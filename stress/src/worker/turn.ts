import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease, Locks } from '@locks/core';
import { now } from '../clock.ts';
import type { WorkerEvent } from '../log/events.ts';
import type { Register } from '../register/register-client.ts';
import type { Plan } from './plan.ts';

/** What a turn works with. */
export interface Surroundings {
  readonly locks: Locks;
  readonly register: Register;
  append(event: WorkerEvent): void;
  /** Holds end early then. */
  isCalm(): boolean;
  /** Takes another lock in the listener of a lease that was lost. */
  afterLoss(id: string): void;
}

/** In ms: how often a holder looks at its lease. */
const lookEvery = 40;

/**
 * Takes a lock as `plan` says, works under it and gives it back. Never rejects: all is in the log.
 */
export async function takeTurn(surroundings: Surroundings, id: string, plan: Plan): Promise<void> {
  const { locks, append } = surroundings;
  const { how, key, mode, permits, wait, abortAfter, renew, reentrant, ttl } = plan.ask;
  const options = {
    mode,
    permits,
    wait,
    renew,
    reentrant,
    ttl,
    signal: abortAfter === undefined ? undefined : AbortSignal.timeout(abortAfter),
  };
  append({ type: 'call', at: now(), id, call: plan.ask });
  try {
    if (how === 'withLock') {
      await locks.withLock(key, (lease) => holdAndFinish(surroundings, id, plan, lease), options);
      append({ type: 'released', at: now(), id, answer: 'over' });
      return;
    }
    const lease = await locks[how](key, options);
    if (lease === null) {
      append({ type: 'busy', at: now(), id });
      return;
    }
    await holdAndFinish(surroundings, id, plan, lease);
    await release(surroundings, id, lease);
  } catch (error) {
    append({ type: 'failed', at: now(), id, code: codeOf(error), message: messageOf(error) });
  }
}

async function holdAndFinish(surroundings: Surroundings, id: string, plan: Plan, lease: Lease): Promise<void> {
  const { append } = surroundings;
  // The clock is read first: what the lease says then held at that time, for a lease does not come
  // back.
  append({ type: 'granted', at: now(), id, token: `${lease.token}`, remaining: lease.remaining });
  const told = (): void => {
    append({ type: 'lost', at: now(), id, code: codeOf(lease.signal.reason), held: lease.held });
    // A lease of withLock may be the scope that its own listener runs in.
    if (plan.ask.how !== 'withLock') surroundings.afterLoss(`${id}/lost`);
  };
  if (lease.signal.aborted) told();
  else lease.signal.addEventListener('abort', told, { once: true });
  await work(surroundings, id, plan, lease);
  const at = now();
  append({ type: 'release', at, id, remaining: lease.remaining });
}

async function work(surroundings: Surroundings, id: string, plan: Plan, lease: Lease): Promise<void> {
  const { register } = surroundings;
  const { key, mode } = plan.ask;
  if (mode === 'shared') {
    await hold(surroundings, id, plan, lease);
    return;
  }
  const seen = await register.read(id, key, lease.token);
  await hold(surroundings, id, plan, lease);
  // A lost lease does not keep a careless holder from writing; the register does.
  if (seen !== undefined) await register.write(id, key, lease.token, seen + 1);
}

async function hold({ append, isCalm }: Surroundings, id: string, plan: Plan, lease: Lease): Promise<void> {
  const end = now() + plan.hold;
  const look = (): void => {
    const at = now();
    const { remaining } = lease;
    if (remaining > 0) append({ type: 'held', at, id, remaining });
  };
  if (plan.renewNow) {
    const code = await lease.renew().then(() => 'ok', codeOf);
    append({ type: 'renewed', at: now(), id, code });
  }
  look();
  for (let rest = plan.hold; rest > 1 && !isCalm(); rest = end - now()) {
    await sleep(Math.min(rest, lookEvery));
    look();
  }
}

async function release({ append }: Surroundings, id: string, lease: Lease): Promise<void> {
  const answer = await lease.release().catch(codeOf);
  append({ type: 'released', at: now(), id, answer });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` <- ${messageOf(error.cause)}`;
  return `${error.message}${cause}`;
}
