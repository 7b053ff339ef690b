import type { MemberAnswer } from '../../../src/members/member-answers.ts';
import { isOwner } from './draft.ts';
import type { Draft } from './draft.ts';
import { memberOf } from './setting.ts';
import type { Setting } from './setting.ts';
import type { Call, Hold, Owner, Store } from './world.ts';

/** So many times 1 ms: more than the tokens that one member gives in a tick. */
const tokensPerMs = 4;

/** A member's store meets a call. */
export function meet(draft: Draft, index: number, contender: number, call: Call): MemberAnswer {
  expire(draft, index);
  const before = headOf(draft.store(index));
  const owner = { contender, number: call.number };
  const answer = call.kind === 'renew' ? renew(draft, index, owner, call) : acquire(draft, index, owner, call);
  wakeHead(draft, index, before);
  return answer;
}

/** A member's store meets a release. */
export function meetRelease(draft: Draft, index: number, owner: Owner): void {
  expire(draft, index);
  const { hold, queue } = draft.store(index);
  const before = headOf(draft.store(index));
  draft.changeStore(index, {
    hold: isOwner(hold, owner.contender, owner.number) ? undefined : hold,
    queue: queue.filter((place) => !isOwner(place, owner.contender, owner.number)),
  });
  wakeHead(draft, index, before);
}

/** Drops all of a contender whose process is gone. */
export function lapse(draft: Draft, index: number, contender: number): void {
  const { hold, queue } = draft.store(index);
  const before = headOf(draft.store(index));
  draft.changeStore(index, {
    hold: hold?.contender === contender ? undefined : hold,
    queue: queue.filter((place) => place.contender !== contender),
  });
  wakeHead(draft, index, before);
}

function acquire(draft: Draft, index: number, owner: Owner, { kind, token: floor, brief }: Call): MemberAnswer {
  const { setting, now } = draft;
  const store = draft.store(index);
  const { hold, queue, closedUntil } = store;
  if (now < closedUntil) return { kind: 'failed', error: undefined, leftNothing: true };
  if (isOwner(hold, owner.contender, owner.number)) {
    const held = hold as Hold;
    if (setting.store.restartsTtl)
      draft.changeStore(index, { hold: { ...held, expires: expiry(setting, now, brief) } });
    return { kind: 'granted', token: held.token, validity: lasting(setting, brief) * setting.tick };
  }
  const head = queue[0];
  if (hold === undefined && (head === undefined || isOwner(head, owner.contender, owner.number))) {
    const token = nextToken(draft, store, floor ?? 0n);
    draft.changeStore(index, {
      hold: { ...owner, token, expires: expiry(setting, now, brief) },
      counter: setting.tokens === 'newest' ? 0n : token,
      queue: queue.slice(1),
    });
    return { kind: 'granted', token, validity: lasting(setting, brief) * setting.tick };
  }
  if (kind === 'ask in the queue' && !queue.some((place) => isOwner(place, owner.contender, owner.number))) {
    draft.changeStore(index, { queue: [...queue, owner] });
  }
  return { kind: 'busy', retryAfter: undefined };
}

function renew(draft: Draft, index: number, owner: Owner, { token, brief }: Call): MemberAnswer {
  const { setting, now } = draft;
  const { hold, counter } = draft.store(index);
  if (hold === undefined || !isOwner(hold, owner.contender, owner.number)) return { kind: 'no vote' };
  if (token !== undefined && setting.store.guardsToken && hold.token > token) return { kind: 'no vote' };
  const raised = token !== undefined && setting.store.raisesToken ? token : 0n;
  draft.changeStore(index, {
    hold: { ...hold, token: highest(hold.token, raised), expires: expiry(setting, now, brief) },
    counter: setting.tokens === 'newest' ? 0n : highest(counter, raised),
  });
  return { kind: 'granted', token, validity: lasting(setting, brief) * setting.tick };
}

function nextToken(draft: Draft, { counter }: Store, floor: bigint): bigint {
  const { setting, now } = draft;
  if (setting.tokens === 'newest') return draft.mint();
  const least = highest(counter, floor) + 1n;
  return setting.tokens === 'clock' ? highest(least, BigInt(now * tokensPerMs)) : least;
}

/** Drops a hold whose ttl is over. */
function expire(draft: Draft, index: number): void {
  const { hold } = draft.store(index);
  if (hold !== undefined && hold.expires <= draft.now) draft.changeStore(index, { hold: undefined });
}

function expiry(setting: Setting, now: number, brief: boolean): number {
  return now + (lasting(setting, brief) - setting.drift) * setting.tick;
}

/** In ticks. */
function lasting({ ttl, place }: Setting, brief: boolean): number {
  return brief ? place : ttl;
}

/** The head of the queue, where the key is free. */
function headOf({ hold, queue }: Store): Owner | undefined {
  return hold === undefined ? queue[0] : undefined;
}

/** Wakes a head that can be granted now, and could not before. */
function wakeHead(draft: Draft, index: number, before: Owner | undefined): void {
  const head = headOf(draft.store(index));
  if (head === undefined || head === before) return;
  const { contender, number } = head;
  const { stage, wakes } = draft.contender(contender);
  const member = memberOf(draft.setting, contender, index);
  if (stage === 'crashed' || wakes.some((wake) => wake.member === member && wake.number === number)) return;
  draft.change(contender, { wakes: [...wakes, { member, number }] });
}

function highest(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
