import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { SessionManager } from '../session/session-manager.ts';
import type { Session } from '../session/session.ts';
import { remove } from '../wire/requests.ts';

export interface FolderCleanupParts {
  readonly sessions: Pick<SessionManager, 'current'>;
  readonly runtime: Runtime;
  /** The folders in a key's folder, which are removed first. */
  readonly below: readonly string[];
  /**
   * How long an unused folder is kept, in ms. With less, folders in use are created again more
   * often.
   */
  readonly idle: number;
}

/**
 * How many used and how many unused folders are remembered. With more, the oldest are removed
 * early.
 */
const most = 50_000;
/** How many folders are removed simultaneously. With more, locks wait longer behind them. */
const flight = 50;
/** How often folders are checked per `idle`. */
const looks = 10;

/**
 * Removes the key folders that this process has created, some time after it has left them. The
 * servers remove empty containers, too, but at most 10 000 a minute. No acquire or release waits
 * for it.
 */
export class FolderCleanup {
  readonly #parts: FolderCleanupParts;
  readonly #used: Set<string> = new Set();
  /** When each folder was left, by the runtime's clock, earliest first. */
  readonly #left: Map<string, number> = new Map();
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(parts: FolderCleanupParts) {
    this.#parts = parts;
  }

  /** A claim of this process has created `folder`, and is in it. */
  made(folder: string): void {
    this.#used.add(folder);
    if (this.#used.size <= most) return;
    const [first] = this.#used;
    if (first !== undefined) this.#used.delete(first);
  }

  /** A claim of this process enters `folder`. */
  entered(folder: string): void {
    if (this.#left.delete(folder)) this.#used.add(folder);
  }

  /** A claim of this process has left `folder`. Other claims may still be there. */
  left(folder: string): void {
    if (!this.#used.delete(folder)) return;
    this.#left.set(folder, this.#parts.runtime.clock.now());
    this.#arm();
  }

  /** From now on nothing is removed. The servers remove the remaining ones. */
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

  /** The folders of one flight, those that were left first. */
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
      // Its claims may be gone at the next check. Beyond `most` the servers remove it.
      if (used && this.#left.size < most) this.#left.set(folder, runtime.clock.now());
    } catch {
      // The connection has ended. There will be another.
      this.#left.set(folder, runtime.clock.now());
    }
  }
}
