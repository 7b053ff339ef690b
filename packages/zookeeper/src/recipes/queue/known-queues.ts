import { folderOf } from '../../nodes/paths.ts';
import { sequenceLimit } from '../../nodes/sequence.ts';
import type { Session } from '../../session/session.ts';
import type { Verdict } from '../recipe.ts';
import type { LiveClaim } from '../live-claim.ts';
import { FolderWatches } from './folder-watches.ts';
import type { FolderWatch } from './folder-watches.ts';

/** A position known without reading the queue. A waiting claim waits for a node of this session. */
type KnownPlace = Extract<Verdict, { readonly state: 'holds' | 'waits' }>;

/** A node of this session in a queue. */
interface Place {
  readonly path: string;
  /** When it came, in the order of all calls. */
  readonly since: number;
  /** It holds, and no node was before it. */
  first: boolean;
  /** Until it is known whether it was removed. */
  leaving: Promise<unknown> | undefined;
}

/** One queue, as far as this session knows it. */
interface Queue {
  /** By number. */
  readonly places: Map<number, Place>;
  /**
   * No node in the folder has a number up to this one. -1: unknown. Holds for nodes that came
   * before `clearedAt`, and for all nodes while the folder is watched.
   */
  clearTo: number;
  clearedAt: number;
  /** The server reports when the folder is removed, which restarts the numbers. */
  watched: boolean;
  /** The last claim got the number after `clearTo`: other clients are rare. */
  undisturbed: boolean;
}

/**
 * What a provider knows about its queues without reading them. ZooKeeper numbers the nodes of a
 * folder consecutively. So a node whose number follows that of another node of this session is
 * right behind it:
 *
 * - It waits for that node if that still exists, as the watch of that node shows.
 * - It holds if that node was first and was removed, and the folder is still the same. The watch of
 * the folder shows it, before the answer to any later request. Or the new node itself, if it was
 * created before the other one was removed.
 */
export class KnownQueues {
  readonly #enabled: boolean;
  readonly #sessions: WeakMap<Session, Map<string, Queue>> = new WeakMap();
  readonly #folders: FolderWatches = new FolderWatches();
  #now = 0;

  /** @param enabled `false`: nothing is ever known. */
  constructor(enabled: boolean = true) {
    this.#enabled = enabled;
  }

  /** Whether a claim that enters now will probably know its position without reading the queue. */
  foresees({ session, claim, waits }: LiveClaim, folder: string): boolean {
    const queue = this.#sessions.get(session)?.get(folder);
    if (queue === undefined) return false;
    if (queue.places.size > 0) return waits && claim.mode === 'exclusive';
    return queue.watched && queue.undisturbed && queue.clearTo >= 0;
  }

  /** Records the new node of a claim, and returns its position if known. */
  entered({ session, claim, waits }: LiveClaim, path: string): KnownPlace | undefined {
    if (!this.#enabled) return undefined;
    const { folder, sequence } = split(path);
    const queue = this.#queueOf(session, folder);
    this.#now += 1;
    queue.places.set(sequence, { path, since: this.#now, first: false, leaving: undefined });
    if (sequence >= sequenceLimit) return undefined;
    queue.undisturbed = queue.clearTo >= 0 && sequence === queue.clearTo + 1;
    if (queue.undisturbed && queue.watched) return { state: 'holds' };
    // A claim that does not wait must not leave because of a node that has just gone. Shared claims
    // wait for other nodes than the one before them.
    if (!waits || claim.mode === 'shared') return undefined;
    const before = queue.places.get(sequence - 1);
    if (before === undefined || before.leaving !== undefined) return undefined;
    // The map has the order of the numbers.
    const [first = sequence] = queue.places.keys();
    return { state: 'waits', watch: [before.path], place: sequence - first };
  }

  /** Whether a node that waited is first, provided that it exists. */
  async isNext({ session }: LiveClaim, path: string): Promise<boolean> {
    const { folder, sequence } = split(path);
    const queue = this.#sessions.get(session)?.get(folder);
    const place = queue?.places.get(sequence);
    if (queue === undefined || place === undefined) return false;
    await queue.places.get(sequence - 1)?.leaving;
    return queue.clearTo === sequence - 1 && (queue.watched || place.since <= queue.clearedAt);
  }

  /** An exclusive claim holds. */
  holds({ session }: LiveClaim, path: string): void {
    const { folder, sequence } = split(path);
    const place = this.#sessions.get(session)?.get(folder)?.places.get(sequence);
    if (place !== undefined) place.first = true;
  }

  /** The node no longer exists, and may have gone at any time. */
  lost({ session }: LiveClaim, path: string): void {
    const { folder, sequence } = split(path);
    this.#sessions.get(session)?.get(folder)?.places.delete(sequence);
    this.#tidy(session, folder);
  }

  /** Resolves to the result of `remove`, which removes the node and is called synchronously. */
  async leaves({ session }: LiveClaim, path: string, remove: () => Promise<boolean>): Promise<boolean> {
    if (!this.#enabled) return await remove();
    const { folder, sequence } = split(path);
    const queue = this.#queueOf(session, folder);
    const place = queue.places.get(sequence);
    const at = this.#now;
    // The watch is set before the node is removed: until then the folder cannot go.
    const watching = this.#watchFor(session, queue, place);
    const removing = remove();
    const leaving = Promise.all([removing, watching]).then(
      ([removed, fired]) => {
        queue.places.delete(sequence);
        if (fired !== undefined) {
          queue.watched = !fired();
          queue.clearTo = -1;
        }
        // A node that had gone before proves nothing: its folder may have gone, too.
        if (!removed || place?.first !== true) return;
        queue.clearTo = sequence;
        queue.clearedAt = at;
      },
      () => void queue.places.delete(sequence),
    );
    if (place !== undefined) place.leaving = leaving;
    await leaving;
    this.#tidy(session, folder);
    return await removing;
  }

  /**
   * Watches the folder of a claim that is alone in its queue. Resolves to a function that returns
   * whether the folder has changed, or to `undefined` without a watch.
   */
  #watchFor(session: Session, queue: Queue, place: Place | undefined): FolderWatch | undefined {
    if (place?.first !== true || queue.watched || queue.places.size > 1) return undefined;
    const folder = folderOf(place.path);
    return this.#folders.watch(session, folder, () => {
      queue.watched = false;
      queue.clearTo = -1;
      this.#tidy(session, folder);
    });
  }

  #queueOf(session: Session, folder: string): Queue {
    const queues = this.#sessions.get(session) ?? new Map<string, Queue>();
    this.#sessions.set(session, queues);
    const known = queues.get(folder);
    if (known !== undefined) return known;
    const queue: Queue = { places: new Map(), clearTo: -1, clearedAt: 0, watched: false, undisturbed: true };
    queues.set(folder, queue);
    return queue;
  }

  /** Drops a queue that has no node of this session and is not watched. */
  #tidy(session: Session, folder: string): void {
    const queues = this.#sessions.get(session);
    const queue = queues?.get(folder);
    if (queue !== undefined && queue.places.size === 0 && !queue.watched) queues?.delete(folder);
  }
}

function split(path: string): { readonly folder: string; readonly sequence: number } {
  return { folder: folderOf(path), sequence: Number(path.slice(-10)) };
}
