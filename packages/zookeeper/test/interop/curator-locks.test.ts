import { describe } from 'vitest';
import { meet } from './support/meeting.ts';
import type { Meeting } from './support/meeting.ts';
import { startCurator } from './support/peer.ts';
import type { CuratorKind } from './support/peer.ts';

const meetings: readonly Omit<Meeting<CuratorKind>, 'startOther'>[] = [
  { recipe: 'mutex', node: 'exclusive', other: 'InterProcessMutex', alone: true },
  { recipe: 'mutex', node: 'shared', other: 'InterProcessMutex', alone: false },
  { recipe: 'read-write', node: 'exclusive', other: 'InterProcessReadWriteLock.write', alone: true },
  { recipe: 'read-write', node: 'exclusive', other: 'InterProcessReadWriteLock.read', alone: false },
  { recipe: 'read-write', node: 'shared', other: 'InterProcessReadWriteLock.write', alone: false },
];

describe.each(meetings)('$recipe, $node and $other', (meeting) => {
  meet({ ...meeting, startOther: startCurator });
});
