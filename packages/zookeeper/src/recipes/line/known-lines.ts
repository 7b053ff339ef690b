import { sequenceLimit } from './judge.ts';
import type { LiveClaim } from '../live-claim.ts';
import { folderOf } from '../../nodes/paths.ts';
import type { Session } from '../../session/session.ts';

/** What is known of a place in line before the line is read. */
export type Known =
  | { readonly state: 'holds' }
  /** The nearest before it is a node of this session. */
  | { readonly state: 'waits'; readonly watch: readonly string[]; readonly place: number };

/** A node of this session in a line. */
interface Place {
  readonly path: string;
  /** When it came, of all that happened. */
  readonly since: number;
  /** It holds, and nobody was before it. */
  first: boolean;
  /** Until it is known whether it was removed. */
  leaving: Promise<unknown> | undefined;
}

/** One line, as far as this session knows it. */
interface Line {
  /** By their numbers. */
  readonly places: Map<number, Place>;
  /** Nobody in the folder has a number up to this one; -1: nothing is known. Goes for those who came before `clearedAt`, and while it is watched for all. */
  clearTo: number;
  clearedAt: number;
  /** The server tells when the folder is removed, and with it the count. */
  watched: boolean;
  /** The last claim was the next after `clearTo`: others seldom come. */
  undisturbed: boolean;
}

/** As many folders are watched, and as many remembered that were used once. */
const most = 1_000;

/**
 * What the sessions of a provider know of their lines without reading them. ZooKeeper numbers the nodes of a folder one by one, so whoever
 * has the number after one of ours comes right after it:
 *
 * - It waits for ours, if that is still there. The watch of ours tells.
 * - It holds, if ours was the first and was removed, and the folder is the same as then. A watch of the folder, which is told of before
 *   the answer to any later request, tells; or the node itself, if it was made before ours was removed.
 */
export class KnownLines {
  readonly #sessions: WeakMap<Session, Map<string, Line>> = new WeakMap();
  /** Folders that were left once. */
  readonly #once: Set<string> = new Set();
  #watching = 0;
  #now = 0;

  /** Whether a claim that comes now will probably know its place without reading the line. */
  foresees({ session, claim, wake }: LiveClaim, folder: string): boolean {
    const line = this.#sessions.get(session)?.get(folder);
    if (line === undefined) return false;
    if (line.places.size > 0) return wake !== undefined && claim.mode === 'exclusive';
    return line.watched && line.undisturbed && line.clearTo >= 0;
  }

  /** Notes the new node of a claim; what is known of its place, if anything. */
  entered({ session, claim, wake }: LiveClaim, path: string): Known | undefined {
    const { folder, sequence } = split(path);
    const line = this.#lineOf(session, folder);
    this.#now += 1;
    line.places.set(sequence, { path, since: this.#now, first: false, leaving: undefined });
    if (sequence >= sequenceLimit) return undefined;
    line.undisturbed = line.clearTo >= 0 && sequence === line.clearTo + 1;
    if (line.undisturbed && line.watched) return { state: 'holds' };
    // One that does not wait must not be sent away by a node that is there no more; how sharers wait is not as simple.
    if (wake === undefined || claim.mode === 'shared') return undefined;
    const before = line.places.get(sequence - 1);
    if (before === undefined || before.leaving !== undefined) return undefined;
    // They are in the order of their numbers.
    const [first = sequence] = line.places.keys();
    return { state: 'waits', watch: [before.path], place: sequence - first };
  }

  /** Whether a node that waited is the first, provided that it is there. */
  async isNext({ session }: LiveClaim, path: string): Promise<boolean> {
    const { folder, sequence } = split(path);
    const line = this.#sessions.get(session)?.get(folder);
    const place = line?.places.get(sequence);
    if (line === undefined || place === undefined) return false;
    await line.places.get(sequence - 1)?.leaving;
    return line.clearTo === sequence - 1 && (line.watched || place.since <= line.clearedAt);
  }

  /** An exclusive claim holds. */
  holds({ session }: LiveClaim, path: string): void {
    const { folder, sequence } = split(path);
    const place = this.#sessions.get(session)?.get(folder)?.places.get(sequence);
    if (place !== undefined) place.first = true;
  }

  /** Its node is not there any more, and nobody knows since when. */
  lost({ session }: LiveClaim, path: string): void {
    const { folder, sequence } = split(path);
    this.#sessions.get(session)?.get(folder)?.places.delete(sequence);
    this.#tidy(session, folder);
  }

  /** The node is about to be removed by `remove`, which is called at once; resolves to what that does. */
  async leaves({ session }: LiveClaim, path: string, remove: () => Promise<boolean>): Promise<boolean> {
    const { folder, sequence } = split(path);
    const line = this.#lineOf(session, folder);
    const place = line.places.get(sequence);
    const at = this.#now;
    // The watch is set before the node is removed: until then the folder cannot have been.
    const watching = this.#watchFor(session, folder, line, place);
    const removing = remove();
    const leaving = Promise.all([removing, watching]).then(
      ([removed, fired]) => {
        line.places.delete(sequence);
        if (fired !== undefined) {
          line.watched = !fired();
          line.clearTo = -1;
        }
        // One that had gone before tells nothing: its folder may have gone, too.
        if (!removed || place?.first !== true) return;
        line.clearTo = sequence;
        line.clearedAt = at;
      },
      () => void line.places.delete(sequence),
    );
    if (place !== undefined) place.leaving = leaving;
    await leaving;
    this.#tidy(session, folder);
    return await removing;
  }

  /** Watches a folder that is used for the second time by a claim that nobody waits for. Resolves to whether it has changed since. */
  async #watchFor(
    session: Session,
    folder: string,
    line: Line,
    place: Place | undefined,
  ): Promise<(() => boolean) | undefined> {
    if (place?.first !== true || line.watched || line.places.size > 1 || this.#watching >= most) return undefined;
    if (!this.#once.has(folder)) {
      if (this.#once.size >= most) this.#once.clear();
      this.#once.add(folder);
      return undefined;
    }
    let fired = false;
    this.#watching += 1;
    const changed = (): void => {
      fired = true;
      this.#watching -= 1;
      line.watched = false;
      line.clearTo = -1;
      this.#tidy(session, folder);
    };
    const watched = await session.watch(folder, changed).catch(() => 'refused');
    if (watched === 'watching') return () => fired;
    this.#watching -= 1;
    return undefined;
  }

  #lineOf(session: Session, folder: string): Line {
    const lines = this.#sessions.get(session) ?? new Map<string, Line>();
    this.#sessions.set(session, lines);
    const known = lines.get(folder);
    if (known !== undefined) return known;
    const line: Line = { places: new Map(), clearTo: -1, clearedAt: 0, watched: false, undisturbed: true };
    lines.set(folder, line);
    return line;
  }

  /** Of a line that nobody is in, what is not told of is not known. */
  #tidy(session: Session, folder: string): void {
    const lines = this.#sessions.get(session);
    const line = lines?.get(folder);
    if (line !== undefined && line.places.size === 0 && !line.watched) lines?.delete(folder);
  }
}

function split(path: string): { readonly folder: string; readonly sequence: number } {
  return { folder: folderOf(path), sequence: Number(path.slice(-10)) };
}
