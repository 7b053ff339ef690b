import { LockError, outsideContext, providerClosed } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import { unref } from './client.ts';
import type { RedisCopy } from './client.ts';
import type { ScriptSender } from './script-call.ts';

interface Call {
  readonly send: (connection: RedisCopy) => Promise<unknown>;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When it was called, by the clock. */
  readonly since: number;
}

export interface ReplicatedParts {
  /** How many replicas must have a write. */
  readonly replicas: number;
  /** A copy of the client, for these writes only. */
  readonly open: () => RedisCopy;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
}

/** Sends writes over separate connections. */
export interface ClosableSender extends ScriptSender {
  /** Unanswered calls reject, with `reason` if they were not sent. */
  close(reason?: LockError): void;
}

/**
 * Renewals that are answered once this many replicas have them. `WAIT` counts the writes of its own
 * connection and blocks it, so they have a separate one. Calls during a `WAIT` are sent together
 * afterwards, with one `WAIT` for all.
 */
export function replicatedWrites({ replicas, open, deadline, runtime }: ReplicatedParts): ClosableSender {
  let queue: Call[] = [];
  let busy = false;
  let opening: Promise<RedisCopy> | undefined;
  let copy: RedisCopy | undefined;
  let closed: LockError | undefined;

  function enqueue(sendOne: Call['send']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      queue.push({ send: sendOne, resolve, reject, since: runtime.clock.now() });
      if (!busy) void work();
    });
  }

  async function work(): Promise<void> {
    busy = true;
    // Calls of the same turn are sent together.
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = takeQueue();
      try {
        await send(batch);
      } catch (error) {
        // Without its connection, each unanswered call is unknown.
        drop();
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
  }

  /** What waited so long that its caller may have failed already is not sent. */
  function takeQueue(): readonly Call[] {
    const latest = runtime.clock.now() - deadline.timeout / 2;
    const late = queue.filter(({ since }) => since < latest);
    const batch = queue.filter(({ since }) => since >= latest);
    queue = [];
    for (const { reject } of late)
      reject(
        new TooFewReplicas(
          'LOCK_UNAVAILABLE',
          'Replicas did not confirm earlier writes in time (option "minReplicas").',
        ),
      );
    return batch;
  }

  async function send(batch: readonly Call[]): Promise<void> {
    // A batch ends before its calls do, or loses its connection: none takes effect afterwards.
    const limit = deadline.timeout / 2;
    const connection = await deadline.race(connect(), 'the connection of minReplicas', limit);
    const patience = Math.max(1, Math.floor(deadline.timeout / 4));
    const written = batch.map((call) => [call, call.send(connection)] as const);
    const confirmed = connection.wait(replicas, patience);
    // Rejected together with the scripts before it, which report why.
    confirmed.catch(() => {});
    const answered = written.map(async ([call, reply]) => {
      try {
        const answer = await reply;
        if (!isWritten(answer)) {
          call.resolve(answer);
          return;
        }
        const count = await confirmed;
        if (count >= replicas) call.resolve(answer);
        else call.reject(tooFew(count, replicas));
      } catch (error) {
        call.reject(error);
        // A replica that was a master: the next connection may lead to the new one.
        if (error instanceof Error && /\bREADONLY\b/.test(error.message)) drop();
      }
    });
    await deadline.race(Promise.all([...answered, confirmed.catch(() => 0)]), 'a batch of minReplicas', limit);
  }

  function connect(): Promise<RedisCopy> {
    if (closed !== undefined) return Promise.reject(closed);
    opening ??= outsideContext(async () => {
      const opened = open();
      let failure: unknown;
      opened.on('error', (error: unknown) => (failure ??= error));
      const connected = opened.connect().then(
        () => {
          unref(opened);
          return opened;
        },
        (error: unknown) => {
          throw failure ?? error;
        },
      );
      opened.on('close', () => {
        if (copy === opened) drop();
      });
      copy = opened;
      return await connected;
    });
    return opening;
  }

  function drop(): void {
    copy?.disconnect();
    copy = undefined;
    opening?.catch(() => {});
    opening = undefined;
  }

  return {
    // It opens its connection when a call needs one.
    status: 'ready',
    evalsha: (...args) => enqueue((connection) => connection.evalsha(...args)),
    eval: (...args) => enqueue((connection) => connection.eval(...args)),
    close(reason = providerClosed('redis')) {
      closed = reason;
      drop();
    },
  };
}

/** A renewed hold, or a list: the text of a register. */
function isWritten(answer: unknown): boolean {
  return Array.isArray(answer) || Number(answer) === 1;
}

/** The master was reached, but too few replicas confirmed in time. */
export class TooFewReplicas extends LockError {}

function tooFew(count: number, replicas: number): LockError {
  return new TooFewReplicas(
    'LOCK_UNAVAILABLE',
    `${count} of ${replicas} replicas have the lock (option "minReplicas"): it is unknown whether it would outlast a failover.`,
  );
}
