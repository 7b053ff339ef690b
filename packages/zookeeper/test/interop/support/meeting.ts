import { eventually } from '@locks/test-servers';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { newQueue } from './queues.ts';
import type { Queue } from './queues.ts';
import { startNode } from './peer.ts';
import type { NodeKind, Peer, PeerLock } from './peer.ts';
import { cell } from './cell.ts';

/** One lock of this package and one of another library that exclude each other, for one key. */
export interface Meeting<Kind extends string> {
  /** How the table calls the pair. */
  readonly row: string;
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
  const { row, recipe, permits = 0 } = meeting;
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

  async function handsOver(queue: Queue, holder: PeerLock, waiter: () => PeerLock): Promise<void> {
    await holder.acquired;
    const next = waiter();
    await waiting(queue, 1);
    expect(next.held).toBe(false);
    await holder.release();
    await next.acquired;
    await next.release();
  }

  cell(row, 'they hold', 'they hold, Node waits and is served at their release', async () => {
    const queue = await newQueue();
    await handsOver(queue, theirs(queue), () => ours(queue));
  });

  cell(row, 'Node holds', 'Node holds, they wait and are served at its release', async () => {
    const queue = await newQueue();
    await handsOver(queue, ours(queue), () => theirs(queue));
  });

  if (meeting.waitsForLater !== true) {
    cell(row, 'in order', 'first come, first served among mixed waiters', async () => {
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

  cell(row, 'they die holding', 'they are killed while they hold, Node is served', async () => {
    const queue = await newQueue();
    const killed = await meeting.startOther();
    onTestFinished(() => killed.kill());
    await theirs(queue, killed).acquired;
    const next = ours(queue);
    await waiting(queue, 1);
    await killed.kill();
    await next.acquired;
  });

  cell(row, 'Node dies holding', 'Node is killed while it holds, they are served', async () => {
    const queue = await newQueue();
    const killed = await startNode(recipe);
    onTestFinished(() => killed.kill());
    await ours(queue, killed).acquired;
    const next = theirs(queue);
    await waiting(queue, 1);
    await killed.kill();
    await next.acquired;
    await next.release();
  });

  cell(row, 'they die waiting', 'they are killed while they wait, Node behind them is served', async () => {
    const queue = await newQueue();
    const killed = await meeting.startOther();
    onTestFinished(() => killed.kill());
    const holder = ours(queue);
    await holder.acquired;
    theirs(queue, killed);
    await waiting(queue, 1);
    const next = ours(queue);
    await waiting(queue, 2);
    await killed.kill();
    await holder.release();
    await next.acquired;
    await next.release();
  });

  cell(row, 'Node dies waiting', 'Node is killed while it waits, they behind it are served', async () => {
    const queue = await newQueue();
    const killed = await startNode(recipe);
    onTestFinished(() => killed.kill());
    const holder = theirs(queue);
    await holder.acquired;
    ours(queue, killed);
    await waiting(queue, 1);
    const next = theirs(queue);
    await waiting(queue, 2);
    await killed.kill();
    await holder.release();
    await next.acquired;
    await next.release();
  });

  if (meeting.waitsForLater === true) return;

  cell(row, 'mixed run', 'never two holders that exclude each other in a mixed run', async () => {
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
