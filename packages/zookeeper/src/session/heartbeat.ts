import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import { ConnectionClosedError } from '../connection/errors.ts';
import type { Answer } from '../wire/answer.ts';
import type { Request } from '../wire/request.ts';
import { sync } from '../wire/requests.ts';
import type { Proof } from './proof.ts';

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

/** Heartbeats in one timeout. With fewer, the proof is older, and a silent server is left later. */
const pulses = 9;
/**
 * A server is left after so many pulses without a byte. A little less than 3, because timers are
 * not exact.
 */
const pulsesOfSilence = 2.9;
/** A server is left for another one after so many pulses without an answer. */
const pulsesWithoutAnswer = 1.9;
/**
 * A write is due after so many pulses. With more, the proof is older. With 1, each process writes
 * twice as often.
 */
const pulsesOfWrite = 1.5;

/**
 * Sends the heartbeats of one connection, and ends the connection when its server does not answer.
 * All heartbeats go to the leader, as `Proof` needs. In turns they are a write and a `sync`.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #pulse: number;
  #timer: TimerHandle | undefined;
  #dueAt = 0;
  #writtenAt: number;

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
    // After a stall of this process answers may be there, unread: it waits another pulse for them.
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
    const isWrite = now - this.#writtenAt > this.#pulse * pulsesOfWrite;
    if (isWrite) this.#writtenAt = now;
    this.#send(isWrite ? this.#parts.write : sync('/'), now, isWrite);
  }

  #silence(now: number): string | undefined {
    const { oldestUnansweredAt, lastHeardAt, lastAnsweredAt } = this.#parts.connection;
    if (oldestUnansweredAt === undefined) return undefined;
    const silent = now - Math.max(oldestUnansweredAt, lastHeardAt);
    if (silent >= this.#pulse * pulsesOfSilence) return `the server was silent for ${Math.round(silent)} ms`;
    // There is no other server to go to, however slow this one is.
    if (!this.#parts.alternatives) return undefined;
    // A server without a leader answers nothing; events still come.
    const idle = now - Math.max(oldestUnansweredAt, lastAnsweredAt);
    if (idle < this.#pulse * pulsesWithoutAnswer) return undefined;
    return `the server answered nothing for ${Math.round(idle)} ms`;
  }

  #send(request: Request<unknown>, sentAt: number, isWrite: boolean): void {
    const { connection, proof, runtime } = this.#parts;
    connection.send(request, { background: true }).then(
      (answer) => {
        if (!fromLeader(answer)) return;
        if (isWrite) proof.confirmedWrite(sentAt);
        proof.answered(sentAt, runtime.clock.exact());
        if (isWrite) this.#parts.beaten();
      },
      // The connection has ended, and its end is told elsewhere.
      () => {},
    );
  }
}

/**
 * Whether the leader has answered. Otherwise the server of this connection has refused the request.
 */
function fromLeader(answer: Answer<unknown>): boolean {
  return answer.ok || answer.error === 'NO_NODE' || answer.error === 'NO_AUTH' || answer.error === 'BAD_VERSION';
}
