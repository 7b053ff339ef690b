import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../src/index.ts';
import { checkHistory, createHistory, createVirtualRuntime } from '../../src/testing/index.ts';
import type { HistoryEvent } from '../../src/testing/index.ts';

type Granted = HistoryEvent & { readonly type: 'granted' };

function granted(owner: string, token: bigint, more: Partial<Granted> = {}): HistoryEvent {
  return { at: 1, type: 'granted', owner, process: 'p', key: 'k', mode: 'exclusive', token, ...more };
}

function event(type: 'held' | 'over' | 'released' | 'lost' | 'closed' | 'crashed', owner: string): HistoryEvent {
  return { at: 2, type, owner };
}

const reader = { mode: 'shared', permits: 2 } as const;

describe('a history breaks nothing', () => {
  it.each<[string, HistoryEvent[]]>([
    ['when nothing happened', []],
    ['when one holds after the other', [granted('a', 1n), event('released', 'a'), granted('b', 2n)]],
    ['when the validity of the one before is over', [granted('a', 1n), event('over', 'a'), granted('b', 2n)]],
    ['when the one before crashed', [granted('a', 1n), event('crashed', 'a'), granted('b', 2n)]],
    ['when different keys are held', [granted('a', 2n), granted('b', 1n, { key: 'other' })]],
    ['when as many share as there are permits', [granted('a', 1n, reader), granted('b', 2n, reader)]],
    [
      'when sharers are granted in another order than their tokens',
      [granted('a', 2n, reader), granted('b', 1n, reader)],
    ],
    [
      'when each sharer has been granted by its own number of permits, and told of it in another order',
      [
        granted('b', 2n, reader),
        granted('c', 3n, { ...reader, permits: 3 }),
        granted('a', 1n, { ...reader, permits: 1 }),
      ],
    ],
    ['when a lease is over and then told so', [granted('a', 1n), event('over', 'a'), event('lost', 'a')]],
  ])('%s', (_, events) => {
    expect(checkHistory(events)).toEqual([]);
  });
});

describe('a history shows', () => {
  it.each<[string, HistoryEvent[], string]>([
    [
      'two exclusive holders',
      [granted('a', 1n), granted('b', 2n)],
      'at 1, b granted exclusive on k with token 2: a holds it too',
    ],
    [
      'a reader beside a writer',
      [granted('a', 1n), granted('b', 2n, { mode: 'shared' })],
      'at 1, b granted shared on k with token 2: a holds it too',
    ],
    [
      'a writer beside a reader',
      [granted('a', 1n, { mode: 'shared' }), granted('b', 2n)],
      'at 1, b granted exclusive on k with token 2: a holds it too',
    ],
    [
      'more sharers than permits',
      [granted('a', 1n, reader), granted('b', 2n, reader), granted('c', 3n, reader)],
      'at 1, c granted shared on k with token 3: 3 share 2 permits',
    ],
    [
      'more sharers than the permits of the last one',
      [granted('a', 1n, { ...reader, permits: 3 }), granted('b', 2n, { ...reader, permits: 1 })],
      'at 1, b granted shared on k with token 2: 2 share 1 permits',
    ],
    [
      'a token that goes back',
      [granted('a', 2n), event('released', 'a'), granted('b', 1n)],
      'at 1, b granted exclusive on k with token 1: the earlier token of a is higher',
    ],
    [
      'a token that is given twice, even to sharers',
      [granted('a', 1n, reader), granted('b', 1n, reader)],
      'at 1, b granted shared on k with token 1: a has the same token',
    ],
    [
      'a lease that comes back',
      [granted('a', 1n), event('over', 'a'), event('held', 'a')],
      'at 2, a held: it came back',
    ],
    [
      'a loss that is told twice',
      [granted('a', 1n), event('lost', 'a'), event('lost', 'a')],
      'at 2, a lost: it had ended before',
    ],
    [
      'a loss after the release',
      [granted('a', 1n), event('released', 'a'), event('lost', 'a')],
      'at 2, a lost: it had ended before',
    ],
    [
      'a loss that is told twice, of a lease that was over at its release',
      [granted('a', 1n), event('over', 'a'), event('released', 'a'), event('lost', 'a'), event('lost', 'a')],
      'at 2, a lost: it had ended before',
    ],
    ['an owner that is used again', [granted('a', 1n), event('released', 'a'), granted('a', 2n)], 'granted before'],
    ['a lease that was never granted', [event('lost', 'a')], 'at 2, a lost: it was never granted'],
  ])('%s', (_, events, problem) => {
    expect(checkHistory(events)).toEqual([expect.stringContaining(problem)]);
  });

  it('at its end, a lease whose holder was never told that it is over', () => {
    const events = [granted('a', 1n), event('over', 'a')];
    expect(checkHistory(events, { ended: true })).toEqual(['a was granted and never ended: its holder was not told']);
    expect(checkHistory([...events, event('lost', 'a')], { ended: true })).toEqual([]);
  });
});

