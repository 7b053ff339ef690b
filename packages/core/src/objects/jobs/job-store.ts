import type { LockProvider, RegisterChange } from '../../contract.ts';
import { LockError, isLockError } from '../../errors/lock-error.ts';
import type { Runtime } from '../../time/runtime.ts';
import { encoded, parseRecord, recordText } from './job-record.ts';
import type { JobRecord } from './job-record.ts';

/** A record, and the text that the store has of it. */
export interface ReadJob {
  readonly text: string | undefined;
  readonly record: JobRecord | undefined;
}

/** What an entry of the list becomes when its job is forgotten, so that those behind it stay reachable. No id. */
const vacant = '%';
/** In ms, between two tries to write. With less, a store that comes back is asked more often. */
const writePause = 200;
/** A name has so many characters at most. */
const longestId = 180;

/** The registers of jobs: `job/<id>` has the record of a job, `jobs/<n>` its place in the list. */
export class JobStore {
  readonly #provider: LockProvider;
  readonly #runtime: Runtime;
  /** Jobs that are in the list. */
  readonly #listed = new Set<string>();

  constructor(provider: LockProvider, runtime: Runtime) {
    this.#provider = provider;
    this.#runtime = runtime;
  }

  async read(key: string, id: string = idOf(key)): Promise<ReadJob> {
    const text = await this.#register(`job/${id}`);
    return { text, record: text === undefined ? undefined : parseRecord(key, text) };
  }

  /**
   * Writes `record` if the text is still `from`. `undefined`: it is another one. A call whose answer
   * was lost is repeated for `patience` ms: the text has the id of the run, so it finds its own.
   */
  async write(key: string, from: string | undefined, record: JobRecord, patience: number): Promise<string | undefined> {
    const to = recordText(record);
    const { clock } = this.#runtime;
    const end = clock.now() + patience;
    for (;;) {
      try {
        return (await this.#register(`job/${idOf(key)}`, { from, to })) === to ? to : undefined;
      } catch (error) {
        if (!isLockError(error, 'LOCK_UNAVAILABLE') || clock.now() >= end) throw error;
        await new Promise<void>((resolve) => this.#runtime.setTimer(resolve, writePause, true));
      }
    }
  }

  /** Puts the job into the list. */
  async enlist(key: string): Promise<void> {
    const id = idOf(key);
    for (let place = 0; !this.#listed.has(id); place += 1) {
      const name = `jobs/${place}`;
      let found = await this.#register(name);
      if (found === undefined || found === vacant) found = await this.#register(name, { from: found, to: id });
      if (found === id) this.#listed.add(id);
    }
  }

  /** The ids of all jobs. */
  async *ids(): AsyncIterable<string> {
    const seen = new Set<string>([vacant]);
    for (let place = 0; ; place += 1) {
      const id = await this.#register(`jobs/${place}`);
      if (id === undefined) return;
      if (seen.has(id)) continue;
      seen.add(id);
      yield id;
    }
  }

  /** Removes the record and the place in the list. `false`: there is none, or it has changed. */
  async remove(key: string, text: string | undefined): Promise<boolean> {
    const id = idOf(key);
    if (text === undefined) return false;
    if ((await this.#register(`job/${id}`, { from: text, to: undefined })) !== undefined) return false;
    this.#listed.delete(id);
    for (let place = 0; ; place += 1) {
      const found = await this.#register(`jobs/${place}`);
      if (found === undefined) return true;
      if (found === id) await this.#register(`jobs/${place}`, { from: id, to: vacant });
    }
  }

  async #register(name: string, change?: RegisterChange): Promise<string | undefined> {
    const provider = this.#provider;
    if (provider.register === undefined) {
      const why = `which keep what became of a job, and ${provider.name} has none`;
      throw new LockError('LOCK_MISCONFIGURED', `once needs a provider with registers, ${why}. Use a provider of one store.`);
    }
    try {
      return await provider.register(name, change);
    } catch (cause) {
      if (isLockError(cause)) throw cause;
      throw new LockError('LOCK_UNAVAILABLE', `${provider.name} did not answer what became of a job.`, { cause });
    }
  }
}

/** The name of a job in registers and locks. No two keys have the same. */
export function idOf(key: string): string {
  const whole = encodeURIComponent(key);
  if (whole.length <= longestId) return whole;
  // Loaded when first needed: it takes longer than all of this package.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `${encoded(key, longestId - 44)}#${createHash('sha256').update(key).digest('base64url')}`;
}

/** The key of an id, or its beginning. */
export function keyOfId(id: string): string {
  return decodeURIComponent(id.split('#')[0] ?? '');
}
