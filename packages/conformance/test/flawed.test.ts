import assert from 'node:assert/strict';
import { requirements, runConformance } from '@locks/conformance';
import { afterAll, describe, test } from 'vitest';
import { flaws } from './flawed/index.ts';
import { createTextbook } from './flawed/textbook.ts';
import type { Store } from './flawed/textbook.ts';

/** Cheap requirements of all kinds, which a flaw of another kind must not break. */
const others = [
  ...[
    'declares-traits',
    'exclusion-while-held',
    'busy-leaves-nothing',
    'repeat-same-token',
    'repeat-shared',
    'repeat-keeps-one-place',
  ],
  ...[
    'release-frees',
    'release-only-own',
    'release-place-in-line',
    'release-counts-once',
    'stale-after-takeover',
    'renew-only-own',
  ],
  ...[
    'renew-raises-token',
    'shared-together',
    'permits-admit-exactly',
    'permits-mismatch-refused',
    'permits-forgotten',
    'upgrade-refused',
  ],
  ...[
    'downgrade-keeps-the-hold',
    'waiting-ends-with-a-grant',
    'wake-after-release',
    'wake-never-synchronous',
    'wake-latest-callback',
  ],
  ...[
    'fair-newcomer-waits',
    'fair-repeat-keeps-place',
    'token-increases',
    'token-of-sharers',
    'token-floor',
    'owners-verbatim',
  ],
  ...[
    'inspect-holder',
    'inspect-sharers',
    'inspect-waiters',
    'close-refuses',
    'close-is-local',
    'locks-try',
    'locks-reentrant',
    'locks-close',
  ],
];

/** These count what keeps the process alive or block it, and many runs share it here. */
const alone = new Set(['close-leaves-nothing', 'locks-no-timers', 'locks-blocked-loop']);
const all = requirements.map(({ id }) => id).filter((id) => !alone.has(id));
/** Everything against every flaw takes minutes: for whoever adds a requirement or a flaw. */
const everything = process.env['LOCKS_TEST_FLAWS'] === 'all';
const ttl = 200;

const caught: string[] = [];
afterAll(() => console.log(`flawed providers, and what caught them\n${caught.toSorted().join('\n')}`));

describe.concurrent('flawed providers', () => {
  for (const { name, caughtBy, mayAlsoFail = [], make, options } of flaws) {
    test(name, async () => {
      // Where everything builds on what is broken, the others prove nothing.
      const control = mayAlsoFail.includes('*') ? [] : others;
      const only = everything ? all : [...new Set([...caughtBy, ...control])];
      const { results, seed } = await runConformance({ name, create: make(), ttl, only, limit: 6_000, ...options?.() });
      const failed = results.filter(({ status }) => status === 'failed').map(({ id }) => id);
      caught.push(`${name.padEnd(76)} ${failed.join(' ')}`);
      const missed = caughtBy.filter((id) => !failed.includes(id));
      assert.deepEqual(missed, [], `seed ${seed}: not caught by ${missed.join(', ')}, but by ${failed.join(', ')}`);
      const unexpected = results.filter(
        ({ id, status }) =>
          status === 'failed' && !caughtBy.includes(id) && !mayAlsoFail.some((pattern) => matches(pattern, id)),
      );
      const why = unexpected.map(({ id, error }) => `${id}: ${error?.message}`).join('\n');
      assert.equal(unexpected.length, 0, `seed ${seed}: these should not have failed\n${why}`);
    });
  }

  test('the provider without a flaw passes', async () => {
    const store: Store = new Map();
    const { results } = await runConformance({ name: 'textbook', create: () => createTextbook(store), ttl, only: all });
    const failed = results.filter(({ status }) => status === 'failed');
    assert.deepEqual(
      failed.map(({ id, error }) => `${id}: ${error?.message}`),
      [],
    );
  });
});

/** A pattern is an id, or the start of one and `*`. */
function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}
