import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import { ConnectionClosedError } from '../connection/errors.ts';
import type { Answer } from '../wire/answer.ts';
import type { Request } from '../wire/request.ts';
import { sync } from '../wire/requests.ts';
import type { Proof } from './proof.ts';

export interface HeartbeatParts {
  readonly connection: Connection;
  /** Executed by the leader, and changes nothing. */
  readonly write: Request<unknown>;
  /** The session was begun over another connection. */
  readonly resumed: boolean;
  /** There are other servers to try. */
  readonly alternatives: boolean;
  readonly proof: Proof;
  readonly runtime: Runtime;
  /** A heartbeat was answered: this connection is useful. */
  beaten(): void;
}

/** Heartbeats per timeout. With fewer, the proof is older, and a silent server is left later. */
const pulses = 9;
/**
 * Pulses without a byte after which a server is left. A little less than 3, because timers are
 * inexact.
 */
const pulsesOfSilence = 2.9;
/** Pulses without an answer after which a server is left for another one. */
const pulsesWithoutAnswer = 1.9;
/**
 * Pulses after which a write is due. With more, the proof is older. With 1, each process writes
 * twice as often.
 */
const pulsesOfWrite = 1.5;

/**
 * Sends the heartbeats of one connection, and ends the connection if its server does not answer.
 * All heartbeats go to the leader, as `Proof` requires: alternately a write and a `sync`. Returns a
 * function that stops it.
 */
export function startHeartbeat(parts: HeartbeatParts): () => void {
  const { connection, write, resumed, alternatives, proof, runtime, beaten } = parts;
  const pulse = connection.session.timeout / pulses;
  let timer: TimerHandle;
  let dueAt = 0;
  // Beginning a session is a write; resuming one proves nothing without a write.
  let writtenAt = resumed ? Number.NEGATIVE_INFINITY : connection.openedAt;

  function arm(): void {
    dueAt = runtime.clock.exact() + pulse;
    timer = runtime.setTimer(look, pulse, false);
  }

  function look(): void {
    if (connection.ended) return;
    const now = runtime.clock.exact();
    // After a stall of this process answers may be unread: it waits another pulse for them.
    const late = now - dueAt > pulse / 2;
    const silence = late ? undefined : silenceAt(now);
    if (silence !== undefined) {
      connection.destroy(new ConnectionClosedError(silence));
      return;
    }
    beat(now);
    arm();
  }

  function beat(now: number): void {
    const isWrite = now - writtenAt > pulse * pulsesOfWrite;
    if (isWrite) writtenAt = now;
    send(isWrite ? write : sync('/'), now, isWrite);
  }

  function silenceAt(now: number): string | undefined {
    const { oldestUnansweredAt, lastHeardAt, lastAnsweredAt } = connection;
    if (oldestUnansweredAt === undefined) return undefined;
    const silent = now - Math.max(oldestUnansweredAt, lastHeardAt);
    if (silent >= pulse * pulsesOfSilence) return `the server was silent for ${Math.round(silent)} ms`;
    // There is no other server, however slow this one is.
    if (!alternatives) return undefined;
    // A server without a leader answers nothing, but still sends events.
    const idle = now - Math.max(oldestUnansweredAt, lastAnsweredAt);
    if (idle < pulse * pulsesWithoutAnswer) return undefined;
    return `the server answered nothing for ${Math.round(idle)} ms`;
  }

  function send(request: Request<unknown>, sentAt: number, isWrite: boolean): void {
    connection.send(request, { background: true }).then(
      (answer) => {
        if (!fromLeader(answer)) return;
        if (isWrite) proof.confirmedWrite(sentAt);
        proof.answered(sentAt, runtime.clock.exact());
        if (isWrite) beaten();
      },
      // The connection has ended, which is reported elsewhere.
      () => {},
    );
  }

  if (resumed) beat(runtime.clock.exact());
  arm();
  return () => runtime.clearTimer(timer);
}

/**
 * Whether the leader has answered. Otherwise the server of this connection has refused the request.
 */
function fromLeader(answer: Answer<unknown>): boolean {
  return answer.ok || answer.error === 'NO_NODE' || answer.error === 'NO_AUTH' || answer.error === 'BAD_VERSION';
}
