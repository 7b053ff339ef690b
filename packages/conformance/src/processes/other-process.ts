import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Claim } from '@locks/core';
import { within } from '../checks/time.ts';
import { startChild } from './child.ts';
import type { LeaseElsewhere, Method, Request } from './messages.ts';

/** A module that other processes import to create their provider. */
export interface ProcessesOption {
  /**
   * A file URL or an absolute path; it exports `create(args)`, which returns a provider on the same
   * store.
   */
  readonly module: string | URL;
  /** Passed to `create`: anything that structured clone supports. */
  readonly args?: unknown;
}

/** Another process with a provider on the same store. */
export interface OtherProcess {
  /** Calls a method of its provider. */
  call(method: Method, ...parameters: readonly unknown[]): Promise<unknown>;
  /** Waits for `claim` in that process; resolves to the token of the grant. */
  wait(claim: Claim): Promise<bigint>;
  /** Waits for `claim` in that process; resolves when it is in the queue. */
  enqueue(claim: Claim): Promise<void>;
  /**
   * Pauses the attempts of a claim of `enqueue` until `granted`. Resolves when no attempt is in
   * progress.
   */
  rest(claim: Claim): Promise<void>;
  /** Resolves to the token of the grant for a claim of `enqueue`. */
  granted(claim: Claim): Promise<bigint>;
  /** Increments the counter in `file` once per claim, each time under that claim's lock. */
  count(file: string, claims: readonly Claim[]): Promise<void>;
  /**
   * Takes a position in the queue for `claim`, and dies by SIGKILL at its wake. Resolves when it is
   * in the queue.
   */
  enqueueToDie(claim: Claim): Promise<void>;
  /** Takes `key` with `createLocks` in that process; the lease is renewed there. */
  acquire(key: string, ttl: number): Promise<LeaseElsewhere>;
  /** The state of a lease of `acquire`: the first thing that process does when it runs. */
  look(owner: string): Promise<LeaseElsewhere>;
  /**
   * What that process passes to a guarded resource for its lease, immediately and without a check.
   */
  write(owner: string): Promise<Pick<LeaseElsewhere, 'token' | 'mode'>>;
  /** Runs the job `key` in a slot (ms). Resolves when its work, which never ends, has begun. */
  runJob(key: string, slot: number, ttl: number): Promise<void>;
  /** Calls for the job `key` in each of the slots (ms), one by one. Returns the answers. */
  raceForJob(key: string, slots: readonly number[], ttl: number): Promise<readonly string[]>;
  /**
   * Stops it with SIGSTOP at any point; resolves when it is stopped. Rejects on Windows, which has
   * no SIGSTOP.
   */
  pause(): Promise<void>;
  /** Continues it. */
  resume(): void;
  /** Ends it with SIGKILL, without clean-up. Resolves when it has ended. */
  kill(): Promise<void>;
}

/**
 * Starts a process and makes it create its provider, within `limit` ms. Its wall clock is `ahead`
 * ms ahead of this one's, before it loads anything.
 */
export async function forkProcess({ module, args }: ProcessesOption, limit: number, ahead = 0): Promise<OtherProcess> {
  const script = `data:text/javascript,${encodeURIComponent(`(${putForward.toString()})(${ahead})`)}`;
  const { ask, pause, resume, kill } = startChild<Request>(new URL('./worker.js', import.meta.url), {
    execArgv: ahead === 0 ? [] : ['--import', script],
  });
  try {
    await within(limit, ask({ kind: 'start', module: locate(module), args }), 'another process to start');
  } catch (error) {
    await kill();
    throw error;
  }
  return {
    call: (method, ...parameters) => ask({ kind: 'call', method, parameters }),
    wait: (claim) => ask({ kind: 'wait', claim }) as Promise<bigint>,
    enqueue: (claim) => ask({ kind: 'enqueue', claim }) as Promise<void>,
    rest: ({ owner }) => ask({ kind: 'rest', owner }) as Promise<void>,
    granted: ({ owner }) => ask({ kind: 'granted', owner }) as Promise<bigint>,
    enqueueToDie: (claim) => ask({ kind: 'enqueue', claim, onWake: 'die' }) as Promise<void>,
    acquire: (key, ttl) => ask({ kind: 'acquire', key, ttl }) as Promise<LeaseElsewhere>,
    look: (owner) => ask({ kind: 'look', owner }) as Promise<LeaseElsewhere>,
    write: (owner) => ask({ kind: 'write', owner }) as Promise<LeaseElsewhere>,
    runJob: (key, slot, ttl) => ask({ kind: 'job', key, slot, ttl }) as Promise<void>,
    raceForJob: (key, slots, ttl) => ask({ kind: 'race', key, slots, ttl }) as Promise<readonly string[]>,
    pause,
    resume,
    count: (file, claims) => ask({ kind: 'count', file, claims }) as Promise<void>,
    kill,
  };
}

/** Runs in the other process, as text. Clocks for durations are unchanged. */
function putForward(ahead: number): void {
  const own = Date;
  const now = (): number => own.now() + ahead;
  globalThis.Date = new Proxy(own, {
    apply: () => new own(now()).toString(),
    construct: (target, given, type) => Reflect.construct(target, given.length === 0 ? [now()] : given, type) as object,
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + ahead });
}

function locate(module: string | URL): string {
  if (module instanceof URL) return module.href;
  return isAbsolute(module) ? pathToFileURL(module).href : module;
}
