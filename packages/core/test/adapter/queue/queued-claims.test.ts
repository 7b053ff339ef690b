import { describe, expect, test } from 'vitest';
import { QueuedClaims } from '../../../src/adapter/queue/queued-claims.ts';
import type { QueuedClaim } from '../../../src/adapter/queue/queued-claim.ts';
import type { Claim } from '../../../src/contract.ts';

const refresh = 2_000;

function claimOf(owner: string, key = 'key'): Claim {
  return { key, owner, ttl: 30_000, mode: 'exclusive' };
}

/** Claims in the queue of one key, all of them told at 0 to wait for the next sign of life. */
function createQueue(count: number) {
  const claims = new QueuedClaims(refresh);
  const wakes: string[] = [];
  const answer = (mine: QueuedClaim, sentAt: number, now = sentAt, retryAfter = refresh): void => {
    mine.busy(retryAfter, retryAfter < refresh, now);
    claims.show(mine, sentAt);
  };
  const enter = (owner: string, key?: string): QueuedClaim => {
    const mine = claims.come(claimOf(owner, key), () => wakes.push(owner));
    mine.ask();
    mine.send();
    answer(mine, 0);
    return mine;
  };
  const queue = Array.from({ length: count }, (_, index) => enter(`o${index}`));
  const at = (index: number): QueuedClaim => queue[index] as QueuedClaim;
  /** How long the claim may wait on, or the claims that its call shows. */
  const call = (mine: QueuedClaim, now: number): number | 'hears' | readonly QueuedClaim[] => {
    const { answer: next, left } = mine.next(now, refresh);
    if (next === 'hear') return 'hears';
    if (next === 'quiet') {
      mine.toldToWait(left, now);
      return left;
    }
    const others = next === 'ask with others' ? claims.carriedBy(mine, now) : [];
    mine.ask();
    mine.send();
    return others;
  };
  const kept = (others: readonly QueuedClaim[]): void => {
    for (const other of others) claims.carried(other, true);
  };
  return { claims, queue, at, wakes, call, answer, kept, enter };
}

