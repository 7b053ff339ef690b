import type { Claim } from '@locks/core';
import type { ZookeeperOptions } from '../../src/index.ts';

/** One layout of nodes, and the node that makes a claim a holder. */
export interface Layout {
  readonly name: string;
  readonly options: ZookeeperOptions;
  readonly mode: Claim['mode'];
  /** A part of the node's name. */
  readonly node: string;
  /** The folder of the node, below that of its key. */
  readonly within: string;
}

export const layouts: readonly Layout[] = [
  { name: 'a queue', options: {}, mode: 'exclusive', node: '-lock-', within: '' },
  {
    name: 'a queue of readers and writers',
    options: { recipe: 'read-write' },
    mode: 'exclusive',
    node: '__WRIT__',
    within: '',
  },
  { name: 'a semaphore', options: { recipe: 'semaphore' }, mode: 'exclusive', node: '-lock-', within: '/locks' },
  {
    name: 'a lease of a semaphore',
    options: { recipe: 'semaphore' },
    mode: 'shared',
    node: '-lease-',
    within: '/leases',
  },
];
