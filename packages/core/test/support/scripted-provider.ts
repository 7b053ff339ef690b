import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits, Wake } from '../../src/contract.ts';
import type { VirtualRuntime } from './virtual-runtime.ts';

/** Which call of the contract it was. */
export type CallKind = 'tryAcquire' | 'renew' | 'release';

/** One call of core's, answered when the test says so. */
export class Call {
  readonly kind: CallKind;
  readonly claim: Claim;
  readonly wake: Wake | undefined;
  /** The virtual time at which core sent it. */
  readonly at: number;
  settled = false;
  granted = false;
  /** Of a renewal: the token that it asks for. */
  readonly raisesTo: bigint | undefined;
  readonly #tokens: () => bigint;
  #resolve!: (answer: never) => void;
  #reject!: (error: unknown) => void;
  readonly promise: Promise<never>;

  constructor(
    kind: CallKind,
    claim: Claim,
    wake: Wake | undefined,
    at: number,
    tokens: () => bigint,
    raisesTo?: bigint,
  ) {
    this.raisesTo = raisesTo;
    this.kind = kind;
    this.claim = claim;
    this.wake = wake;
    this.at = at;
    this.#tokens = tokens;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Answers with anything, also with what the contract does not allow. */
  answer(value: unknown): void {
    this.settled = true;
    this.#resolve(value as never);
  }

  grant(extra: Partial<Omit<Grant, 'granted'>> = {}): void {
    this.granted = true;
    this.answer({ granted: true, token: this.#tokens(), ...extra });
  }

  busy(retryAfter?: number): void {
    this.answer(retryAfter === undefined ? { granted: false } : { granted: false, retryAfter });
  }

  reject(error: unknown = new Error('connection lost')): void {
    this.settled = true;
    this.#reject(error);
  }
}

/**
 * Answers calls of one kind as they come; without one they stay open until the test answers them.
 */
export type Answerer = (call: Call) => void;

const defaultTraits: Traits = {
  scope: 'network',
  expiry: 'ttl',
  fencing: 'strict',
  fair: true,
  shared: true,
  wake: true,
};

/**
 * Core's partner in the contract, played by the test. It also watches core: what the contract
 * forbids core to do is collected in `violations`.
 */
export class ScriptedProvider implements LockProvider {
  readonly name = 'scripted';
  readonly traits: Traits;
  readonly calls: Call[] = [];
  readonly violations: string[] = [];
  readonly answers: Partial<Record<CallKind, Answerer>> = {};
  /** Thrown by every call, synchronously, while set. */
  throws: Error | undefined = undefined;
  closed = 0;
  closing: () => Promise<void> = async () => {};
  inspecting: (key: string) => Promise<KeyState> = async (key) => ({ key, holders: [], waiters: 0 });
  readonly #runtime: VirtualRuntime;
  readonly #attempted = new Set<string>();
  readonly #released = new Set<string>();
  #tokens = 100n;

  constructor(runtime: VirtualRuntime, traits: Partial<Traits> = {}) {
    this.#runtime = runtime;
    this.traits = { ...defaultTraits, ...traits };
  }

  get attempts(): Call[] {
    return this.calls.filter((call) => call.kind === 'tryAcquire');
  }

  get renewals(): Call[] {
    return this.calls.filter((call) => call.kind === 'renew');
  }

  get releases(): Call[] {
    return this.calls.filter((call) => call.kind === 'release');
  }

  /** The latest call of a kind; fails the test when there is none or it is answered already. */
  open(kind: CallKind): Call {
    const call = this.calls.findLast((candidate) => candidate.kind === kind);
    if (call === undefined) throw new Error(`core sent no ${kind}`);
    if (call.settled) throw new Error(`the latest ${kind} is answered already; core sent no other`);
    return call;
  }

  tryAcquire(claim: Claim, wake?: Wake): Promise<Grant | Busy> {
    return this.#record('tryAcquire', claim, wake);
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#record('renew', claim, undefined, token);
  }

  release(claim: Claim): Promise<boolean> {
    return this.#record('release', claim, undefined);
  }

  inspect(key: string): Promise<KeyState> {
    return this.inspecting(key);
  }

  close(): Promise<void> {
    this.closed += 1;
    return this.closing();
  }

  #record(kind: CallKind, claim: Claim, wake: Wake | undefined, raisesTo?: bigint): Promise<never> {
    this.#watch(kind, claim);
    const call = new Call(kind, claim, wake, this.#runtime.time, () => this.#tokens++, raisesTo);
    this.calls.push(call);
    if (this.throws !== undefined) {
      call.settled = true;
      throw this.throws;
    }
    this.answers[kind]?.(call);
    return call.promise;
  }

  #watch(kind: CallKind, claim: Claim): void {
    const { key, owner } = claim;
    // A renewal of a ticket asks whether a release of before, whose answer was lost, has freed it.
    const asksForTicket = kind === 'renew' && key.startsWith('transfer/');
    if (kind === 'tryAcquire') this.#attempted.add(owner);
    else if (!this.#attempted.has(owner)) this.violations.push(`${kind} with ${owner}, which was never tried`);
    if (kind === 'release') this.#released.add(owner);
    else if (this.#released.has(owner) && !asksForTicket)
      this.violations.push(`${kind} with ${owner} after its release was sent`);
    for (const other of this.calls) {
      if (other.settled || other.claim.owner !== owner) continue;
      if (kind === 'release' && other.kind === 'renew') continue;
      this.violations.push(`${kind} of ${owner} overlaps its ${other.kind}`);
    }
    const first = this.calls.find((call) => call.claim.owner === owner)?.claim;
    // A held claim may become shared, and what was refused becomes exclusive again.
    const same = first?.mode === 'exclusive' ? { ...first, mode: claim.mode } : first;
    // The hold of a key that rests is renewed with another ttl.
    const granted = this.calls.some((call) => call.claim.owner === owner && call.granted);
    const expected = same && granted ? { ...same, ttl: claim.ttl } : same;
    if (expected !== undefined && JSON.stringify(expected) !== JSON.stringify(claim)) {
      this.violations.push(`${kind} of ${owner} with another claim than before`);
    }
  }
}

export const grantAtOnce: Answerer = (call) => call.grant();
export const busyAtOnce: Answerer = (call) => call.busy(10_000);
export const rejectAtOnce: Answerer = (call) => call.reject();
export const renewAtOnce: Answerer = (call) => call.answer({});
export const freeAtOnce: Answerer = (call) => call.answer(true);
export const freeNothing: Answerer = (call) => call.answer(false);

/** The ms between one call and the next. */
export function pausesOf(calls: readonly Call[]): number[] {
  return calls.slice(1).map((call, index) => call.at - (calls[index]?.at ?? 0));
}
