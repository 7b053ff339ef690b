import { eventually } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newQueue } from './queues.ts';
import type { Queue } from './queues.ts';
import { startNode } from './peer.ts';
import type { NodeKind, Peer, PeerLock } from './peer.ts';

/** One lock of this package and one of another library that exclude each other, for one key. */
export interface Meeting<Kind extends string> {
  readonly recipe: 'mutex' | 'read-write' | 'semaphore';
  readonly node: NodeKind;
  readonly other: Kind;
  startOther(): Promise<Peer<Kind>>;
  /** Of both, where they share. @default none */
  readonly permits?: number;
  /**
   * Two of ours exclude each other too, and so do two of theirs: there is one holder at a time.
   * Otherwise one side reads and the other writes.
   */
  readonly alone: boolean;
  /**
   * kazoo's ReadLock also waits for writers that came after it (kazoo#649), and these for it.
   * @default false
   */
  readonly waitsForLater?: boolean;
}

/** The tests of one pair. Peers are shared, but for those that are killed. */
export function meet<Kind extends string>(meeting: Meeting<Kind>): void {
  const { recipe, permits = 0 } = meeting;
  let node: Peer<NodeKind>;
  let other: Peer<Kind>;

  beforeAll(async () => {
    [node, other] = await Promise.all([startNode(recipe), meeting.startOther()]);
  });
  afterAll(async () => {
    await Promise.all([node?.end(), other?.end()]);
  });

  const ownPermits = meeting.node === 'shared' ? permits : 0;
  const ours = (queue: Queue, peer = node): PeerLock => peer.acquire(meeting.node, queue.path, { permits: ownPermits });
  const theirs = (queue: Queue, peer = other): PeerLock => peer.acquire(meeting.other, queue.path, { permits });

  /** Resolves when so many have seen that they must wait. */
  async function waiting(queue: Queue, count: number): Promise<void> {
    await eventually(`${count} to wait`, async () => {
      const watches = await queue.watches();
      if (recipe !== 'semaphore' || watches >= count) return watches >= count;
      // The first one may be a Curator: it watches the list of leases, which the server does not
      // show, having made one too many.
      return watches === count - 1 && (await queue.names('/leases')).length > permits;
    });
  }

  /** Resolves when so many have taken their place behind a holder of ours. */
  async function inQueue(queue: Queue, count: number): Promise<void> {
    if (recipe !== 'semaphore') await queue.places(count + 1);
    else await queue.places(meeting.node === 'shared' ? count : count + 1, '/locks');
  }

  if (meeting.waitsForLater !== true) {
    test('first come, first served among mixed waiters', async () => {
      const queue = await newQueue();
      const holder = ours(queue);
      await holder.acquired;
      const served: number[] = [];
      const done: Promise<void>[] = [];
      for (const [index, wish] of [theirs, ours, theirs, ours].entries()) {
        const lock = wish(queue);
        const serve = async (): Promise<void> => {
          await lock.acquired;
          served.push(index);
          await lock.release();
        };
        const serving = serve();
        serving.catch(() => {});
        done.push(serving);
        await inQueue(queue, index + 1);
      }
      expect(served).toEqual([]);
      await holder.release();
      await Promise.all(done);
      expect(served).toEqual([0, 1, 2, 3]);
    });
  }

  /** A peer of one side, which the test kills. */
  const toKill = async <Own extends string>(
    starting: Promise<Peer<Own>>,
    lock: (queue: Queue, peer: Peer<Own>) => PeerLock,
  ) => {
    const peer = await starting;
    onTestFinished(() => peer.kill());
    return { lock: (queue: Queue) => lock(queue, peer), kill: () => peer.kill() };
  };
  const sides = [
    { who: 'Node', one: ours, other: theirs, start: () => toKill(startNode(recipe), ours) },
    { who: 'the other', one: theirs, other: ours, start: () => toKill(meeting.startOther(), theirs) },
  ];

  describe.each(sides)('where $who holds or dies', ({ one, other: another, start }) => {
    test('the one of the other side waits, and is served at the release', async () => {
      const queue = await newQueue();
      const holder = one(queue);
      await holder.acquired;
      const next = another(queue);
      await waiting(queue, 1);
      expect(next.held).toBe(false);
      await holder.release();
      await next.acquired;
      await next.release();
    });

    test('one that is killed while it holds gives way', async () => {
      const queue = await newQueue();
      const killed = await start();
      await killed.lock(queue).acquired;
      const next = another(queue);
      await waiting(queue, 1);
      await killed.kill();
      await next.acquired;
      await next.release();
    });

    test('one that is killed while it waits lets the one behind it pass', async () => {
      const queue = await newQueue();
      const killed = await start();
      const holder = another(queue);
      await holder.acquired;
      killed.lock(queue);
      await waiting(queue, 1);
      const next = another(queue);
      await waiting(queue, 2);
      await killed.kill();
      await holder.release();
      await next.acquired;
      await next.release();
    });
  });

  if (meeting.waitsForLater === true) return;

  test('never two holders that exclude each other in a mixed run', async () => {
    const queue = await newQueue();
    const counter = await queue.counter();
    const rounds = { counter: counter.path, rounds: 20 };
    const nodeWrites = meeting.alone || meeting.node === 'exclusive';
    const theyWrite = meeting.alone || !nodeWrites;
    const runs = [1, 2].flatMap(() => [
      node[nodeWrites ? 'contend' : 'look'](meeting.node, queue.path, { ...rounds, permits: ownPermits }),
      other[theyWrite ? 'contend' : 'look'](meeting.other, queue.path, { ...rounds, permits }),
    ]);
    // A writer sees itself, a reader sees no holder.
    const [self, them] = [nodeWrites ? 1 : 0, theyWrite ? 1 : 0];
    expect(await Promise.all(runs)).toEqual([self, them, self, them]);
    expect(await counter.count()).toBe(20 * 2 * (self + them));
  });
}
