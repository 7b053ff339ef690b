import { channels } from '../../locks/diagnostics/channels.ts';
import type { MemberMessage } from '../../locks/diagnostics/channels.ts';
import type { MemberCall } from './member-answers.ts';

/** A call to a member: what it asks for, and its place in the order of the sends. */
export interface SentCall {
  readonly call: MemberCall;
  readonly number: number;
}

type State = MemberMessage['state'];

/** The message without what changes. */
type About = Pick<MemberMessage, 'provider' | 'member' | 'index'>;

/** Tells each change of one member's state, once, to those who listen to `locks:member`. */
export class MemberHealth {
  readonly #about: About;
  #suspicion: 'slow' | 'silent' | undefined = undefined;
  #refusal: (SentCall & { readonly error: unknown }) | undefined = undefined;
  #told: { readonly state: State; readonly reason: string } = { state: 'answers', reason: '' };
  #calls = 0;
  /** The last call that was sent before the last change: answers to it are older than that. */
  #changedAt = 0;
  #ended = false;

  constructor(about: About) {
    this.#about = about;
  }

  /** Slow or silent. A refusal is no suspicion: it costs no time. */
  get suspect(): boolean {
    return this.#suspicion !== undefined;
  }

  sent(call: MemberCall): SentCall {
    this.#calls += 1;
    return { call, number: this.#calls };
  }

  /** `reason`: what the provider knows of its outage. */
  suspected(how: 'slow' | 'silent', reason?: unknown): void {
    if (this.#suspicion !== 'silent') this.#suspicion = how;
    this.#tell(reason);
  }

  /** `prompt`: it ends a suspicion, too. */
  answered({ call, number }: SentCall, prompt: boolean): void {
    if (prompt) this.#suspicion = undefined;
    // A server may renew what it has, and grant nothing.
    const proves = call !== 'renew' || this.#refusal?.call === 'renew';
    if (proves && number > this.#changedAt) this.#refusal = undefined;
    this.#tell();
  }

  /** `suspect`: it costs time, too. */
  refused({ call, number }: SentCall, error: unknown, suspect: boolean): void {
    if (suspect) this.#suspicion ??= 'silent';
    if (number > this.#changedAt) {
      const strong = this.#refusal !== undefined && this.#refusal.call !== 'renew';
      this.#refusal = { call: strong ? 'ask' : call, number, error };
    }
    this.#tell();
  }

  /** It is open now, or is not for this reason. */
  opened(reason: unknown): void {
    this.#refusal = reason === undefined ? undefined : { ...this.sent('ask'), error: reason };
    this.#tell();
  }

  /** What is answered from now on says nothing of its state. */
  end(): void {
    this.#ended = true;
  }

  #tell(outage?: unknown): void {
    const state: State = this.#refusal === undefined ? (this.#suspicion ?? 'answers') : 'refuses';
    const error = this.#refusal === undefined ? outage : this.#refusal.error;
    const reason = reasonOf(error);
    if (this.#ended || (this.#told.state === state && (reason === '' || this.#told.reason === reason))) return;
    this.#told = { state, reason };
    this.#changedAt = this.#calls;
    if (!channels.member.hasSubscribers) return;
    const message: MemberMessage = { ...this.#about, state, suspect: state !== 'answers' };
    channels.member.publish(error === undefined ? message : { ...message, error });
  }
}

/**
 * What makes an error another reason: the text of its cause, without names of keys, and without
 * times, ports and hashes. Those differ from call to call.
 */
function reasonOf(error: unknown): string {
  if (error === undefined) return '';
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && cause.message !== '') return reasonOf(cause);
  return error.message.replaceAll(/"[^"]*"|\S*\d\S*/g, '');
}
