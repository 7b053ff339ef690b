import type { Change } from '../flawed/spoil.ts';

/** A past defect, of this library or another, to be planted in the built packages. */
export interface PlantedDefect {
  /** Its name on the command line. */
  readonly name: string;
  readonly what: string;
  /** The package that is changed, without the scope. */
  readonly package: string;
  readonly changes: readonly Change[];
  /** The target that shows it. */
  readonly target: string;
  /** @default each client of the target */
  readonly client?: string;
  /** @default all that the target has */
  readonly faults?: readonly string[];
  /** Of each process. @default as usual */
  readonly flows?: number;
}

const ofConnections = ['cut', 'break', 'strand', 'silence', 'no-replies', 'drop-reply', 'late', 'refuse'];

/** Planted one at a time, each must be found. */
export const defects: readonly PlantedDefect[] = [
  {
    name: 'queue-not-emptied',
    what: 'a queue that the end of a connection does not empty',
    package: 'sql',
    changes: [{ find: 'this.#asked -= 1; this.#refused(error, askedAt);', replace: 'this.#refused(error, askedAt);' }],
    target: 'postgres',
    client: 'url',
    faults: ['server-restart', 'refuse', 'password rotated'],
  },
  {
    name: 'vote-given-back',
    what: 'a vote given back before its end',
    package: 'composites',
    changes: [
      {
        find: 'if (!isIdle(state) || !this.keepsPromise) return true;',
        replace: 'if (state !== undefined) return true;',
      },
    ],
    target: 'quorum',
    faults: [...ofConnections, 'server-pause', 'server-empty'],
  },
  {
    name: 'close-frees',
    what: 'a close that frees under running work',
    package: 'core',
    changes: [{ find: 'if (working.length > 0 && drain > 0) await', replace: 'if (drain < 0) await' }],
    target: 'redis',
    faults: ['none'],
  },
  {
    name: 'stale-release',
    what: 'a stale release after a takeover',
    package: 'redis',
    changes: [
      {
        find: "if value == owner then redis.call('DEL', KEYS[1])",
        replace: "if value and value ~= 'shared' then redis.call('DEL', KEYS[1])",
      },
    ],
    target: 'redis',
    faults: ['pause', 'block', 'silence', 'late'],
  },
  {
    name: 'resent-reply',
    what: 'a reply applied, lost and sent again',
    package: 'redis',
    changes: [{ find: 'if (!freed && !servers.unbroken(connections)) throw releasedInDoubt(claim);', replace: '' }],
    target: 'redis',
    client: 'ioredis',
    faults: ['drop-reply', 'cut', 'break'],
  },
  {
    name: 'expired-while-waiting',
    what: 'a session that expired while waiting',
    package: 'zookeeper',
    changes: [
      {
        find: 'const own = new LiveClaim(claim, session, known !== undefined);',
        replace: `const own = new LiveClaim(claim, session, known !== undefined);
          if (known?.node !== undefined) own.hasNode(known.node);`,
      },
      {
        find: "if (me === undefined) return { state: 'missing' }; const exhausted = exhaustedIn(queue, me);",
        replace: "if (me === undefined) return { state: 'holds' }; const exhausted = exhaustedIn(queue, me);",
      },
    ],
    target: 'zookeeper',
    faults: ['session ended', 'deleted', 'no-replies', 'late'],
  },
  {
    name: 'late-place',
    what: 'a place that arrives after its claim was given up and is kept alive by a neighbour',
    package: 'etcd',
    changes: [
      { find: 'const stays = unsure || place.unanswered > 0;', replace: 'const stays = false;' },
      {
        find: 'const lease = places.connections === connections ? places.lease : undefined;',
        replace: 'const { lease } = places;',
      },
      { find: 'if (stays || places.connections !== this.#parts.members.connections)', replace: 'if (stays)' },
    ],
    target: 'etcd',
    faults: ['late'],
    flows: 12,
  },
  {
    name: 'assigned-not-asked',
    what: 'an assigned claim that is not asked again while others of its process wait',
    package: 'core',
    changes: [
      {
        find: 'mine?.assign(grant); this.#wake(mine, by);',
        replace: 'if (this.#byOwner.size > 1) return; mine?.assign(grant); this.#wake(mine, by);',
      },
      { find: "return event === 'not-kept';", replace: 'return false;' },
      { find: "'not-kept': 'notified'", replace: "'not-kept': 'shown'" },
    ],
    target: 'redis',
    faults: ['none'],
  },
  {
    name: 'pool-refuses',
    what: 'a pool that refuses',
    package: 'sql',
    changes: [{ find: 'if (!isLent && this.#lent === 0) this.#rejectAll(error);', replace: 'this.#rejectAll(error);' }],
    target: 'postgres',
    client: 'pg',
    faults: ['none'],
  },
  {
    name: 'listener-taken',
    what: "one of two providers on one client that takes the other's listener away",
    package: 'sql',
    changes: [
      {
        find: "connection.release(broken); connection.off('error', ignore);",
        replace: "connection.release(broken); connection.removeAllListeners('error');",
      },
    ],
    target: 'postgres',
    client: 'pg',
    faults: ['server-restart', 'sessions ended', 'cut'],
  },
  {
    name: 'busy-unavailable',
    what: 'busy told as unavailable',
    package: 'core',
    changes: [
      {
        find: "return new LockError('LOCK_TIMEOUT', `${quote(key)} was not free ${after}",
        replace: "return new LockError('LOCK_UNAVAILABLE', `${quote(key)} was not free ${after}",
      },
    ],
    target: 'etcd',
    faults: ['none'],
  },
  {
    name: 'one-look',
    what: 'one look where a store that was emptied shows no process',
    package: 'composites',
    changes: [{ find: "if (rules.settle === 0) return 'passed';", replace: "return 'passed';" }],
    target: 'migrate',
    faults: ['phase', 'from emptied', 'to emptied'],
  },
];
