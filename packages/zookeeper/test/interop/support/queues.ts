import { randomUUID } from 'node:crypto';
import { eventually, fourLetterWord } from '@locks/test-servers';
import { inject, onTestFinished } from 'vitest';
import { openClient } from './client.mjs';
import { peerSessionTimeout, root } from './peer.ts';

/** What the server has of one key. */
export interface Queue {
  /** Of the key's node. */
  readonly path: string;
  /**
   * The children of the key's node, or of one below it, first come first; none when there is no
   * such node.
   */
  names(below?: string): Promise<readonly string[]>;
  /** Resolves when `count` places are taken. */
  places(count: number, below?: string): Promise<void>;
  /**
   * How many nodes of the queue are watched for their end: so many have seen that they must wait.
   */
  watches(): Promise<number>;
  /** Resolves when so many are. */
  watched(count: number): Promise<void>;
  /** Resolves when the key's node is not there: it was a container, and empty. */
  gone(): Promise<void>;
  /** A node with a number, which each holder raises. */
  counter(): Promise<{ readonly path: string; count(): Promise<number> }>;
}

/** A key of the test's own. */
export async function newQueue(): Promise<Queue> {
  const client = await openClient(inject('interopAddress'), peerSessionTimeout);
  onTestFinished(() => client.close());
  const path = `${root}/${randomUUID()}`;

  async function names(below = ''): Promise<readonly string[]> {
    const found = await client.children(path + below).catch((error: unknown) => {
      if (String(error).includes('NO_NODE')) return [];
      throw error;
    });
    return found.toSorted((one, other) => (one.slice(-10) < other.slice(-10) ? -1 : 1));
  }

  async function watches(): Promise<number> {
    const [host = '', port] = inject('interopAddress').split(':');
    const answer = await fourLetterWord({ host, port: Number(port) }, 'wchp');
    return answer.split('\n').filter((text) => text.startsWith(`${path}/`)).length;
  }

  return {
    path,
    names,
    async places(count, below) {
      await eventually(`${count} positions in the queue`, async () => (await names(below)).length === count);
    },
    watches,
    async watched(count) {
      await eventually(`${count} watched nodes`, async () => (await watches()) >= count);
    },
    async gone() {
      await eventually('the end of the empty container', async () => !(await client.exists(path)));
    },
    async counter() {
      const counter = `${root}/counter-${randomUUID()}`;
      await client.createPath(counter);
      await client.write(counter, '0');
      return { path: counter, count: async () => Number(await client.read(counter)) };
    },
  };
}
