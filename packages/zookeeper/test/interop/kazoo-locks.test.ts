import { describe } from 'vitest';
import { meet } from './support/meeting.ts';
import type { Meeting } from './support/meeting.ts';
import { startKazoo } from './support/peer.ts';
import type { KazooKind } from './support/peer.ts';

interface KazooMeeting extends Omit<Meeting<KazooKind>, 'startOther'> {
  /** The `extra_lock_patterns` by which kazoo knows our contenders. */
  readonly patterns: readonly string[];
}

const meetings: readonly KazooMeeting[] = [
  { recipe: 'mutex', node: 'exclusive', other: 'Lock', patterns: ['-lock-'], alone: true },
  { recipe: 'mutex', node: 'exclusive', other: 'CuratorLock', patterns: [], alone: true },
  { recipe: 'read-write', node: 'shared', other: 'CuratorWriteLock', patterns: [], alone: false },
  { recipe: 'read-write', node: 'exclusive', other: 'CuratorReadLock', patterns: [], alone: false },
  { recipe: 'read-write', node: 'exclusive', other: 'WriteLock', patterns: ['__WRIT__', '__READ__'], alone: true },
  { recipe: 'read-write', node: 'shared', other: 'WriteLock', patterns: ['__WRIT__', '__READ__'], alone: false },
  {
    recipe: 'read-write',
    node: 'exclusive',
    other: 'ReadLock',
    patterns: ['__WRIT__'],
    alone: false,
    waitsForLater: true,
  },
];

describe.each(meetings)('$recipe, $node and $other', ({ patterns, ...meeting }) => {
  meet({ ...meeting, startOther: () => startKazoo(patterns) });
});
