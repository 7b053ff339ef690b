import type { MemberMessage } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import type { Runtime, TimerHandle } from '@locks/core/adapter';
import { channels } from '@locks/core/composite';
import type { MemberCall } from './member-answers.ts';

/** A call to a member: its kind, and its position in the order of sending. */
export interface SentCall {
  readonly call: MemberCall;
  readonly number: number;
}

interface Refusal {
  readonly call: MemberCall;
  readonly error: unknown;
}

interface Parts {
  readonly about: Pick<MemberMessage, 'provider' | 'member' | 'index'>;
  /** Why calls fail, if its provider knows a reason common to all calls. */
  outage(): unknown;
  readonly runtime: Runtime;
}

/**
 * In ms: a refusal is reported when it has lasted this long. With less, a connection that is
 * immediately restored is reported, and the first error, which often has no reason.
 */
const settling = 500;
/** The most reasons that are reported for one outage, each once. */
const mostReasons = 10;

/** Publishes each change of one member's state once on `locks:member`. */
export class MemberHealth {
  readonly #parts: Parts;
  /** A refusal is none: it costs no time. */
  suspicion: 'slow' | 'silent' | undefined = undefined;
  #refusal: Refusal | undefined = undefined;
  #told: MemberMessage['state'] = 'answers';
  /** What was reported since it answered last. */
  readonly #reasons = new Set<string>();
  #calls = 0;
  /** The last call sent before the state changed: its answer is older than the change. */
  #changedAt = 0;
  #settling: TimerHandle | undefined = undefined;
  #ended = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  sent(call: MemberCall): SentCall {
    this.#calls += 1;
    return { call, number: this.#calls };
  }

  suspected(how: 'slow' | 'silent'): void {
    if (this.suspicion !== 'silent') this.suspicion = how;
    // A call may time out while its connection knows that it is refused.
    const reason = how === 'silent' ? this.#parts.outage() : undefined;
    if (reason !== undefined) this.#refuses({ call: 'ask', error: reason });
    this.#tell();
  }

  /** `prompt`: it also ends a suspicion. */
  answered({ call, number }: SentCall, prompt: boolean): void {
    // It was reported as answering.
    if (this.suspicion === undefined && this.#refusal === undefined) return;
    if (prompt) this.suspicion = undefined;
    // A server may renew holds, but grant none.
    const proves = call !== 'renew' || this.#refusal?.call === 'renew';
    if (this.#refusal !== undefined && proves && number > this.#changedAt) this.#refuses(undefined);
    this.#tell();
  }

  /** `suspect`: it also costs time. */
  refused({ call, number }: SentCall, error: unknown, suspect: boolean): void {
    if (suspect) this.suspicion ??= 'silent';
    if (number <= this.#changedAt) return;
    const before = this.#refusal;
    // A missing connection is no reason if another is known.
    const known = before !== undefined && neverSent(error);
    const granting = call !== 'renew' || (before !== undefined && before.call !== 'renew');
    this.#refuses({ call: granting ? 'ask' : 'renew', error: known ? before.error : error });
    if (this.#ended || this.#settling !== undefined || this.#isTold) return;
    this.#settling = this.#parts.runtime.setTimer(
      () => {
        this.#settling = undefined;
        this.#tell();
      },
      settling,
      false,
    );
  }

  /** It is open now, or fails for another reason. */
  opened(reason: unknown): void {
    this.#unsettle();
    this.#refuses(reason === undefined ? undefined : { call: 'ask', error: reason });
    this.#tell();
  }

  /** Answers no longer affect its state. */
  end(): void {
    this.#ended = true;
    this.#unsettle();
  }

  #refuses(refusal: Refusal | undefined): void {
    const changes = (refusal === undefined) !== (this.#refusal === undefined);
    this.#refusal = refusal;
    if (changes) this.#changedAt = this.#calls;
    if (refusal === undefined) this.#unsettle();
  }

  #unsettle(): void {
    if (this.#settling !== undefined) this.#parts.runtime.clearTimer(this.#settling);
    this.#settling = undefined;
  }

  get #state(): MemberMessage['state'] {
    return this.#refusal === undefined ? (this.suspicion ?? 'answers') : 'refuses';
  }

  get #error(): unknown {
    const state = this.#state;
    return state === 'refuses' || state === 'silent' ? (this.#parts.outage() ?? this.#refusal?.error) : undefined;
  }

  get #isTold(): boolean {
    if (this.#told !== this.#state) return false;
    const error = this.#error;
    const reason = reasonOf(error);
    return reason === '' || neverSent(error) || this.#reasons.has(reason) || this.#reasons.size === mostReasons;
  }

  #tell(): void {
    // Its state is reported when it has settled.
    if (this.#ended || this.#settling !== undefined || this.#isTold) return;
    const state = this.#state;
    const error = this.#error;
    if (state === 'answers') this.#reasons.clear();
    else this.#reasons.add(reasonOf(error));
    this.#told = state;
    if (!channels.member.hasSubscribers) return;
    const message: MemberMessage = { ...this.#parts.about, state, suspect: state !== 'answers' };
    channels.member.publish(error === undefined ? message : { ...message, error });
  }
}

/** Whether an error only says that a call was not sent. */
function neverSent(error: unknown): boolean {
  return isLockError(error) && error.sent === false && error.retryAfter === undefined;
}

/**
 * What distinguishes reasons: the code of an error of this library, or the first sentence of its
 * innermost cause. Other texts of a server or client may contain a script, a port or a time.
 */
function reasonOf(error: unknown): string {
  if (error === undefined) return '';
  if (!(error instanceof Error)) return typeof error;
  const { cause } = error;
  if (cause instanceof Error && cause.message !== '') return reasonOf(cause);
  return isLockError(error) ? error.code : error.message.replace(/\.\s[^]*$/, '.').replaceAll(/\S*\d\S*/g, '');
}
