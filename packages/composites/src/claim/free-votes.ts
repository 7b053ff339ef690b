import type { Claim } from '@locks/core';
import { schedule } from '@locks/core/composite';
import { callMember } from '../members/member-answers.ts';
import type { MembersHost } from '../members/member-states.ts';
import { outerOwner } from '../members/member.ts';
import type { Member } from '../members/member.ts';

/** In ms: when a member without an answer is asked again. Less asks a dead one more often. */
const pause = 1_000;

/**
 * Frees what a member has of a lease under owners of other processes, except `own`. A member that
 * does not answer is asked again until such votes have ended. `answered` gets whether something was
 * freed, or why that is unknown, perhaps more than once.
 */
export function freeVotes(
  host: MembersHost,
  member: Member,
  claim: Claim,
  answered: (freed: boolean | Error) => void,
  own?: string,
): void {
  const { clock } = host.runtime;
  const end = clock.now() + claim.ttl;
  const free = (): void => {
    callMember(() => member.provider.inspect(claim.key)).then(
      ({ holders }) => {
        const owners = holders.map(({ owner }) => owner);
        const votes = owners.filter((owner) => owner !== own && outerOwner(owner) === claim.owner);
        if (votes.length === 0) answered(false);
        for (const owner of votes) {
          member.releases.start({ claim: { ...claim, owner }, uncertain: false, lastSend: clock.now(), answered });
        }
      },
      (error: unknown) => {
        answered(error as Error);
        if (clock.now() < end) schedule(host.timers, clock.now() + pause, free);
      },
    );
  };
  free();
}
