import { ends, oppositeOf } from '../../../src/migrate/phase.ts';
import type { End, Phase } from '../../../src/migrate/phase.ts';
import type { Rules } from '../../flaws/weaker-migrations.ts';
import type { Process, Setting, Store, World } from './world.ts';

type Act = (world: World, process: Process) => void;

/** What claims do at their stores. */
interface Claims {
  readonly storeOf: (world: World, end: End) => Store;
  /** What a claim that begins now is taken under. */
  readonly scopeOf: (process: Process, now: number) => Phase;
  readonly clockOf: (world: World, index: number) => number;
  readonly ask: Act;
  readonly hold: Act;
  readonly renew: Act;
  readonly release: Act;
}

export function claimsOf(setting: Setting, rules: Rules): Claims {
  const storeOf = (world: World, end: End): Store => world.stores[ends.indexOf(end)] as Store;

  const scopeOf = ({ phase, presence }: Process, now: number): Phase =>
    phase.acting && phase.end !== undefined && presence !== undefined && now < presence.until ? phase.end : 'both';

  const clockOf = (world: World, index: number): number =>
    world.now * setting.perTick + (index === 0 ? setting.ahead : 0);

  function mint(world: World, index: number): number {
    const store = world.stores[index] as Store;
    store.counter = Math.max(store.counter + 1, clockOf(world, index));
    return store.counter;
  }

  /** The claim asks its store, or the next one of two. */
  function ask(world: World, process: Process): void {
    const { now } = world;
    const scope = scopeOf(process, now);
    const { presence } = process;
    if (process.claim === undefined) {
      process.attempts -= 1;
      world.numbers += 1;
      const number = world.numbers;
      process.claim = {
        ...{ phase: scope, presence: presence?.number ?? 0, number, stage: 'asking', sentAt: now, token: 0, until: 0 },
      };
    }
    const { claim } = process;
    const index = claim.phase === 'to' || claim.stage === 'second' ? 1 : 0;
    const store = world.stores[index] as Store;
    if (store.hold !== undefined) {
      release(world, process);
      return;
    }
    const token = Math.max(mint(world, index), claim.token);
    store.hold = { number: claim.number, expires: now + setting.ttl, token };
    claim.token = token;
    claim.stage = claim.phase === 'both' && index === 0 ? 'second' : 'granted';
    if (claim.stage === 'granted')
      for (const each of world.stores)
        if (each.hold?.number === claim.number) each.counter = Math.max(each.counter, token);
  }

  function presentUntil({ claim, presence }: Process): number | undefined {
    if (claim === undefined || claim.phase === 'both') return undefined;
    return presence !== undefined && presence.number === claim.presence ? presence.until : 0;
  }

  function hold(world: World, process: Process): void {
    const claim = process.claim as NonNullable<Process['claim']>;
    claim.stage = 'held';
    claim.until = rules.heldUntil(claim.sentAt + setting.ttl, presentUntil(process));
    if (claim.until <= world.now) {
      release(world, process);
      return;
    }
    if (setting.losses === 0 && setting.ahead > 0 && claim.token <= world.highest)
      world.problem ??= `token ${claim.token} is granted after ${world.highest}`;
    world.highest = Math.max(world.highest, claim.token);
  }

  function renew(world: World, process: Process): void {
    const claim = process.claim as NonNullable<Process['claim']>;
    process.renewals -= 1;
    const own = world.stores.filter(({ hold: held }) => held?.number === claim.number);
    if (own.length < (claim.phase === 'both' ? 2 : 1)) {
      release(world, process);
      return;
    }
    for (const { hold: held } of own) if (held !== undefined) held.expires = world.now + setting.ttl;
    const now = scopeOf(process, world.now);
    if (claim.phase === 'both' && now !== 'both') {
      // It goes on in one store, no longer than the presence.
      const other = storeOf(world, oppositeOf(now));
      other.hold = undefined;
      process.claim = { ...claim, phase: now, presence: process.presence?.number ?? 0 };
    }
    const lease = process.claim as NonNullable<Process['claim']>;
    lease.until = rules.heldUntil(world.now + setting.ttl, presentUntil(process));
  }

  function release(world: World, process: Process): void {
    for (const store of world.stores) if (store.hold?.number === process.claim?.number) store.hold = undefined;
    process.claim = undefined;
  }

  return { storeOf, scopeOf, clockOf, ask, hold, renew, release };
}
