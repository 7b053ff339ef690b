import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import { ConnectionClosedError } from '../connection/errors.ts';
import type { Answer } from '../wire/answer.ts';
import type { Request } from '../wire/request.ts';
import { ping } from '../wire/session-requests.ts';
import type { Proof } from './proof.ts';

/** What a heartbeat needs. */
export interface HeartbeatParts {
  readonly connection: Connection;
  /** Goes through the leader, and changes nothing. */
  readonly write: Request<unknown>;
  /** The session was begun over another connection. */
  readonly resumed: boolean;
  /** There are other servers to go to. */
  readonly alternatives: boolean;
  readonly proof: Proof;
  readonly runtime: Runtime;
  /** A heartbeat was answered: this connection is of use. */
  beaten(): void;
}

/** Pulses of one timeout: every third is a write, the others are pings, which show what the follower had noted before a write. */
const pulses = 9;
/**
 * So many pulses without a byte, or without the answer to a write, end a connection: time is left to find a better server. And so many
 * after a write the next is due. A little less than whole ones: timers are not exact.
 */
const pulsesOfSilence = 2.9;
const pulsesOfIdleWrite = 1.9;
const pulsesOfRest = 2.5;

/**
 * The signs of life of one connection, and the watch over it. A write every third of the timeout: a follower that is cut off answers
 * reads, and pings, as before. Ends the connection when the server is silent while something is unanswered, or does not get a write done.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #pulse: number;
  #timer: TimerHandle | undefined;
  #dueAt = 0;
  #writtenAt: number;
  #unconfirmedSince: number | undefined;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.#pulse = parts.connection.session.timeout / pulses;
    // Beginning a session is a write; going on with one proves nothing without a write.
    this.#writtenAt = parts.resumed ? Number.NEGATIVE_INFINITY : parts.connection.openedAt;
    if (parts.resumed) this.#beat(parts.runtime.clock.exact());
    this.#arm();
  }

  stop(): void {
    if (this.#timer !== undefined) this.#parts.runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    const { runtime } = this.#parts;
    this.#dueAt = runtime.clock.exact() + this.#pulse;
    this.#timer = runtime.setTimer(() => this.#look(), this.#pulse, false);
  }

  #look(): void {
    const { connection, runtime } = this.#parts;
    if (connection.ended) return;
    const now = runtime.clock.exact();
    // After a stall of this process answers may be there, unread: they get another pulse.
    const late = now - this.#dueAt > this.#pulse / 2;
    const silence = late ? undefined : this.#silence(now);
    if (silence !== undefined) {
      connection.destroy(new ConnectionClosedError(silence));
      return;
    }
    this.#beat(now);
    this.#arm();
  }

  #beat(now: number): void {
    if (now - this.#writtenAt < this.#pulse * pulsesOfRest) {
      this.#send(ping, now, false);
      return;
    }
    this.#writtenAt = now;
    this.#unconfirmedSince ??= now;
    this.#send(this.#parts.write, now, true);
  }

  #silence(now: number): string | undefined {
    const { oldestUnansweredAt, lastHeardAt, lastAnsweredAt } = this.#parts.connection;
    if (oldestUnansweredAt === undefined) return undefined;
    const silent = now - Math.max(oldestUnansweredAt, lastHeardAt);
    if (silent >= this.#pulse * pulsesOfSilence) return `the server was silent for ${Math.round(silent)} ms`;
    // A single server is the only hope, however slow.
    if (this.#unconfirmedSince === undefined || !this.#parts.alternatives) return undefined;
    // Behind a write that is stuck nothing is answered; events still come.
    const idle = now - Math.max(this.#unconfirmedSince, lastAnsweredAt);
    if (idle < this.#pulse * pulsesOfIdleWrite) return undefined;
    return `the server did not get a write done in ${Math.round(idle)} ms`;
  }

  #send(request: Request<unknown>, sentAt: number, isWrite: boolean): void {
    const { connection, proof, runtime } = this.#parts;
    connection.send(request, { background: true }).then(
      (answer) => {
        if (isWrite) {
          this.#unconfirmedSince = undefined;
          if (fromLeader(answer)) proof.confirmedWrite(sentAt);
        }
        proof.answered(sentAt, runtime.clock.exact());
        if (isWrite) this.#parts.beaten();
      },
      // The connection has ended, and its end is told elsewhere.
      () => {},
    );
  }
}

/** Whether the request came through to the leader; otherwise the server at the other end refused it by itself. */
function fromLeader(answer: Answer<unknown>): boolean {
  return answer.ok || answer.error === 'NO_NODE' || answer.error === 'NO_AUTH' || answer.error === 'BAD_VERSION';
}