describe('claims in the queue', () => {
  test('wake all when they are closed, not synchronously, and none after it', async () => {
    const { claims, wakes } = createQueue(3);
    claims.notifyAll('gap');
    claims.close();
    expect(wakes).toEqual([]);
    await Promise.resolve();
    expect(wakes).toEqual(['o0', 'o1', 'o2']);
    claims.notify('o0', 'message');
    expect([wakes.length, claims.size]).toEqual([3, 0]);
  });

  test('ask the server at first, and when they come before their time', () => {
    const { claims, at, call } = createQueue(2);
    expect(
      call(
        claims.come(claimOf('new'), () => {}),
        1_900,
      ),
    ).toEqual([]);
    expect(call(at(0), 1_000)).toEqual([]);
  });

  test('that another call has shown hear its answer, and wait on without a call until they are due', () => {
    const { at, call, answer, kept } = createQueue(3);
    const others = call(at(0), 1_900) as readonly QueuedClaim[];
    expect(others).toEqual([at(1), at(2)]);
    expect(call(at(1), 1_900)).toBe('hears');
    kept(others);
    answer(at(0), 1_900, 1_901);
    expect(call(at(1), 1_950)).toBe(1_950);
    // A claim that asks before its time has a reason.
    expect(call(at(1), 2_000)).toEqual([]);
    expect(call(at(2), 1_950)).toBe(1_950);
    // What it heard itself says nothing about what it would hear now.
    // A call of its own under way does not lose its place either.
    expect(call(at(0), 3_800)).toEqual([at(1), at(2)]);
  });

  test('that were shown, and are due for the next sign of life, give it themselves', () => {
    const { at, call, answer, kept } = createQueue(2);
    kept(call(at(0), 1_900) as readonly QueuedClaim[]);
    answer(at(0), 1_900);
    expect(call(at(1), 1_950)).toBe(1_950);
    expect(call(at(1), 3_800)).toEqual([at(0)]);
  });

  test('that were woken ask the server, also when they were woken before the call that shows them was answered', () => {
    const { claims, at, wakes, call, answer, kept } = createQueue(3);
    const others = call(at(0), 1_900) as readonly QueuedClaim[];
    claims.notify('o1', 'message');
    kept(others);
    answer(at(0), 1_900, 1_901);
    claims.notify('o2', 'message');
    expect(wakes).toEqual(['o1', 'o2']);
    expect([call(at(1), 1_950), call(at(2), 1_950)]).toEqual([[], []]);
  });

  test('that were woken carry no other place: their call is on the way of the lock from one holder to the next', () => {
    const { claims, at, call, answer } = createQueue(3);
    claims.notify('o0', 'message');
    expect(call(at(0), 1_900)).toEqual([]);
    answer(at(0), 1_900, 1_901);
    expect(call(at(0), 3_900)).toEqual([at(1), at(2)]);
  });

  test('say on which keys they are', () => {
    const { claims, at } = createQueue(1);
    claims.come(claimOf('z', 'other'), () => {});
    expect([claims.keys(), claims.waitsFor('key'), claims.waitsFor('other')]).toEqual([['key'], true, false]);
    claims.leave(at(0));
    expect([claims.keys(), claims.waitsFor('key')]).toEqual([[], false]);
  });

  test('ask again in time when the call that showed them failed', () => {
    const { at, call } = createQueue(2);
    const others = call(at(0), 1_900) as readonly QueuedClaim[];
    expect(call(at(1), 1_950)).toBe('hears');
    for (const other of others) other.carried('carrier-failed');
    at(0).rejected();
    expect(call(at(1), 1_951)).toEqual([]);
    expect(call(at(0), 3_900)).toEqual([]);
  });

  test('that the server does not name as kept are woken, and ask', async () => {
    const { claims, at, wakes, call } = createQueue(3);
    for (const other of call(at(0), 1_900) as readonly QueuedClaim[]) claims.carried(other, other === at(2));
    expect(wakes).toEqual([]);
    await Promise.resolve();
    expect(wakes).toEqual(['o1']);
    expect([call(at(1), 1_950), call(at(2), 1_950)]).toEqual([[], 1_950]);
  });

  test('that look for the expiry of a holder are not shown by others, and look', () => {
    const { at, call, answer } = createQueue(3);
    call(at(1), 10);
    answer(at(1), 100, 100, 500);
    expect(call(at(0), 1_900)).toEqual([at(2)]);
    expect(call(at(1), 600)).toEqual([]);
  });

  test('that have left are not shown, not woken, and do not come back with the answer', () => {
    const { claims, at, wakes, call, answer, kept } = createQueue(3);
    const others = call(at(0), 1_900) as readonly QueuedClaim[];
    claims.leave(at(1));
    kept(others);
    answer(at(0), 1_900, 1_901);
    claims.notify('o1', 'message');
    expect([wakes, claims.size]).toEqual([[], 2]);
    expect(call(at(2), 3_900)).toEqual([at(0)]);
    claims.leave(at(0));
    answer(at(0), 3_900);
    expect(claims.carriedBy(at(2), 5_900)).toEqual([]);
  });

  test('are shown a hundred at a time, those first that were not for longest', () => {
    const { queue, at, call, answer, kept } = createQueue(250);
    for (const [by, shown] of [
      [249, queue.slice(0, 100)],
      [248, queue.slice(100, 200)],
      [247, queue.slice(200, 247)],
    ] as const) {
      const others = call(at(by), 1_900) as readonly QueuedClaim[];
      expect(others).toEqual(shown);
      kept(others);
      answer(at(by), 1_900);
    }
  });

  test('on other keys have nothing to do with them', () => {
    const { at, call, enter } = createQueue(2);
    enter('z', 'other');
    expect(call(at(0), 1_900)).toEqual([at(1)]);
  });
});
