import { describe, expect, test } from 'vitest';
import { Places } from '../../../src/adapter/line/places.ts';
import type { Claim } from '../../../src/contract.ts';
import type { Place } from '../../../src/adapter/line/place.ts';

const refresh = 2_000;

function claimOf(owner: string, key = 'key'): Claim {
  return { key, owner, ttl: 30_000, mode: 'exclusive' };
}

/** Waiters in line on one key, all of them told at 0 to wait for the next sign of life. */
function createLine(count: number): {
  readonly places: Places;
  readonly line: readonly Place[];
  readonly wakes: string[];
  /** How long `owner` may wait on without a call. */
  quiet(owner: string, now: number): number | undefined;
} {
  const places = new Places(refresh);
  const wakes: string[] = [];
  const line = Array.from({ length: count }, (_, index) => {
    const owner = `o${index}`;
    const place = places.take(claimOf(owner), () => wakes.push(owner));
    places.shown(place, refresh, 0, 0);
    return place;
  });
  const quiet = (owner: string, now: number) => places.quietFor(owner, () => wakes.push(owner), now);
  return { places, line, wakes, quiet };
}

function at(line: readonly Place[], index: number): Place {
  const place = line[index];
  if (place === undefined) throw new Error(`no place ${index}`);
  return place;
}

