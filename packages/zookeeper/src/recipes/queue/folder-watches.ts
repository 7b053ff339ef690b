import type { Session } from '../../session/session.ts';

/** Resolves to a function that returns whether the folder has changed. `undefined`: no watch. */
export type FolderWatch = Promise<(() => boolean) | undefined>;

/** How many folders are watched, and how many remembered after one use. More take more memory. */
const most = 1_000;

/** The watches of the folders that a provider uses repeatedly. */
export class FolderWatches {
  /** Folders that were left once. */
  readonly #once: Set<string> = new Set();
  #count = 0;

  /**
   * Watches a folder at its second use, and calls `changed` once when it changes. The request is
   * sent before this returns.
   */
  watch(session: Session, folder: string, changed: () => void): FolderWatch | undefined {
    if (this.#count >= most) return undefined;
    if (this.#once.has(folder)) return this.#watch(session, folder, changed);
    if (this.#once.size >= most) this.#once.clear();
    this.#once.add(folder);
    return undefined;
  }

  async #watch(session: Session, folder: string, changed: () => void): FolderWatch {
    let fired = false;
    this.#count += 1;
    const onFired = (): void => {
      fired = true;
      this.#count -= 1;
      changed();
    };
    const watched = await session.watch(folder, onFired).catch(() => 'refused');
    if (watched === 'watching') return () => fired;
    this.#count -= 1;
    return undefined;
  }
}
