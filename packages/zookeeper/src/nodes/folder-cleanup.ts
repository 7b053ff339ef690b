import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { SessionManager } from '../session/session-manager.ts';
import type { Session } from '../session/session.ts';
import { remove } from '../wire/requests.ts';

/** How the folders are removed. */
export interface MadeFoldersParts {
  readonly sessions: Pick<SessionManager, 'current'>;
  readonly runtime: Runtime;
  /** What a key's folder contains: folders, which are removed first. */
  readonly below: readonly string[];
  /** How long a folder is kept that nothing uses, in ms. A shorter time makes folders anew that are used again and again. */
  readonly idle: number;
}

/** As many folders are remembered, of either kind. With more, those that were left first are removed before their time. */
const most = 50_000;
/** As many folders are removed at once: locks do not wait long behind them. */
const flight = 50;
/** Of `idle`: how often folders are looked for that must go. */
const looks = 10;

/**
 * The folders of keys that this process has made. The servers remove empty containers, but 10 000 a minute at most. So this process
 * removes what it has made, some time after it has left the folder: no acquire or release waits for that.
 */
export class MadeFolders {
  readonly #parts: MadeFoldersParts;
  readonly #used: Set<string> = new Set();
  /** When each was left, by the clock of the runtime; the earliest first. */
  readonly #left: Map<string, number> = new Map();
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(parts: MadeFoldersParts) {
    this.#parts = parts;
  }

  /** A claim of this process has made `folder`, and is in it. */
  made(folder: string): void {
    this.#used.add(folder);
    if (this.#used.size <= most) return;
    const [first] = this.#used;
    if (first !== undefined) this.#used.delete(first);
  }

  /** A claim of this process comes. */
  entered(folder: string): void {
    if (this.#left.delete(folder)) this.#used.add(folder);
  }

  /** A claim of this process has gone. Others of it may be there. */
  left(folder: string): void {
    if (!this.#used.delete(folder)) return;
    this.#left.set(folder, this.#parts.runtime.clock.now());
    this.#arm();
  }

  /** Nothing is removed any more. The servers remove what is left. */
  stop(): void {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#parts.runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#stopped || this.#left.size === 0) return;
    const { runtime, idle } = this.#parts;
    const look = (): void => {
      void this.#sweep().then(() => {
        this.#timer = undefined;
        this.#arm();
      });
    };
    this.#timer = runtime.setTimer(look, idle / looks, false);
  }

  async #sweep(): Promise<void> {
    const { sessions, runtime, idle } = this.#parts;
    const until = runtime.clock.now() - idle;
    for (;;) {
      const session = sessions.current;
      if (this.#stopped || session?.connected !== true) return;
      const folders = [...this.#due(until)];
      if (folders.length === 0) return;
      await Promise.all(folders.map((folder) => this.#remove(session, folder)));
    }
  }

  /** Those that were left first, as many as are removed at once. */
  *#due(until: number): Generator<string, void> {
    let count = 0;
    for (const [folder, leftAt] of this.#left) {
      if (count === flight || (leftAt > until && this.#left.size <= most)) return;
      count += 1;
      this.#left.delete(folder);
      yield folder;
    }
  }

  async #remove(session: Session, folder: string): Promise<void> {
    const { below, runtime } = this.#parts;
    const paths = [...below.map((name) => `${folder}/${name}`), folder];
    try {
      const answers = await Promise.all(paths.map((path) => session.send(remove(path))));
      const used = answers.some((answer) => !answer.ok && answer.error === 'NOT_EMPTY');
      // Those that are in it now may have left before anything is heard of them again. Too many are left to the servers.
      if (used && this.#left.size < most) this.#left.set(folder, runtime.clock.now());
    } catch {
      // The connection has ended. There will be another.
      this.#left.set(folder, runtime.clock.now());
    }
  }
}
