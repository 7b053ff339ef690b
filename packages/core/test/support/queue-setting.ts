import { LockError, createDeadline, createQueue } from '../../src/adapter/index.ts';
import type {
  Assignment,
  Attempted as Answer,
  FoundTurn,
  Listener,
  Queue,
  QueueParts,
} from '../../src/adapter/index.ts';
import type { Claim, WakeCause } from '../../src/contract.ts';
import { createDeferred } from '../../src/time/deferred.ts';
import { VirtualRuntime } from './virtual-runtime.ts';

/** How long a place lasts, in ms. */
export const waiterTtl = 6_000;
/** How long a call may take, in ms. */
export const timeout = 2_500;
/** How long a waiter of these tests is told to wait, in ms. */
export const refresh = waiterTtl / 3;

/** What a claim is told that waits for its turn. */
export const busy = { granted: false, retryAfter: refresh } as const;
/** What a claim is told that has no position in the queue. */
export const polling = { granted: false, retryAfter: waiterTtl / 24 } as const;
/** How long the first claim waits for a subscription, in ms. */
export const patience: number = refresh / 2;
export const closed: LockError = new LockError('LOCK_CLOSED', 'The provider is closed.');

/** One call of `listen`, in the hands of a test. */
export interface Opened {
  readonly heard: (owner?: string, assigned?: Assignment) => void;
  readonly lost: (reason: unknown) => void;
  readonly signal: AbortSignal;
  /** Answers the call. */
  readonly accept: () => void;
  readonly refuse: (error: Error) => void;
  probes: number;
  closed: number;
}

/** One call of `attempt`. */
export interface Attempted {
  readonly owner: string;
  /** The owners whose places it keeps. `undefined`: it takes no place. */
  readonly others: readonly string[] | undefined;
  readonly within: number | undefined;
}

/** A queue whose attempts, listeners and looks are in the hands of a test. */
export class QueueSetting {
  readonly runtime = new VirtualRuntime({ random: 0 });
  readonly start: number = this.runtime.time;
  readonly attempts: Attempted[] = [];
  readonly opened: Opened[] = [];
  readonly looks: (readonly string[])[] = [];
  readonly reports: unknown[] = [];
  readonly wakes: string[] = [];
  readonly queue: Queue;
  /** By what each wake came. */
  readonly causes: (WakeCause | undefined)[] = [];
  answer: (attempted: Attempted) => Promise<Answer> = async () => ({ granted: false, retryAfter: refresh });
  /** Whether the backend has that claim in its queue. */
  keeps: (owner: string) => boolean = () => true;
  turns: () => Promise<readonly (string | FoundTurn)[]> = async () => [];
  probe: () => Promise<unknown> = async () => {};
  /** Listeners are open at once, without a call of `accept`. */
  prompt: boolean;

  constructor({
    look = false,
    listen = true,
    heardInterval,
    tryFree,
    together = Infinity,
    prompt = true,
  }: Partial<Record<'look' | 'listen' | 'prompt', boolean>> &
    Pick<QueueParts, 'tryFree' | 'together'> &
    Pick<NonNullable<QueueParts['look']>, 'heardInterval'> = {}) {
    this.prompt = prompt;
    this.queue = createQueue({
      runtime: this.runtime,
      deadline: createDeadline(this.runtime, timeout, 'The backend'),
      waiterTtl,
      attempt: async ({ claim, others, within }) => {
        const attempted = { owner: claim.owner, others: others?.map(({ owner }) => owner), within };
        this.attempts.push(attempted);
        const answer = await this.answer(attempted);
        const kept = attempted.others?.filter((owner) => this.keeps(owner)) ?? [];
        return kept.length === 0 ? answer : { ...answer, kept };
      },
      together,
      ...(tryFree === undefined ? {} : { tryFree }),
      listen: listen ? (...callbacks) => this.#listen(...callbacks) : undefined,
      look: look
        ? {
            interval: () => 25,
            heardInterval,
            turns: async (keys) => {
              this.looks.push(keys);
              return (await this.turns()).map((turn) => (typeof turn === 'string' ? { owner: turn } : turn));
            },
          }
        : undefined,
      report: (state, reason) => this.reports.push(reason === undefined ? state : [state, reason]),
    });
  }

  /** The latest listener. */
  get latest(): Opened {
    const latest = this.opened.at(-1);
    if (latest === undefined) throw new Error('no listener');
    return latest;
  }

  /** The owners that attempted since the last call, each with whether it was in the queue. */
  attempted(): readonly string[] {
    return this.attempts.splice(0).map(({ owner, others }) => (others === undefined ? `${owner} alone` : owner));
  }

  /** One call of core, which notes its wakes. */
  acquire(owner: string, key = 'job'): Promise<unknown> {
    return this.queue.tryAcquire(claimOf(owner, key), (by) => {
      this.wakes.push(owner);
      this.causes.push(by);
    });
  }

  #listen(heard: Opened['heard'], lost: Opened['lost'], signal: AbortSignal): Promise<Listener> {
    const { promise, resolve, reject } = createDeferred<Listener>();
    const probe = (): Promise<unknown> => {
      opened.probes += 1;
      return this.probe();
    };
    const close = (): void => void (opened.closed += 1);
    const accept = (): void => resolve({ probe, close });
    const opened: Opened = { heard, lost, signal, accept, refuse: reject, probes: 0, closed: 0 };
    this.opened.push(opened);
    if (this.prompt) accept();
    return promise;
  }
}

/** A queue with these claims. What woke them does not count. */
export async function queueOf(...owners: readonly string[]): Promise<QueueSetting> {
  const setting = new QueueSetting();
  for (const owner of owners) await setting.acquire(owner);
  setting.wakes.length = 0;
  return setting;
}

export function claimOf(owner: string, key = 'job'): Claim {
  return { key, owner, ttl: 30_000, mode: 'exclusive' };
}