describe('places in line', () => {
  test('wake all claims when they are closed, not synchronously, and none after it', async () => {
    const { places, wakes } = createLine(3);
    places.wakeAll();
    places.close();
    expect(wakes).toEqual([]);
    await Promise.resolve();
    expect(wakes).toEqual(['o0', 'o1', 'o2']);
    places.wake('o0');
    expect([wakes.length, places.size]).toEqual([3, 0]);
  });

  test('ask the server at first, and when they come before their time', () => {
    const { places, line, quiet } = createLine(2);
    const fresh = places.take(claimOf('new'), () => {});
    expect(quiet('new', 0)).toBeUndefined();
    expect(places.shownWith(fresh, 1_900)).toEqual([]);
    expect(places.shownWith(at(line, 0), 1_000)).toEqual([]);
  });

  test('that another call has shown wait on without a call, until they are due', () => {
    const { places, line, quiet } = createLine(3);
    const [first, second, third] = [at(line, 0), at(line, 1), at(line, 2)];
    expect(quiet('o1', 1_900)).toBeUndefined();
    const others = places.shownWith(first, 1_900);
    expect(others).toEqual([second, third]);
    places.shown(first, refresh, 1_900, 1_901);
    expect(quiet('o1', 1_950)).toBe(1_950);
    // A claim that asks before its time has a reason.
    expect(quiet('o1', 2_000)).toBeUndefined();
    expect(quiet('o1', 3_899)).toBeUndefined();
    expect(quiet('o2', 1_950)).toBe(1_950);
    // What it heard itself says nothing about what it would hear now.
    expect(quiet('o0', 3_800)).toBeUndefined();
  });

  test('that were woken ask the server, also when they were woken before the call that shows them was answered', () => {
    const { places, line, wakes, quiet } = createLine(3);
    places.shownWith(at(line, 0), 1_900);
    places.wake('o1');
    places.shown(at(line, 0), refresh, 1_900, 1_901);
    places.wake('o2');
    expect(wakes).toEqual(['o1', 'o2']);
    expect(quiet('o1', 1_950)).toBeUndefined();
    expect(quiet('o2', 1_950)).toBeUndefined();
  });

  test('that were woken carry no other place: their call is on the way of the lock from one holder to the next', () => {
    const { places, line } = createLine(3);
    places.wake('o0');
    expect(places.shownWith(at(line, 0), 1_900)).toEqual([]);
    places.shown(at(line, 0), refresh, 1_900, 1_901);
    expect(places.shownWith(at(line, 0), 3_900)).toEqual([at(line, 1), at(line, 2)]);
  });

  test('say on which keys they are', () => {
    const { places } = createLine(1);
    places.take(claimOf('z', 'other'), () => {});
    expect(places.keys()).toEqual(['key']);
    expect([places.waitsFor('key'), places.waitsFor('other')]).toEqual([true, false]);
    places.leave('o0');
    expect([places.keys(), places.waitsFor('key')]).toEqual([[], false]);
  });

  test('are quiet from the send of that call on, because many are due at about the same time', () => {
    const { places, line, quiet } = createLine(3);
    places.shownWith(at(line, 0), 1_900);
    expect(quiet('o1', 1_950)).toBe(1_950);
    expect(places.shownWith(at(line, 2), 1_950)).toEqual([]);
  });

  test('ask again in time when that call failed', () => {
    const { places, line, quiet } = createLine(2);
    places.shownWith(at(line, 0), 1_900);
    expect(quiet('o1', 1_950)).toBe(1_950);
    expect(quiet('o1', 3_800)).toBeUndefined();
  });

  test('that may have lapsed before a call that shows them was answered ask for themselves', async () => {
    const { places, line, wakes, quiet } = createLine(3);
    const others = places.shownWith(at(line, 0), 4_000);
    expect(others).toEqual([at(line, 1), at(line, 2)]);
    // Kept by a call at 1 900, of which this one knows nothing.
    places.shown(at(line, 2), refresh, 1_900, 1_901);
    places.kept(others, 4_000, 5_900);
    expect(wakes).toEqual([]);
    await Promise.resolve();
    expect(wakes).toEqual(['o1']);
    expect(quiet('o1', 5_900)).toBeUndefined();
    // What kept the other one counts from its send, also when it is answered later.
    places.kept([at(line, 2)], 5_000, 9_700);
    places.kept([at(line, 2)], 8_000, 10_900);
    await Promise.resolve();
    expect(wakes).toEqual(['o1', 'o2']);
  });

  test('that were kept in time wait on, as long as that goes on', async () => {
    const { places, line, wakes } = createLine(2);
    for (let sentAt = 1_900; sentAt < 100_000; sentAt += 3_000) {
      places.kept(places.shownWith(at(line, 0), sentAt), sentAt, sentAt + 1_000);
      places.shown(at(line, 0), refresh, sentAt, sentAt + 1_000);
    }
    await Promise.resolve();
    expect(wakes).toEqual([]);
  });

  test('that were never kept for lack of answers ask for themselves', async () => {
    const { places, line, wakes } = createLine(2);
    for (const sentAt of [1_900, 3_900]) expect(places.shownWith(at(line, 0), sentAt)).toHaveLength(1);
    places.kept(places.shownWith(at(line, 0), 5_900), 5_900, 5_901);
    await Promise.resolve();
    expect(wakes).toEqual(['o1']);
  });

  test('that look for the expiry of a holder are not shown by others, and look', () => {
    const { places, line, quiet } = createLine(3);
    places.shown(at(line, 1), 500, 100, 100);
    expect(places.shownWith(at(line, 0), 1_900)).toEqual([at(line, 2)]);
    expect(quiet('o1', 600)).toBeUndefined();
  });

  test('that have left are not shown, not woken, and do not come back with the answer', () => {
    const { places, line, wakes } = createLine(3);
    places.shownWith(at(line, 0), 1_900);
    places.leave('o1');
    places.shown(at(line, 0), refresh, 1_900, 1_901);
    places.wake('o1');
    expect(wakes).toEqual([]);
    expect(places.size).toBe(2);
    expect(places.shownWith(at(line, 2), 3_900)).toEqual([at(line, 0)]);
    places.leave('o0');
    places.shown(at(line, 0), refresh, 3_900, 3_901);
    expect(places.shownWith(at(line, 2), 3_900)).toEqual([]);
  });

  test('are shown a hundred at a time, those first that were not for longest', () => {
    const { places, line } = createLine(250);
    const first = places.shownWith(at(line, 249), 1_900);
    expect(first).toEqual(line.slice(0, 100));
    places.shown(at(line, 249), refresh, 1_900, 1_900);
    const second = places.shownWith(at(line, 248), 1_900);
    expect(second).toEqual(line.slice(100, 200));
    places.shown(at(line, 248), refresh, 1_900, 1_900);
    expect(places.shownWith(at(line, 247), 1_900)).toEqual(line.slice(200, 247));
  });

  test('are all woken, but never at once, when messages may have been lost', async () => {
    const { places, wakes } = createLine(3);
    places.wakeAll();
    places.leave('o1');
    expect(wakes).toEqual([]);
    await Promise.resolve();
    expect(wakes).toEqual(['o0', 'o2']);
  });

  test('on other keys have nothing to do with them', () => {
    const { places, line } = createLine(2);
    const other = places.take(claimOf('z', 'other'), () => {});
    places.shown(other, refresh, 0, 0);
    expect(places.shownWith(at(line, 0), 1_900)).toEqual([at(line, 1)]);
  });
});
