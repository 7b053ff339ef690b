import type { Claim, LockProvider } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, unconfirmedTransfer } from '../../errors/messages.ts';
import { isAnswer } from '../../options/answers.ts';
import { acquireReaders } from '../../options/acquire-options.ts';
import { durationOrForever } from '../../options/duration.ts';
import { checkKey } from '../../options/key.ts';
import { about, channels } from '../diagnostics/channels.ts';
import { leftOf } from '../release/rest.ts';
import type { Rest } from '../release/rest.ts';
import type { HeldLease } from './held-lease.ts';
import type { LeaseHost } from './lease-host.ts';
import { mustBeHeld, renew as renewNow } from './renewals.ts';

/** A lease in transfer to another process. */
export interface Transfer {
  /** Without a floor: it is granted already. */
  readonly claim: Claim;
  readonly token: bigint;
  /** The owner of the ticket, which the resuming process removes. */
  readonly ticket: string;
  /** The token of the ticket's grant. */
  readonly ticketToken: bigint;
  readonly renew: boolean;
  /** What is left of `maxHold`, in ms. Absent: no limit. */
  readonly left?: number | undefined;
  /** The cooldown of its key, in ms: `atLeast` from here. Absent: none. */
  readonly rest?: Pick<Rest, 'lockDelay' | 'atLeast'> | undefined;
}

const version = 1;

/** Nothing may be left of `maxHold`. */
const readers = { ...acquireReaders, maxHold: durationOrForever(0) };

/** Throws `LOCK_INVALID` where a hold is bound to the session that took it. */
export function mustTransfer({ name, traits }: LockProvider, key: string): void {
  if (traits.expiry !== 'session') return;
  const message = `The lease on ${JSON.stringify(key)} cannot be transferred: with ${name} it ends with the session of its process (trait "expiry"). Release it, and let the other process acquire the key.`;
  throw new LockError('LOCK_INVALID', message, { key });
}

/**
 * The ticket of a lease: a hold on a separate key. The process that frees it resumes the lease, as
 * at most one of several releases frees a hold.
 */
export function ticketOf({ owner, ttl }: Pick<Claim, 'owner' | 'ttl'>, ticket: string): Claim {
  return { key: `transfer/${owner}`, owner: ticket, ttl, mode: 'exclusive' };
}

/** The key held by the process that removes the ticket of `claim`. */
export function turnKey({ owner }: Pick<Claim, 'owner'>): string {
  return `transfer/${owner}/turn`;
}

/** Ends `lease` here. Resolves to the lease as text for another process. */
export async function transfer(lease: HeldLease): Promise<string> {
  const { host, claim } = lease;
  mustBeHeld(lease);
  mustTransfer(host.provider, claim.key);
  const ticket = ticketOf(claim, host.nextOwner());
  const ticketToken = await take(host, claim, ticket);
  try {
    // The other process has a whole ttl from here.
    await renewNow(lease);
    mustBeHeld(lease);
  } catch (error) {
    host.releases.start({ claim: ticket, uncertain: false, lastSend: host.runtime.clock.now() });
    throw error;
  }
  lease.finish('transferred');
  const now = host.runtime.clock.now();
  if (channels.transfer.hasSubscribers) {
    channels.transfer.publish({ ...about(host.provider.name, lease.claim), heldFor: now - lease.since });
  }
  const { key, owner, ttl, mode, permits } = lease.claim;
  const { holdUntil, renew, rest } = lease.keeping;
  const record = {
    ...{ version, key, owner, ttl, mode, permits, token: `${lease.token}` },
    ...{ ticket: ticket.owner, ticketToken: `${ticketToken}`, renew },
    left: holdUntil === undefined ? undefined : Math.max(0, holdUntil - now),
    rest: rest && { lockDelay: rest.lockDelay, atLeast: leftOf(rest, now) },
  };
  return Buffer.from(JSON.stringify(record)).toString('base64url');
}

/** Takes the ticket. Resolves to the token of its grant. */
async function take({ provider, runtime, releases }: LeaseHost, claim: Claim, ticket: Claim): Promise<bigint> {
  const lastSend = runtime.clock.now();
  try {
    const answer = await provider.tryAcquire(ticket);
    if (isAnswer(answer) && answer.granted) return answer.token;
    throw badAnswerError(provider, ticket);
  } catch (error) {
    releases.start({ claim: ticket, uncertain: true, lastSend });
    throw unconfirmedTransfer(provider, claim, error);
  }
}

/** Parses the text of `transfer`. Throws `LOCK_INVALID` for other text. */
export function readTransfer(text: unknown): Transfer {
  try {
    const record = JSON.parse(Buffer.from(String(text), 'base64url').toString()) as Record<string, unknown>;
    const { key, owner, ttl, mode, permits, token, ticket, ticketToken, renew, left, rest } = record;
    const { lockDelay, atLeast } = (rest ?? { lockDelay: 0, atLeast: 0 }) as Record<string, unknown>;
    checkKey(key);
    const owners = [owner, ticket].every((each) => typeof each === 'string' && /^[!-~]{1,250}$/.test(each));
    const tokens = [token, ticketToken].every((each) => typeof each === 'string' && /^\d{1,19}$/.test(each));
    const terms = { ttl, permits: permits ?? 1, maxHold: left ?? Infinity, lockDelay, atLeast };
    const numbers = Object.entries(terms).every(([name, value]) => readers[name as keyof typeof terms].accepts(value));
    if (record['version'] === version && owners && tokens && numbers && (mode === 'exclusive' || mode === 'shared')) {
      const claim = { key, owner, ttl, mode, ...(permits !== undefined && { permits }) } as unknown as Claim;
      return {
        claim,
        token: BigInt(token as string),
        ticket: ticket as string,
        ticketToken: BigInt(ticketToken as string),
        renew: renew !== false,
        left: left as number,
        rest: rest as Transfer['rest'],
      };
    }
  } catch {
    // Thrown below: the details of such text do not help a user.
  }
  throw noTransfer();
}

export function noTransfer(): LockError {
  return new LockError('LOCK_INVALID', 'resume(text) needs the unchanged text that lease.transfer() returned.');
}
