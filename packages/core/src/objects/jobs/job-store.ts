import type { LockProvider } from '../../contract.ts';
import { isLockError } from '../../errors/lock-error.ts';
import { pause } from '../../time/pause.ts';
import type { Runtime } from '../../time/runtime.ts';
import { encoded, parseRecord, recordText } from './job-record.ts';
import type { JobRecord } from './job-record.ts';
import { Registers } from './registers.ts';
import type { RegisterText } from './registers.ts';

/** A record, and its text in the store. */
export interface ReadJob {
  readonly raw: string | undefined;
  readonly record: JobRecord | undefined;
}

/** A list entry of a forgotten job: entries after it stay reachable. It is no id. */
const vacant = '%';
/** Between two tries to write, in ms. With less, a recovering store gets more requests. */
const writePause = 200;
/** The longest name, in characters. */
const longestId = 180;

/**
 * The registers of jobs: `job/<id>` contains the record of a job, `jobs/<n>` its place in the list.
 */
export class JobStore {
  readonly #registers: Registers;
  readonly #runtime: Runtime;

  constructor(provider: LockProvider, runtime: Runtime) {
    this.#registers = new Registers(provider);
    this.#runtime = runtime;
  }

  /** The record of a job. */
  async read(key: string, id: string = idOf(key)): Promise<ReadJob> {
    const { raw, value } = await this.#registers.read(`job/${id}`);
    return { raw, record: value === undefined ? undefined : parseRecord(key, value) };
  }

  /**
   * Writes `record` if the text is still `raw`. Resolves to the text now stored, or `undefined` if
   * it was another one. A call whose answer was lost is repeated for `patience` ms: a record
   * contains the id of its run, so it finds its own.
   */
  async write(key: string, raw: string | undefined, record: JobRecord, patience: number): Promise<string | undefined> {
    const text = recordText(record);
    const { clock } = this.#runtime;
    const end = clock.now() + patience;
    for (;;) {
      try {
        const found = await this.#registers.change(`job/${idOf(key)}`, raw, text);
        return found.value === text ? found.raw : undefined;
      } catch (error) {
        if (!isLockError(error, 'LOCK_UNAVAILABLE') || clock.now() >= end) throw error;
        await pause(this.#runtime, writePause);
      }
    }
  }

  /** Adds the job to the list, before its first record. */
  async enlist(key: string): Promise<void> {
    const id = idOf(key);
    for (let place = 0; ;) {
      const name = `jobs/${place}`;
      const { raw, value: found } = await this.#registers.read(name);
      let value = found;
      if (value === undefined || value === vacant) ({ value } = await this.#registers.change(name, raw, id));
      if (value === id) return;
      // A vacant place may have been removed meanwhile: then it is the end of the list.
      if (value !== undefined) place += 1;
    }
  }

  /** The ids of all jobs. */
  async *ids(): AsyncIterable<string> {
    const seen = new Set<string>([vacant]);
    for (let place = 0; ; place += 1) {
      const { value } = await this.#registers.read(`jobs/${place}`);
      if (value === undefined) return;
      if (seen.has(value)) continue;
      seen.add(value);
      yield value;
    }
  }

  /**
   * Removes the place in the list, then the record: a job without a record enters the list when it
   * runs. `false`: no record exists, or it has changed and so stays.
   */
  async remove(key: string, raw: string | undefined): Promise<boolean> {
    if (raw === undefined) return false;
    const id = idOf(key);
    const places: RegisterText[] = [];
    for (let place = 0; ; place += 1) {
      const found = await this.#registers.read(`jobs/${place}`);
      if (found.value === undefined) break;
      places.push(found.value === id ? await this.#registers.change(`jobs/${place}`, found.raw, vacant) : found);
    }
    await this.#trim(places);
    if ((await this.#registers.change(`job/${id}`, raw, undefined)).value === undefined) return true;
    await this.enlist(key);
    return false;
  }

  async #trim(places: RegisterText[]): Promise<void> {
    for (let last = places.pop(); last?.value === vacant; last = places.pop()) {
      const { value } = await this.#registers.change(`jobs/${places.length}`, last.raw, undefined);
      if (value !== undefined) return;
    }
  }
}

/** Reads the record of each job, by which a composite repairs its stores. */
export async function readJobRecords(provider: LockProvider, runtime: Runtime): Promise<void> {
  const registers = new Registers(provider);
  // As texts: a newer process may have written them.
  for await (const id of new JobStore(provider, runtime).ids()) await registers.read(`job/${id}`);
}

/** The name of a job in registers and locks, unique per key. */
export function idOf(key: string): string {
  const whole = encodeURIComponent(key);
  if (whole.length <= longestId) return whole;
  // Loaded when first needed: it takes longer than this whole package.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `${encoded(key, longestId - 44)}#${createHash('sha256').update(key).digest('base64url')}`;
}

/** The key of an id, or its beginning. */
export function keyOfId(id: string): string {
  return decodeURIComponent(id.split('#')[0] ?? '');
}
