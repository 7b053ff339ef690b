import type { RecordStore, Runtime, TimerHandle } from '@locks/core/adapter';
import type { TableCalls } from '../connections/table-calls.ts';
import { WakeReports } from '../queue/wake-reports.ts';
import type { TextListening } from '../dialect/stores/text-table.ts';

/** A listener that has not heard a wake of its own process after this time, in ms, is given up. */
const echoPatience = 1_000;
/**
 * How long no other one is opened after that, in ms. Poolers between a process and its database
 * change seldom, so a shorter time costs connections that hear nothing.
 */
const unheardRetry = 60_000;

/**
 * So many keys are read at once where a wake does not say its key. With more, wakes of a process
 * that waits for that many cost more reads; with fewer, a hand-over comes later by one statement.
 */
const fewKeys = 8;

/** What the wakes of a process are made of. */
export interface WakesParts {
  /** The provider's name. */
  readonly name: string;
  readonly listening: TextListening;
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
export function createWakes({ name, listening, calls, runtime }: WakesParts): {
  readonly watch: NonNullable<RecordStore['watch']>;
  close(): void;
} {
  const reports = new WakeReports(name);
  const watchers = new Set<Watcher>();
  let opening: Promise<() => void> | undefined;
  let unheardUntil = -Infinity;
  let closed = false;
  let looking = false;
  let again = false;

  const unheard = (): Error => new Error(`a message to itself was not heard: ${listening.unheard}`);
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

  /** One statement costs less than a read of each key. */
  const look = async (): Promise<void> => {
    const keys = [...watchers].map(({ key }) => key);
    let found: ReadonlyMap<string, string> | undefined;
    try {
      found = await calls.run(async (connection) => await listening.versions?.(connection, keys), { what: 'a look' });
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
  const heard = async (woken?: string): Promise<void> => {
    if (woken !== undefined || watchers.size <= fewKeys) {
      for (const { key, changed } of watchers) if (woken === undefined || key === woken) changed();
      return;
    }
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
    const stop = await listening.listen(
      (key) => {
        if (hears) void heard(key);
        hears = true;
        proven();
      },
      (reason) => (hears ? lose(reason) : refused(reason)),
    );
    try {
      await calls.run((connection) => listening.echo(connection), { what: 'a wake' });
      const giveUp = (): void => {
        unheardUntil = runtime.clock.now() + unheardRetry;
        refused(unheard());
      };
      timer = runtime.setTimer(giveUp, echoPatience, false);
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
    if (runtime.clock.now() < unheardUntil) throw unheard();
    try {
      await (opening ??= open());
      reports.tell('listening', undefined);
    } catch (error) {
      opening = undefined;
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
