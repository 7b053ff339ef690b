import type { RegisterChange } from '@locks/core';
import { callMember } from '../members/member-answers.ts';
import { combinedError } from '../members/member-errors.ts';
import { callMembers } from '../members/member-states.ts';
import type { MembersHost } from '../members/member-states.ts';
import type { Member } from '../members/member.ts';
import { leaderOf, read, smallestOf, textOf } from './register-votes.ts';
import type { Vote } from './register-votes.ts';

/** What members have, by their index. `undefined`: no answer. */
type Votes = (Vote | undefined)[];

/** What a majority has. */
interface Settled {
  readonly version: number;
  readonly value: string | undefined;
  readonly votes: Votes;
}

/** A name for messages. */
const what = 'a register';

/**
 * A register over several members. Each text there has a version, and a member votes once in each:
 * it takes one text of a version and no other one. A text that `need` members have is settled, and
 * only then the next version begins. Where two changes split the votes of all members, the version
 * is void, and each process proposes the same one of them in the next.
 */
export async function combinedRegister(
  host: MembersHost,
  name: string,
  change: RegisterChange | undefined,
): Promise<string | undefined> {
  for (;;) {
    const { version, value, votes } = await settle(host, name);
    if (change === undefined || value !== change.from || value === change.to) return value;
    await vote(host, name, votes, { version: version + 1, value: change.to }, votes.keys());
    const after = await settle(host, name, votes);
    if (after.version > version && after.value !== change.from) return after.value;
  }
}

/**
 * Brings members to one text. Rejects where that cannot be told without those that do not answer.
 */
async function settle(host: MembersHost, name: string, known?: Votes): Promise<Settled> {
  const votes = known ?? (await readAll(host, name));
  for (;;) {
    const told = votes.filter((each) => each !== undefined);
    if (told.length < host.need) throw unsettled(host, votes);
    const version = Math.max(...told.map((each) => each.version));
    const present = told.filter((each) => each.version === version);
    const { value, count } = leaderOf(present);
    if (count >= host.need) return { version, value, votes };
    const behind = [...votes.keys()].filter((index) => (votes[index]?.version ?? version) < version);
    if (behind.length > 0) await vote(host, name, votes, { version, value }, behind);
    else if (told.length < votes.length) throw unsettled(host, votes);
    else await vote(host, name, votes, { version: version + 1, value: smallestOf(present) }, votes.keys());
  }
}

async function readAll(host: MembersHost, name: string): Promise<Votes> {
  const votes: Votes = host.members.map(() => undefined);
  await ask(host, host.members, votes, (member) => member.provider.register?.(name));
  return votes;
}

/** Asks members for a vote, and notes what they have then. */
async function vote(
  host: MembersHost,
  name: string,
  votes: Votes,
  next: Pick<Vote, 'version' | 'value'>,
  indexes: Iterable<number>,
): Promise<void> {
  const asked = [...indexes].filter((index) => votes[index] !== undefined);
  const members = asked.map((index) => host.members[index] as Member);
  const from = [...votes];
  for (const index of asked) votes[index] = undefined;
  const to = textOf(next);
  await ask(host, members, votes, ({ provider, index }) => provider.register?.(name, { from: from[index]?.text, to }));
}

async function ask(
  host: MembersHost,
  members: readonly Member[],
  votes: Votes,
  call: (member: Member) => Promise<string | undefined> | undefined,
): Promise<void> {
  let open = true;
  const take = async (member: Member): Promise<void> => {
    try {
      const text = await callMember(async () => await call(member));
      // What comes later belongs to no round.
      if (open) votes[member.index] = read(text);
    } catch {
      // It has no vote that this process knows of.
    }
  };
  const isEnough = (): boolean => votes.filter((each) => each !== undefined).length >= host.need;
  await callMembers(host, members, take, { isEnough, limit: host.timeout / 2 });
  open = false;
}

function unsettled(host: MembersHost, votes: Votes): Error {
  const missing = host.members.filter(({ index }) => votes[index] === undefined);
  return combinedError(
    host,
    missing.map((member) => member.noAnswer(what)),
    what,
  );
}
