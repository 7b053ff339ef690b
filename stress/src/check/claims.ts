import type { Ask, RunLog, WorkerEvent } from '../log/events.ts';

/** One call for a lock, and what came of it. Times are in microseconds. */
export interface Claim {
  readonly id: string;
  readonly worker: string;
  readonly ask: Ask;
  readonly calledAt: number;
  /** When the call was answered with something other than a lease. */
  endedAt?: number;
  failure?: { readonly code: string; readonly message: string };
  grantedAt?: number;
  token?: bigint;
  /** Until when the lease said that it is certainly held, at the latest of its words. */
  promisedUntil: number;
  /** What it promised last, before `release` was called. */
  promisedAtRelease: number;
  lostAt?: number;
  lostCode?: string;
  /** The lease called itself held although its signal had fired. */
  heldAfterLoss?: boolean;
  releaseAt?: number;
  releasedAt?: number;
  answer?: boolean | string;
  renewals: { readonly at: number; readonly code: string }[];
}

/** A claim that was granted. */
export type Granted = Claim & { readonly grantedAt: number; readonly token: bigint };

/** From when until when the claim certainly held its key. */
export interface Hold {
  readonly claim: Claim;
  readonly from: number;
  readonly until: number;
}

/** The calls in the logs of the workers, in the order of their beginning. */
export function readClaims({ workers }: RunLog): Claim[] {
  const claims: Claim[] = [];
  for (const [worker, events] of workers) {
    const byId = new Map<string, Claim>();
    for (const event of events) follow(worker, byId, event);
    claims.push(...byId.values());
  }
  return claims.toSorted((one, other) => one.calledAt - other.calledAt);
}

export function isGranted(claim: Claim): claim is Granted {
  return claim.grantedAt !== undefined && claim.token !== undefined;
}

/**
 * A lease promises with each look how long it certainly lasts. A release ends it, and so does a
 * loss; a release that answers `true` proves that it lasted until then.
 */
export function holdOf(claim: Claim): Hold | undefined {
  const { grantedAt, promisedUntil, lostAt = Infinity, releaseAt = Infinity, answer } = claim;
  if (grantedAt === undefined) return undefined;
  const until = answer === true ? releaseAt : Math.min(promisedUntil, lostAt, releaseAt);
  return until > grantedAt ? { claim, from: grantedAt, until } : undefined;
}

function follow(worker: string, byId: Map<string, Claim>, event: WorkerEvent): void {
  if (!('id' in event)) return;
  const { t, id } = event;
  if (event.ev === 'call') {
    const { ask } = event;
    byId.set(id, { id, worker, ask, calledAt: t, promisedUntil: 0, promisedAtRelease: 0, renewals: [] });
    return;
  }
  const claim = byId.get(id);
  if (claim === undefined) throw new Error(`${id}: the log has a "${event.ev}" before its "call"`);
  const promise = (left: number): void => {
    if (left > 0) claim.promisedUntil = Math.max(claim.promisedUntil, t + left * 1_000);
  };
  switch (event.ev) {
    case 'grant':
      claim.grantedAt = t;
      claim.token = BigInt(event.token);
      promise(event.left);
      break;
    case 'held':
      promise(event.left);
      break;
    case 'lost':
      claim.lostAt = t;
      claim.lostCode = event.code;
      claim.heldAfterLoss = event.held;
      break;
    case 'renewed':
      claim.renewals.push({ at: t, code: event.code });
      break;
    case 'release':
      claim.releaseAt = t;
      claim.promisedAtRelease = event.left > 0 ? t + event.left * 1_000 : 0;
      promise(event.left);
      break;
    case 'released':
      claim.releasedAt = t;
      claim.answer = event.answer;
      break;
    case 'busy':
      claim.endedAt = t;
      break;
    case 'failed':
      claim.endedAt = t;
      claim.failure = { code: event.code, message: event.message };
      break;
    default:
      event satisfies never;
  }
}
