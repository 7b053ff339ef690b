import { expect, test } from 'vitest';
import { ClaimMachine } from '../../src/composites/claim/claim-machine.ts';
import type { MachineWorld, Outcome } from '../../src/composites/claim/claim-state.ts';

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
    send: (member, call, _number, token) => void calls.push(`${call} ${member} ${token ?? ''}`.trim()),
    giveBack: ({ member }) => void calls.push(`give back ${member}`),
    settle: (outcome) => void outcomes.push(outcome),
    pause: () => {},
    lost: () => {},
  };
  return { world, calls, outcomes };
}

test('a vote that is needed is given the token, though its member is suspect and has a call of another claim', () => {
  let isSlow = false;
  const { world, calls, outcomes } = recorded((member) => isSlow && member === 1);
  const machine = new ClaimMachine({ members: 3, need: 2, fencing: true, ttl: 10_000, wake: true }, world);
  machine.attempt(false, false);
  machine.answered(1, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.answered(2, { kind: 'busy', retryAfter: undefined });
  isSlow = true;
  machine.answered(0, { kind: 'granted', token: 2n, validity: 10_000 });
  expect(outcomes).toEqual([]);
  expect(calls.at(-1)).toBe('renew 1 2');
  machine.answered(1, { kind: 'granted', token: 2n, validity: 10_000 });
  expect(outcomes).toMatchObject([{ kind: 'granted', token: 2n }]);
});

test('a vote that could not be given the token is not asked again: the claim is unavailable', () => {
  let isSlow = false;
  const { world, calls, outcomes } = recorded((member) => isSlow && member === 1);
  const machine = new ClaimMachine({ members: 3, need: 2, fencing: true, ttl: 10_000, wake: true }, world);
  machine.attempt(false, false);
  machine.answered(1, { kind: 'granted', token: 1n, validity: 10_000 });
  machine.answered(2, { kind: 'busy', retryAfter: undefined });
  isSlow = true;
  machine.answered(0, { kind: 'granted', token: 2n, validity: 10_000 });
  machine.answered(1, { kind: 'failed', error: new Error('it is down'), leftNothing: true });
  expect(calls.filter((call) => call === 'renew 1 2')).toHaveLength(1);
  machine.returned();
  expect(outcomes).toEqual([{ kind: 'unavailable' }]);
});
