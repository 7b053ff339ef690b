import { differentialTest } from '@locks/conformance';
import { test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { connect, databases, withTables } from '../support/databases.ts';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 60);
const seed = Number(process.env['LOCKS_DIFFERENTIAL_SEED'] ?? 1);

test.each(databases)(
  'on $name a key answers as its rules have it',
  { timeout: 120_000 + sequences * 1_000 },
  async ({ name, create }) => {
    const { url } = await withTables({ name, create });
    const report = await differentialTest({
      name,
      create: ({ waiterTtl }) =>
        createSqlProvider(connect(url, { pool: { min: 0, max: name === 'SQLite' ? 1 : 2 } }), { waiterTtl }),
      // As the stores have it.
      assigns: ({ mode, ttl }, { waiterTtl }) => name === 'SQLite' || (mode === 'exclusive' && ttl * 2 >= waiterTtl),
      sequences,
      seed,
      // Other tests use the processors meanwhile, and make calls slow.
      abandonedAtMost: 0.3,
      // Its driver stops the process for the time of a call.
      together: name === 'SQLite' ? 10 : 40,
      exemptions:
        name === 'SQLite'
          ? []
          : [
              {
                id: 'absent-head',
                reason:
                  'a head that was told its turn, and does not try, loses its place in a sixth of the time (queue.sql)',
                covers: ({ what, before }) => {
                  // The next in the queue may be the head then, and a number may be free.
                  if (!['granted', 'waiters', 'wake', 'refusal'].includes(what)) return false;
                  const [head] = before.queue;
                  const [any] = before.holds;
                  return head !== undefined && (any === undefined || (head.mode === 'shared' && any.mode === 'shared'));
                },
              },
            ],
    });
    console.log(JSON.stringify(report));
  },
);
