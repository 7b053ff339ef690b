import type { StateHash } from '../../../../core/test/search/state-table.ts';
import { areAlike, storeOf } from './setting.ts';
import type { Setting } from './setting.ts';
import type { Contender, World } from './world.ts';

/**
 * Adds all of a state to a hash. States are the same where contenders have changed places, where
 * other numbers make the same owners, where all happens later, and, with the newest tokens, where
 * other tokens have the same order.
 */
export function hasherOf(setting: Setting): (world: World, hash: StateHash) => void {
  const alike = areAlike(setting);
  return (world, hash) => {
    const { contenders, stores, faults, highest, now } = world;
    const tokens = setting.tokens === 'newest' ? tokensOf(world) : undefined;
    const tokenOf = (token: bigint | undefined): number =>
      token === undefined ? -1 : (tokens?.indexOf(token) ?? Number(token));
    // All that is past is alike, and all that is longer ago than a ttl.
    const left = (until: number | undefined): number => (until === undefined ? -1 : Math.max(0, until - now));
    const age = (since: number | undefined): number =>
      since === undefined ? -1 : Math.min(setting.ttl * setting.tick, now - since);

    const contender = (each: Contender, index: number): unknown => {
      const { stage, machine, calls, returns, wakes, lease } = each;
      const own = each.machine.parts.map((_, member) => {
        const { hold, queue } = stores[storeOf(setting, index, member)]!;
        return { hold: hold?.contender === index ? hold : undefined, queue };
      });
      const numbers = own.map(({ hold, queue }, member) => {
        const places = queue.filter((place) => place.contender === index);
        const there = [...calls, ...returns, ...wakes].filter((one) => one.member === member);
        const all = [machine.parts[member]!, ...there, ...places, ...(hold ? [hold] : [])].map(({ number }) => number);
        return [...new Set([0, ...all])].toSorted((one, other) => one - other);
      });
      const owner = ({ number }: { readonly number: number }, member: number): number =>
        member * 16 + numbers[member]!.indexOf(number);
      const parts = machine.parts.map((part, member) => [
        ...[owner(part, member), part.call, part.heard, part.late, part.inQueue, part.uncertain, part.brief],
        ...[part.call && age(part.sentAt), tokenOf(part.token), part.token && [age(part.since), left(part.until)]],
      ]);
      return [
        ...[alike ? 0 : index, stage, each.looks, each.woken, each.polls, each.suspects],
        ...[each.leases, each.renewals, each.repeats, tokenOf(lease?.token), left(lease?.until)],
        stage !== 'done' &&
          stage !== 'crashed' && {
            ...machine,
            parts,
            ...{ promisedUntil: left(machine.promisedUntil), outcome: machine.outcome?.kind },
            ...{ token: tokenOf(machine.token), floor: tokenOf(machine.floor) },
            ...{ keptSince: age(machine.keptSince), lookedAt: age(machine.lookedAt), healAt: left(machine.healAt) },
          },
        // Messages that are on their way have no order.
        new Set(
          calls.map((call) => [
            ...[owner(call, call.member), call.kind, call.brief, call.silent, call.orphan, tokenOf(call.token)],
            ...[call.answer?.kind, call.answer?.kind === 'granted' && tokenOf(call.answer.token)],
          ]),
        ),
        new Set(returns.map((one) => [owner(one, one.member), one.stage, one.awaited])),
        new Set(wakes.map((wake) => [owner(wake, wake.member)])),
        own.map(({ hold, queue }, member) => [
          hold && [owner(hold, member), tokenOf(hold.token), left(hold.expires)],
          queue.map((place) => place.contender === index && owner(place, member)),
        ]),
      ];
    };

    hash.plain([
      new Set(contenders.map(contender)),
      stores.map(({ counter, closedUntil }) => [Number(counter), left(closedUntil)]),
      ...[faults, tokenOf(highest)],
    ]);
  };
}

/** All tokens that there are, in their order. */
function tokensOf({ contenders, stores, highest }: World): readonly bigint[] {
  const tokens = [
    ...[highest, 0n, ...stores.map(({ hold }) => hold?.token)],
    ...contenders.flatMap(({ machine, lease, calls }) => [
      ...[machine.token, machine.floor, lease?.token, ...machine.parts.map(({ token }) => token)],
      ...calls.flatMap(({ token, answer }) => [token, answer?.kind === 'granted' ? answer.token : undefined]),
    ]),
  ].filter((token) => token !== undefined);
  return [...new Set(tokens)].toSorted((left, right) => (left < right ? -1 : 1));
}
