import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryProvider } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { Claim, Grant, LockProvider } from '../../../core/src/index.ts';
import { withSession } from '../../../core/test/support/with-session.ts';

const claim: Claim = { key: 'job', owner: 'me/1', ttl: 10_000, mode: 'exclusive' };

/** Three members as one, each with a session that can end. A new one follows it. */
function threeSessions(): { readonly provider: LockProvider; readonly sessions: AbortController[] } {
  const sessions = [0, 1, 2].map(() => new AbortController());
  const members = sessions.map((_, index) =>
    withSession(createMemoryProvider(), 'job', () => (sessions[index] as AbortController).signal),
  );
  const provider = combine(members);
  onTestFinished(() => provider.close());
  return { provider, sessions };
}

/** Two votes are enough for the answer: gives it when the third one has come. */
async function take(provider: LockProvider): Promise<Grant> {
  const answer = await provider.tryAcquire(claim);
  if (!answer.granted) throw new Error('It is busy.');
  await vi.waitFor(async () => {
    const { members = [] } = await provider.inspect(claim.key);
    expect(members.map(({ holders }) => holders?.length)).toEqual([1, 1, 1]);
  });
  // The last member's answer is on its way.
  await turn();
  return answer;
}

test('a lease ends when the sessions of too many members have ended, and tells why', async () => {
  const { provider, sessions } = threeSessions();
  const { lost } = await take(provider);
  sessions[1]?.abort(new Error('the first session'));
  expect(lost?.aborted).toBe(false);
  const cause = new Error('the second session');
  sessions[2]?.abort(cause);
  expect(lost?.aborted).toBe(true);
  expect(lost?.reason).toMatchObject({
    code: 'LOCK_LOST',
    message: 'fewer than 2 of the 3 members hold it: member 3 of 3 (memory): the second session',
    cause,
  });
});

test('a claim that is granted again depends on the new sessions alone', async () => {
  const { provider, sessions } = threeSessions();
  const first = await take(provider);
  const ended = sessions.splice(0, 3, ...[0, 1, 2].map(() => new AbortController()));
  for (const session of ended.slice(0, 2)) session.abort(new Error('it has ended'));
  expect(first.lost?.aborted).toBe(true);
  const second = await take(provider);
  expect(second.lost?.aborted).toBe(false);
  ended[2]?.abort(new Error('it has ended, too'));
  expect(second.lost?.aborted).toBe(false);
  for (const session of sessions.slice(0, 2)) session.abort(new Error('it has ended'));
  expect(second.lost?.aborted).toBe(true);
  await provider.release(claim);
  for (const { signal } of [...ended, ...sessions]) expect(getEventListeners(signal, 'abort')).toEqual([]);
});
