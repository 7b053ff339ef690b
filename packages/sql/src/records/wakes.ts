import type { RecordStore, Runtime, TimerHandle } from '@locks/core/adapter';
import type { TableCalls } from '../connections/table-calls.ts';
import { WakeReports } from '../line/wake-reports.ts';
import type { TextTable } from './text-table.ts';

/** A listener that has not heard a wake of its own process after this time, in ms, is given up. */
const echoPatience = 1_000;
/**
 * How long no other one is opened after that, in ms. A shorter time costs attempts where none ever
 * hears; with a longer one a process polls for longer after a passing fault.
 */
const unheardRetry = 5_000;

export interface WakesParts {
  /** The provider's name. */
  readonly name: string;
  readonly table: TextTable;
  readonly calls: TableCalls;
  readonly runtime: Runtime;
}

/** What claims of this process wait for. */
interface Watcher {
  readonly key: string;
  /** The version when the last wake came. */
  version: string | undefined;
  readonly changed: () => void;
  readonly lost: (reason: unknown) => void;
}

/** The wakes of one process: it listens once for all keys, from the first claim that waits on. */
export function createWakes({ name, table, calls, runtime }: WakesParts): {
  readonly watch: NonNullable<RecordStore['watch']>;
  close(): void;
} {
  const reports = new WakeReports(name);
  const watchers = new Set<Watcher>();
  let opening: Promise<() => void> | undefined;
  let refusedUntil = -Infinity;
  let refusal: unknown;
  let closed = false;
  let looking = false;
  let again = false;

  const lose = (reason: unknown): void => {
    void opening?.then(
      (stop) => stop(),
      () => {},
    );
    opening = undefined;
    reports.tell('polling', reason);
    const all = [...watchers];
    watchers.clear();
    for (const { lost } of all) lost(reason);
  };

  /** A wake does not say of which key it is, and one statement costs less than a read of each. */
  const look = async (): Promise<void> => {
    const keys = [...watchers].map(({ key }) => key);
    let found: ReadonlyMap<string, string> | undefined;
    try {
      found = await calls.run((connection) => table.versions(connection, keys), { what: 'a look', first: true });
    } catch {
      // Each key is read then, and says what is wrong.
    }
    for (const watcher of watchers) {
      const version = found?.get(watcher.key);
      if (found !== undefined && version === watcher.version) continue;
      watcher.version = version;
      watcher.changed();
    }
  };
  const heard = async (): Promise<void> => {
    again = true;
    if (looking) return;
    looking = true;
    while (again) {
      again = false;
      await look();
    }
    looking = false;
  };

  /** Listens, and has the listener hear a wake of its own process. */
  const open = async (): Promise<() => void> => {
    let proven = (): void => {};
    let refused = (_reason: unknown): void => {};
    let timer: TimerHandle | undefined;
    const proof = new Promise<void>((resolve, reject) => ([proven, refused] = [resolve, reject]));
    proof.catch(() => {});
    let hears = false;
    const stop = await table.listen!(
      () => {
        if (hears) void heard();
        hears = true;
        proven();
      },
      (reason) => (hears ? lose(reason) : refused(reason)),
    );
    try {
      const unheard = (): void => refused(new Error('a wake of this process to itself was not heard'));
      timer = runtime.setTimer(unheard, echoPatience, false);
      await calls.run(async (connection) => await table.echo?.(connection), { what: 'a wake' });
      await proof;
    } catch (error) {
      stop();
      throw error;
    } finally {
      if (timer !== undefined) runtime.clearTimer(timer);
    }
    return stop;
  };
  const listen = async (): Promise<void> => {
    if (runtime.clock.now() < refusedUntil) throw refusal;
    try {
      await (opening ??= open());
      reports.tell('listening', undefined);
    } catch (error) {
      opening = undefined;
      refusal = error;
      refusedUntil = runtime.clock.now() + unheardRetry;
      if (!closed) reports.tell('polling', error);
      throw error;
    }
  };

  return {
    async watch(key, changed, lost) {
      await listen();
      const watcher: Watcher = { key, version: undefined, changed, lost };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    close() {
      closed = true;
      void opening?.then(
        (stop) => stop(),
        () => {},
      );
    },
  };
}
