import type { JobRun } from '../../job-run.ts';
import type { Work } from '../../leases/hold/with-lock.ts';
import { checkKey } from '../../options/key.ts';
import { EdgeWarnings } from './edge-warnings.ts';
import { lockOfId } from './job-lock.ts';
import { JobStore, idOf, keyOfId } from './job-store.ts';
import type { ReadJob } from './job-store.ts';
import { OnceCall } from './once-call.ts';
import type { JobsHost, OnceResult, Wanted } from './once-call.ts';
import { readOnceOptions } from './options.ts';
import type { OnceOptions } from './options.ts';
import { runOf } from './run-of.ts';
import { nearestSlot, readSlot } from './slots.ts';
import type { ReadSlot } from './slots.ts';
import { storeTime } from './store-time.ts';
import { crashed } from './verdict.ts';

/**
 * Runs jobs once per slot. The lock of a job shows that a process runs it. The compare-and-set of
 * its record to "running" is the permission to run: "at most once per slot" depends on no ttl and
 * no clock.
 */
export class Jobs {
  readonly #host: JobsHost;
  readonly #store: JobStore;
  readonly #recording = new Set<Promise<void>>();
  readonly #warnings = new EdgeWarnings();

  constructor(host: JobsHost) {
    this.#host = host;
    this.#store = new JobStore(host.provider, host.runtime);
  }

  /** See `Locks.once`. */
  async once<T>(key: string, given: unknown, options: OnceOptions, work: Work<T>): Promise<OnceResult<T>> {
    checkKey(key);
    const read = readOnceOptions(options);
    const found = await this.#find(key, readSlot(given));
    const wanted = { key, options: read, ...found, next: nextOf(found.slot, read.next) ?? found.next };
    return await new OnceCall(this.#host, this.#store, this.#recording, wanted).run(work);
  }

  /** See `Locks.job`. */
  async job(key: string): Promise<JobRun | undefined> {
    checkKey(key);
    const { record } = await this.#look(key, idOf(key));
    return record === undefined ? undefined : runOf(key, record, await storeTime(this.#host));
  }

  /** See `Locks.jobs`. */
  async *jobs(): AsyncIterable<JobRun> {
    for await (const id of this.#store.ids()) {
      const key = keyOfId(id);
      const { record } = await this.#look(key, id);
      if (record !== undefined) yield runOf(key, record, await storeTime(this.#host));
    }
  }

  /** See `Locks.retryJob`. */
  async retry(key: string): Promise<boolean> {
    checkKey(key);
    const { raw, record } = await this.#look(key, idOf(key));
    if (record === undefined || record.state === 'running' || record.state === 'open') return false;
    return (await this.#store.write(key, raw, { ...record, state: 'open' }, 0)) !== undefined;
  }

  /** See `Locks.forgetJob`. */
  async forget(key: string): Promise<boolean> {
    checkKey(key);
    const { raw, record } = await this.#look(key, idOf(key));
    return record?.state !== 'running' && (await this.#store.remove(key, raw));
  }

  /** Resolves when the results of ended runs are recorded, or cannot be. */
  async recorded(): Promise<void> {
    await Promise.all(this.#recording);
  }

  /** Shows a run that ended without a report as crashed. */
  async #look(key: string, id: string): Promise<ReadJob> {
    for (;;) {
      const read = await this.#store.read(key, id);
      const { raw, record } = read;
      if (record?.state !== 'running') return read;
      const { holders } = await this.#host.provider.inspect(lockOfId(id));
      if (holders.some(({ owner }) => owner.endsWith(`/${record.run}`))) return read;
      // It may have ended between the two answers.
      if ((await this.#store.read(key, id)).raw === raw) return { raw, record: crashed(record) };
    }
  }

  async #find(key: string, slot: ReadSlot): Promise<Pick<Wanted, 'slot' | 'next' | 'foundAt'>> {
    if (typeof slot === 'number') return { slot, next: undefined, foundAt: undefined };
    const clock = this.#host.runtime.clock.now();
    const time = await storeTime(this.#host);
    const found = nearestSlot(slot, time);
    this.#warnings.check(key, found, time);
    return { slot: found.slot, next: found.slot + slot.every, foundAt: { time, clock } };
  }
}

function nextOf(slot: number, next: Date | number | undefined): number | undefined {
  return typeof next === 'number' ? slot + next : next?.getTime();
}
