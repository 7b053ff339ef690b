import { expect, test } from 'vitest';
import { ClaimMachine } from '../../src/claim/claim-machine.ts';
import type { MachineWorld, Outcome } from '../../src/claim/claim-state.ts';
import type { MemberAnswer } from '../../src/members/member-answers.ts';

/** A world that writes down what the machine asks for. */
function recorded(isBusyAndSuspect: (member: number) => boolean): {
  readonly world: MachineWorld;
  readonly calls: string[];
  readonly outcomes: Outcome[];
} {
  const calls: string[] = [];
  const outcomes: Outcome[] = [];
  let number = 0;
  const world: MachineWorld = {
    now: () => 0,
    random: () => 0.5,
    isSuspect: isBusyAndSuspect,
    takesCall: (member) => !isBusyAndSuspect(member),
    nextNumber: () => (number += 1),
    floor: () => undefined,
    send: ({ member, brief }, call, token) =>
      void calls.push([brief ? 'brief' : [], call, member, token ?? []].flat().join(' ')),
    giveBack: ({ member }) => void calls.push(`give back ${member}`),
    settle: (outcome) => void outcomes.push(outcome),
    keep: () => {},
    look: () => {},
    pause: () => {},
    lost: () => {},
  };
  return { world, calls, outcomes };
}

/** A claim that needs all of `members` but one. */
function begin(world: MachineWorld, members = 3): ClaimMachine {
  const machine = new ClaimMachine(
    { members, need: members - 1, fencing: true, ttl: 10_000, place: 10_000, wake: true },
    world,
  );
  machine.attempt(false, false);
  return machine;
}

const busy: MemberAnswer = { kind: 'busy', retryAfter: undefined };

test('where all members were late, the answers of two decide, and the third is not waited for', () => {
  const { world, outcomes } = recorded(() => true);
  const machine = begin(world);
  for (const member of [0, 1, 2]) machine.silent(member);
  machine.answered(1, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.answered(2, busy);
  machine.returned();
  expect(outcomes).toMatchObject([{ kind: 'busy' }]);
});

test('a suspect member that was passed over is asked before a late one is waited for', () => {
  const { world, calls, outcomes } = recorded((member) => member === 1);
  const machine = begin(world);
  expect(calls).toEqual(['ask 0', 'ask 2']);
  machine.answered(2, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.silent(0);
  expect(calls.at(-1)).toBe('ask 1');
  machine.answered(1, { kind: 'granted', token: 1n, validity: 10_000 });
  expect(outcomes).toMatchObject([{ kind: 'granted', token: 1n }]);
});

test('where no majority is possible, but one may still say busy, that answer is waited for', () => {
  const { world, outcomes } = recorded(() => false);
  const machine = begin(world, 4);
  machine.answered(0, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.answered(1, { kind: 'failed', error: new Error('it is down'), leftNothing: true });
  machine.answered(2, busy);
  machine.silent(3);
  expect(outcomes).toEqual([]);
  machine.answered(3, busy);
  machine.returned();
  expect(outcomes).toMatchObject([{ kind: 'busy' }]);
});

test('the vote of a suspect member is given the token before a late member is waited for', () => {
  let isSlow = false;
  const { world, calls, outcomes } = recorded((member) => isSlow && member === 1);
  const machine = begin(world);
  machine.answered(1, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.silent(0);
  isSlow = true;
  machine.answered(2, { kind: 'granted', token: 2n, validity: 10_000 });
  expect(calls.at(-1)).toBe('renew 1 2');
  machine.answered(1, { kind: 'granted', token: 2n, validity: 10_000 });
  expect(outcomes).toMatchObject([{ kind: 'granted', token: 2n }]);
});

test.each<readonly [string, MemberAnswer, object]>([
  ['is given the token', { kind: 'granted', token: 2n, validity: 10_000 }, { kind: 'granted', token: 2n }],
  [
    'could not be given it is not asked again',
    { kind: 'failed', error: new Error('it is down'), leftNothing: true },
    { kind: 'unavailable' },
  ],
])('a vote that is needed, of a suspect member that has a call of another claim, %s', (_what, answer, outcome) => {
  let isSlow = false;
  const { world, calls, outcomes } = recorded((member) => isSlow && member === 1);
  const machine = begin(world);
  machine.answered(1, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.answered(2, busy);
  isSlow = true;
  machine.answered(0, { kind: 'granted', token: 2n, validity: 10_000 });
  expect(outcomes).toEqual([]);
  expect(calls.at(-1)).toBe('renew 1 2');
  machine.answered(1, answer);
  machine.returned();
  expect(outcomes).toMatchObject([outcome]);
  expect(calls.filter((call) => call === 'renew 1 2')).toHaveLength(1);
});

/** A claim that waits at the third member with the vote of the first. */
function waitAbove(world: MachineWorld): ClaimMachine {
  const options = { members: 3, need: 2, fencing: true, ttl: 10_000, place: 1_000, wake: true };
  const machine = new ClaimMachine(options, world);
  machine.attempt(true, false);
  machine.answered(0, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.answered(1, { kind: 'failed', error: new Error('it is down'), leftNothing: true });
  machine.answered(2, busy);
  machine.answered(2, busy);
  machine.resumed();
  machine.answered(2, busy);
  return machine;
}

test('a vote that is kept while a claim waits lasts no longer than a place, also where no answer says so', () => {
  const { world, calls, outcomes } = recorded(() => false);
  const { state } = waitAbove(world);
  expect(outcomes).toMatchObject([{ kind: 'busy' }]);
  expect(calls.at(-1)).toBe('brief renew 0');
  expect(state.parts[0]).toMatchObject({ token: 1n, until: 1_000 });
});

test('a call for a shorter vote that may come late is not followed by one for a longer vote', () => {
  const { world, calls } = recorded(() => false);
  const machine = waitAbove(world);
  machine.answered(0, { kind: 'failed', error: new Error('no answer'), leftNothing: false });
  expect(calls.at(-1)).toBe('give back 0');
  expect(machine.state.parts[0]).toMatchObject({ token: undefined, number: 0 });
});

test('a vote that was kept gets the ttl when the claim is granted', () => {
  const { world, calls, outcomes } = recorded(() => false);
  const machine = waitAbove(world);
  machine.answered(0, { kind: 'granted', token: undefined, validity: 1_000 });
  machine.attempt(true, false);
  machine.answered(0, { kind: 'granted', token: 1n, validity: 1_000 });
  machine.answered(2, { kind: 'granted', token: 1n, validity: 10_000 });
  expect(outcomes.at(-1)).toMatchObject({ kind: 'granted', until: 1_000 });
  expect(calls.at(-1)).toBe('renew 0 1');
});

test('a suspect member that is not waited for is asked for the time of a place, and for the ttl once the claim is held', () => {
  const { world, calls } = recorded((member) => member === 0);
  const machine = new ClaimMachine(
    { members: 3, need: 2, fencing: true, ttl: 10_000, place: 1_000, wake: true },
    { ...world, takesCall: () => true },
  );
  machine.attempt(false, false);
  expect(calls).toEqual(['ask 1', 'brief ask 0', 'ask 2']);
  machine.answered(1, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.answered(2, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.answered(0, { kind: 'granted', token: 1n, validity: 1_000 });
  expect(calls.at(-1)).toBe('renew 0 1');
});