describe('a kept history', () => {
  function createSetting() {
    const runtime = createVirtualRuntime();
    const store = createMemoryStore({ runtime });
    const open = () => createLocks(createMemoryProvider({ store }), { runtime, ttl: 1_000 });
    return { runtime, open, history: createHistory(() => runtime.time) };
  }

  it('has what leases say of themselves', async () => {
    const { runtime, open, history } = createSetting();
    const [one, two] = [open(), open()];
    const lost = await one.acquire('k', { renew: false });
    history.granted('one', lost);
    runtime.block(1_000);
    const released = await two.acquire('k');
    history.granted('two', released, 1);
    history.released(released);
    await released.release();
    await runtime.advance(0);
    const closed = await two.acquire('k');
    history.granted('two', closed);
    await two.close();
    history.look();
    expect(history.events.map(({ at, type, owner }) => ({ at, type, owner }))).toEqual([
      { at: 1_000, type: 'granted', owner: lost.owner },
      { at: 2_000, type: 'over', owner: lost.owner },
      { at: 2_000, type: 'granted', owner: released.owner },
      { at: 2_000, type: 'released', owner: released.owner },
      { at: 2_000, type: 'lost', owner: lost.owner },
      { at: 2_000, type: 'granted', owner: closed.owner },
      { at: 2_000, type: 'closed', owner: closed.owner },
    ]);
    expect(history.events[2]).toMatchObject({ process: 'two', key: 'k', permits: 1, token: released.token });
    expect(checkHistory(history.events, { ended: true })).toEqual([]);
  });

  it('has the loss that a release notices first', async () => {
    const { runtime, open, history } = createSetting();
    const lease = await open().acquire('k', { renew: false });
    history.granted('one', lease);
    runtime.block(1_000);
    history.released(lease);
    expect(await lease.release()).toBe(false);
    expect(history.events.map(({ type }) => type)).toEqual(['granted', 'over', 'released', 'lost']);
    expect(checkHistory(history.events, { ended: true })).toEqual([]);
  });

  it('ends all leases of a process that crashed, and of no other', async () => {
    const { open, history } = createSetting();
    const [one, two] = [open(), open()];
    const gone = [await one.acquire('a'), await one.acquire('b')];
    for (const lease of gone) history.granted('one', lease);
    history.granted('two', await two.acquire('c'));
    history.crashed('one');
    history.released(gone[0]!);
    expect(history.events.filter(({ type }) => type === 'crashed').map(({ owner }) => owner)).toEqual(
      gone.map(({ owner }) => owner),
    );
    expect(history.events).toHaveLength(5);
  });

  it('notices a lease that comes back', async () => {
    const { open, history } = createSetting();
    const lease = await open().acquire('k');
    let held = true;
    history.granted('one', {
      ...lease,
      key: lease.key,
      owner: lease.owner,
      mode: lease.mode,
      token: lease.token,
      signal: lease.signal,
      get held() {
        return held;
      },
    });
    for (const each of [false, false, true]) {
      held = each;
      history.look();
    }
    expect(checkHistory(history.events)).toEqual([expect.stringContaining('it came back')]);
  });
});
