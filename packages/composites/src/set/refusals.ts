import { misconfigured } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import type { Member } from '../members/member.ts';
import { isDecided, readRecord } from './set-record.ts';
import type { Told, Verdict } from './set-record.ts';

const wayOut = 'See docs/quorum/members.md';

/** Why claims are refused. `undefined`: they are not. */
export function refusalOf(
  name: string,
  members: readonly Pick<Member, 'title'>[],
  told: readonly Told[],
  { twins, other, tooFew }: Verdict,
): LockError | undefined {
  const refuse = (why: string): LockError => misconfigured(name, why, { sent: false });
  if (twins !== undefined) {
    const titles = twins.map((index) => members[index]?.title).join(' and ');
    return refuse(`${titles} are one store, by two names or with a copy of its data. Each member needs its own`);
  }
  if (other !== undefined) {
    const ids = told.map((each) => readRecord(each?.text)?.id);
    const set = isDecided(other) ? other.members : other.was;
    const strange = members.filter((_, index) => told[index] !== undefined && !set.includes(ids[index] ?? ''));
    const lacking = set.filter((id) => !ids.includes(id)).length;
    if (strange.length + lacking === 0) {
      return refuse('this process has the members in another order than their quorum. Use the same order everywhere');
    }
    const besides = strange.length === 0 ? '' : `, and has ${strange.map(({ title }) => title).join(', ')} besides`;
    const what = `the quorum (epoch ${other.epoch}) has ${set.length} stores. This process lacks ${lacking} of them${besides}`;
    return refuse(`${what}. Run "locks quorum change" with its members. ${wayOut}`);
  }
  // One that does not answer may know the quorum.
  if (tooFew !== true || told.includes(undefined)) return undefined;
  const empty = members.filter((_, index) => told[index]?.text === undefined).map(({ title }) => title);
  const why = `${empty.join(', ')} do not know the quorum: they lost their data, or are other stores`;
  return refuse(`${why}. Run "locks quorum change --force" when no process holds a lock. ${wayOut}`);
}
