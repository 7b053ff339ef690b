import { settledWithin } from '@locks/core/adapter';
import type { BackgroundReleases } from '@locks/core/composite';
import type { MembersHost } from './member-states.ts';
import type { Member } from './member.ts';

type Limits = Pick<MembersHost, 'memberTimeout' | 'timeout' | 'runtime'>;

/**
 * In ms: how long the last releases have to be sent before their member closes. With less, a paused
 * one may get an attempt without them. With more, it closes later.
 */
const sending = 10;

/**
 * Closes the members of a composite, after they have taken back what they can. One that does not
 * answer is awaited as in `settledWhileAnswered`, and closed in the background.
 */
export async function closeMembers(host: MembersHost): Promise<void> {
  const closings = host.members.map(async (member) => {
    const failures: unknown[] = [];
    const closing = closeMember(member, host).catch((error: unknown) => void failures.push(error));
    await settledWhileAnswered(member.releases, host, closing);
    // Its last releases are sent before the caller may end the clients.
    if (member.releases.pending > 0) await settledWithin(host.runtime, 2 * sending, closing);
    // Later failures are not reported.
    if (failures.length > 0) throw failures[0];
  });
  const failed = (await Promise.allSettled(closings)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
}

/** What a member keeps may block others until its ttl. */
async function closeMember(member: Member, { memberTimeout, timeout, runtime }: Limits): Promise<void> {
  const finished = member.releases.finished();
  await settledWithin(runtime, memberTimeout, finished);
  member.releases.sendNow();
  // A client that sends at the end of a tick has then sent the last releases.
  await settledWithin(runtime, member.answers ? timeout / 2 : sending, finished);
  member.releases.stop();
  await member.provider.close();
}

/** Waits one member timeout for `work`, and again whenever that has ended some of `releases`. */
export async function settledWhileAnswered(
  releases: Pick<BackgroundReleases, 'pending'>,
  { memberTimeout, runtime }: Omit<Limits, 'timeout'>,
  work: Promise<unknown>,
): Promise<void> {
  let settled = false;
  const settle = (): void => void (settled = true);
  work.then(settle, settle);
  for (let before = Infinity; !settled && releases.pending < before;) {
    before = releases.pending;
    await settledWithin(runtime, memberTimeout, work);
  }
}
