import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisCommand, startRedis } from '@locks/test-servers';
import { type FaultOf, type ListedTarget, list } from './listed.ts';
import { type Kinds, durable, redisMember, sqlMember, sqlRevoked, withSql } from './members.ts';
import { kill, pause } from './processes.ts';
import { firstRevoked } from './redis-faults.ts';

const ttl = 1_000;

interface Migration extends Kinds {
  /** The file with the phase of all processes. */
  readonly phase: string;
}

/** Another phase: each process moves at its next check. */
const phases: FaultOf<Migration> = {
  targets: 1,
  weight: 4,
  lasts: [0, 0],
  recovery: 0,
  async begin({ phase }, _, amount) {
    const words = ['from', 'both', 'to', 'both'] as const;
    // A process never reads half of it.
    const next = `${phase}.${performance.now()}`;
    await writeFile(next, words[Math.floor(amount) % words.length] ?? 'both');
    await rename(next, phase);
  },
};

const presenceTtl = 3_000;

/**
 * One of the two stores forgets all. A process learns it at the next renewal of its presence, and
 * then loses the leases under its end, newer ones too.
 */
const emptied = (store: 0 | 1): FaultOf<Migration> => ({
  targets: 1,
  lasts: [presenceTtl / ttl, presenceTtl / ttl],
  weight: 0.5,
  empties: true,
  async begin({ handles: [first], sql }) {
    if (store === 1) await sql.admin(`TRUNCATE ${sql.tables.join(', ')}`);
    else if (first !== undefined) await redisCommand(first, 'FLUSHALL');
  },
});

const migrate = ({ sql, phase }: Migration) => ({
  args: {
    provider: 'migrate',
    ttl,
    options: {
      name: 'redis-to-postgres',
      from: redisMember(0),
      to: sqlMember(sql, 1),
      phase: `file:${phase}`,
      presenceTtl,
      memberTimeout: 1_000,
      timeout: 3_000,
    },
  },
});

/** Locks that move from one store to another one, and back. */
export const migration: ListedTarget = list<Migration>({
  name: 'migrate',
  healing: 8_000,
  adapters: ['redis', 'sql'],
  modules: ['ioredis', 'pg', 'knex'],
  store: 'redis, postgres',
  topology: 'one server each',
  composite: 'migrate',
  sharersMayTie: true,
  ttl,
  async start() {
    const folder = await mkdtemp(join(tmpdir(), 'locks-nemesis-phase-'));
    const phase = join(folder, 'phase');
    await writeFile(phase, 'from');
    const running = await withSql(await startRedis({ args: durable }));
    const stop = async (): Promise<void> => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    };
    return { ...running, phase, stop };
  },
  servers: ({ handles }) => handles,
  openings: { url: migrate },
  faults: {
    'server-pause': pause,
    'server-restart': kill,
    'redis refuses': { ...firstRevoked, refuses: true },
    'postgres refuses': { ...sqlRevoked, refuses: true },
    phase: phases,
    'from emptied': emptied(0),
    'to emptied': emptied(1),
  },
});
