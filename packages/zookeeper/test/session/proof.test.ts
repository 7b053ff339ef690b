import { expect, test } from 'vitest';
import { Proof } from '../../src/session/proof.ts';
import { type Conclusion, type Outcome, simulate } from '../support/expiry-model.ts';

const runs = Number(process.env['LOCKS_TEST_PROOF_RUNS'] ?? 3_000);

/**
 * The runs in which the leader ends the session while the client believes to have it, by their
 * seeds.
 */
function mistakes(conclude: () => Conclusion): readonly (Outcome & { readonly seed: number })[] {
  return Array.from({ length: runs }, (_, seed) => ({ seed, ...simulate(seed, conclude()) })).filter(
    ({ believedUntil, expiredAt }) => believedUntil > expiredAt,
  );
}

type Known = (sentAt: number, samples: readonly Sample[], timeout: number) => number | undefined;

/** A rule that forgets something. */
class Rule implements Conclusion {
  deadline = 0;
  readonly #known: Known;
  readonly #samples: Sample[] = [];
  #timeout = 0;

  constructor(known: Known) {
    this.#known = known;
  }

  begun(at: number, timeout: number): void {
    this.#timeout = timeout;
    this.deadline = at + timeout * 0.99 - 2;
  }

  answered(sentAt: number, answeredAt: number): void {
    this.#samples.push({ sentAt, answeredAt });
  }

  confirmedWrite(sentAt: number): void {
    const known = this.#known(sentAt, this.#samples, this.#timeout);
    if (known !== undefined) this.deadline = Math.max(this.deadline, known + this.#timeout * 0.99 - 2);
  }
}

interface Sample {
  readonly sentAt: number;
  readonly answeredAt: number;
}

test('the leader never ends a session before its proven deadline', () => {
  expect(mistakes(() => new Proof())).toEqual([]);
});

test.each<readonly [string, number, Known]>([
  ['the last confirmed write', 20, (sentAt) => sentAt],
  [
    'the last request that was answered before it',
    100,
    (sentAt, samples) => samples.findLast(({ answeredAt }) => answeredAt <= sentAt)?.sentAt,
  ],
  [
    'what was answered long enough before it, where pings may be late,',
    100,
    (sentAt, samples, timeout) => samples.findLast(({ answeredAt }) => answeredAt <= sentAt - 0.3 * timeout)?.sentAt,
  ],
])('the same model shows that %s proves too little', (_, part, known) => {
  expect(mistakes(() => new Rule(known)).length).toBeGreaterThan(runs / part);
});

test('a session without faults is believed in all the time', () => {
  const proof = new Proof();
  proof.begun(0, 9_000);
  for (let pulse = 1; pulse < 100; pulse += 1) {
    const now = pulse * 1_000;
    expect(proof.deadline).toBeGreaterThan(now + 2_500);
    if (pulse % 2 === 0) proof.confirmedWrite(now);
    proof.answered(now, now + 200);
  }
});

test('three requests prove the first of them', () => {
  const proof = new Proof();
  proof.begun(0, 10_000);
  proof.answered(1_000, 1_100);
  proof.answered(4_050, 4_060);
  // The second was sent too early: perhaps before the leader's next ping.
  proof.confirmedWrite(4_500);
  expect(proof.deadline).toBe(9_898);
  proof.answered(4_100, 4_600);
  // The second was not yet answered when the write was sent.
  proof.confirmedWrite(4_550);
  expect(proof.deadline).toBe(9_898);
  proof.confirmedWrite(4_600);
  expect(proof.deadline).toBe(1_000 + 9_898);
});

test('a session that goes on elsewhere counts from there, once a write was confirmed', () => {
  const proof = new Proof();
  proof.begun(1_000, 10_000);
  expect(proof.deadline).toBe(1_000 + 9_898);
  proof.answered(2_000, 2_010);
  // The leader that accepted it may have been deposed.
  proof.resumed(7_000, 10_000);
  expect(proof.deadline).toBe(1_000 + 9_898);
  proof.answered(7_100, 7_110);
  expect(proof.deadline).toBe(1_000 + 9_898);
  proof.confirmedWrite(7_120);
  // Not from what another server has answered.
  expect(proof.deadline).toBe(7_000 + 9_898);
});

test('a shorter timeout counts at once', () => {
  const proof = new Proof();
  proof.begun(1_000, 10_000);
  proof.resumed(2_000, 5_000);
  expect(proof.deadline).toBe(2_000 + 4_948);
});
