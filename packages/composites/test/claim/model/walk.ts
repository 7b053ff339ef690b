import { createRandom } from '../../../../core/src/testing/random.ts';
import type { Machine } from './contender.ts';
import { modelOf } from './model.ts';
import { walk } from '../../../../core/test/search/walk.ts';
import type { Random } from '../../../../core/test/search/walk.ts';
import { settingOf } from './setting.ts';
import type { Setting } from './setting.ts';
import { tokensPerMs } from './store.ts';

/** How long a tick of a schedule lasts, in ms. */
const tick = 20;

/** The problems of `count` random schedules, in the settings that `settingFor` makes. */
export function walkAll(
  settingFor: (random: Random) => Setting,
  { machine, count, mustEnd, seed = 1 }: { machine: Machine; count: number; mustEnd: boolean; seed?: number },
): { readonly failures: readonly string[] } {
  const failures: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const random = createRandom(seed * 100_003 + index);
    const walked = walk(modelOf(settingFor(random), machine), random, mustEnd);
    if (walked.problem !== undefined) {
      failures.push([`schedule ${index}: ${walked.problem}`, ...walked.trace].join('\n'));
    }
  }
  return { failures };
}

/** 8 to 16 contenders for 2 to 5 members. Each reaches enough of them. */
export function manyContenders(random: Random): Setting {
  const members = below(random, 4) + 2;
  const contenders = below(random, 9) + 8;
  const need = Math.floor(members / 2) + 1;
  return settingOf({
    members,
    contenders,
    crowded: random() < 0.5,
    fencing: random() < 0.5,
    ways: Array.from({ length: contenders }, () => waysOf(random, members, need)),
    faults: {
      crashes: below(random, 3),
      flips: below(random, 4),
      silences: below(random, 3),
      departures: below(random, 2),
    },
  });
}

/** Two or three contenders and all faults. */
export function manyFaults(random: Random): Setting {
  const members = below(random, 3) + 3;
  const contenders = below(random, 2) + 2;
  const ttl = below(random, 2) + 2;
  const amnesias = below(random, 2);
  const place = below(random, ttl) + 1;
  // A member that comes back empty has only its clock: floors are not further ahead of it than the
  // member stays closed, less what the tokens of one schedule add.
  const mostAhead = amnesias === 0 ? 800 : ttl * tick * tokensPerMs - 40;
  return settingOf({
    members,
    contenders,
    ttl,
    place,
    tick,
    leases: 2,
    renewals: 2,
    repeats: 3,
    crowded: random() < 0.5,
    waits: random() < 0.5,
    tokens: 'clock',
    counters: Array.from({ length: members }, () => below(random, 20)),
    // Tokens are equal, or not: above all counters and clocks, or between them.
    floors: random() < 0.5 ? [] : [below(random, 40), below(random, mostAhead)],
    orders: Array.from({ length: contenders }, () => shuffled(random, members)),
    quarantine: ttl,
    faults: {
      ticks: 8,
      rejections: below(random, 4),
      silences: below(random, 4),
      // A copy of a shorter request that comes after a longer one would end the vote early.
      copies: place < ttl ? 0 : below(random, 3),
      flips: below(random, 3),
      amnesias,
    },
  });
}

function waysOf(random: Random, members: number, need: number): string {
  const silent = below(random, members - need + 1);
  const reached = new Set(shuffled(random, members).slice(silent));
  return Array.from({ length: members }, (_, member) => (reached.has(member) ? 'l' : 's')).join('');
}

function shuffled(random: Random, count: number): number[] {
  const left = Array.from({ length: count }, (_, index) => index);
  return Array.from({ length: count }, () => left.splice(below(random, left.length), 1)[0] ?? 0);
}

function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}
