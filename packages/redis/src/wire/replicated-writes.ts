import { LockError, outsideContext } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import { unref } from './client.ts';
import type { RedisCopy, ScriptClient } from './client.ts';
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
  /** A copy of the client, for these writes alone. */
  readonly open: () => RedisCopy;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
}

/**
 * Renewals that are answered once so many replicas have them. `WAIT` counts the writes of its own
 * connection and blocks it, so they have one of their own. Calls that come while it is blocked go
 * out together, with one `WAIT` behind them.
 */
export class ReplicatedWrites implements ScriptSender {
  /** It opens its connection when a call needs one. */
  readonly status = 'ready';
  readonly #parts: ReplicatedParts;
  #queue: Call[] = [];
  #busy = false;
  #connection: Promise<RedisCopy> | undefined = undefined;
  #copy: RedisCopy | undefined = undefined;
  #closed: LockError | undefined = undefined;

  constructor(parts: ReplicatedParts) {
    this.#parts = parts;
  }

  evalsha(...args: Parameters<ScriptClient['evalsha']>): Promise<unknown> {
    return this.#call((connection) => connection.evalsha(...args));
  }

  eval(...args: Parameters<ScriptClient['eval']>): Promise<unknown> {
    return this.#call((connection) => connection.eval(...args));
  }

  /** Calls that are not answered yet reject, with `reason` where they were not sent. */
  close(reason: LockError = new LockError('LOCK_CLOSED', 'The redis provider is closed.')): void {
    this.#closed = reason;
    this.#drop();
  }

  #call(send: Call['send']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ send, resolve, reject, since: this.#parts.runtime.clock.now() });
      if (!this.#busy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    // Calls of the same turn go together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#takeQueue();
      try {
        await this.#send(batch);
      } catch (error) {
        // Without its connection, each call that has no answer is unknown.
        this.#drop();
        for (const { reject } of batch) reject(error);
      }
    }
    this.#busy = false;
  }

  /** What waited for so long that its caller may have an error already is not sent. */
  #takeQueue(): readonly Call[] {
    const { deadline, runtime } = this.#parts;
    const latest = runtime.clock.now() - deadline.timeout / 2;
    const late = this.#queue.filter(({ since }) => since < latest);
    const batch = this.#queue.filter(({ since }) => since >= latest);
    this.#queue = [];
    for (const { reject } of late)
      reject(new TooFewReplicas('LOCK_UNAVAILABLE', 'Redis is behind with option "minReplicas".'));
    return batch;
  }

  async #send(batch: readonly Call[]): Promise<void> {
    const { deadline, replicas } = this.#parts;
    // A batch ends before its calls do, or loses its connection: none takes effect afterwards.
    const limit = deadline.timeout / 2;
    const connection = await deadline.race(this.#open(), 'the connection of minReplicas', limit);
    const patience = Math.max(1, Math.floor(deadline.timeout / 4));
    const written = batch.map((call) => [call, call.send(connection)] as const);
    const confirmed = connection.wait(replicas, patience);
    // Rejected together with the scripts before it, which say why.
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
        // A replica that was a master: the next connection may lead to the next one.
        if (error instanceof Error && /\bREADONLY\b/.test(error.message)) this.#drop();
      }
    });
    await deadline.race(Promise.all([...answered, confirmed.catch(() => 0)]), 'a batch of minReplicas', limit);
  }

  #open(): Promise<RedisCopy> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    this.#connection ??= outsideContext(async () => {
      const copy = this.#parts.open();
      let failure: unknown;
      copy.on('error', (error: unknown) => (failure ??= error));
      const opening = copy.connect().then(
        () => {
          unref(copy);
          return copy;
        },
        (error: unknown) => {
          throw failure ?? error;
        },
      );
      copy.on('close', () => {
        if (this.#copy === copy) this.#drop();
      });
      this.#copy = copy;
      return await opening;
    });
    return this.#connection;
  }

  #drop(): void {
    this.#copy?.disconnect();
    this.#copy = undefined;
    this.#connection?.catch(() => {});
    this.#connection = undefined;
  }
}

/** A renewal of a hold, or a list: the text of a register. */
function isWritten(answer: unknown): boolean {
  return Array.isArray(answer) || Number(answer) === 1;
}

/** The master was reached, and too few replicas confirmed in time. */
export class TooFewReplicas extends LockError {}

function tooFew(count: number, replicas: number): LockError {
  return new TooFewReplicas(
    'LOCK_UNAVAILABLE',
    `${count} of ${replicas} replicas have the lock (option "minReplicas"): it is unknown whether it would outlast a failover.`,
  );
}
