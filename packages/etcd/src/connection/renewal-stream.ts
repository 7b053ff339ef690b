import type { Runtime } from '@locks/core/adapter';
import { leaseKeepAlive } from '../wire/calls.ts';
import type { KeepAliveAnswer, LeaseRequest } from '../wire/messages.ts';
import { IdleEnd } from './idle-end.ts';
import type { Call, Member, Stream } from './member.ts';

interface Pending {
  readonly resolve: (answer: KeepAliveAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** One stream for all renewals at a member. Answers come in the order of the requests. */
export class RenewalStream {
  readonly member: Member;
  readonly #stream: Stream<LeaseRequest, KeepAliveAnswer>;
  readonly #pending: Pending[] = [];
  readonly #idle: IdleEnd;
  #answers = 0;
  #over = false;

  constructor(member: Member, token: string | undefined, runtime: Runtime) {
    this.member = member;
    this.#idle = new IdleEnd(runtime, () => this.#end());
    this.#stream = member.open(leaseKeepAlive, token);
    this.#stream.on('data', (answer: KeepAliveAnswer) => this.#hear(answer));
    this.#stream.on('error', (error: unknown) => this.#fail(error));
    this.#stream.on('end', () => this.#fail(new Error('the member ended the stream')));
  }

  /** Whether it takes no more requests. */
  get over(): boolean {
    return this.#over;
  }

  /** Restarts a lease. Cancelling the call ends a silent stream. */
  send(request: LeaseRequest): Call<KeepAliveAnswer> {
    this.#idle.stop();
    const before = this.#answers;
    let settled = false;
    const answer = new Promise<KeepAliveAnswer>((resolve, reject) => this.#pending.push({ resolve, reject })).finally(
      () => (settled = true),
    );
    this.#stream.write(request);
    return {
      answer,
      cancel: () => {
        if (!settled && this.#answers === before) this.#fail(new Error('the stream of renewals is silent'));
      },
    };
  }

  #hear(answer: KeepAliveAnswer): void {
    this.#answers++;
    this.#pending.shift()?.resolve(answer);
    if (this.#pending.length === 0 && !this.#over) this.#idle.begin();
  }

  #fail(error: unknown): void {
    this.#end();
    this.#stream.cancel();
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }

  #end(): void {
    this.#idle.stop();
    if (this.#over) return;
    this.#over = true;
    this.#stream.end();
  }
}
