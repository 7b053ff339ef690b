import type { Session } from '../../session/session.ts';
import type { LiveClaim } from '../live-claim.ts';

/** The claims of this process that wait for one node to go. */
interface Group {
  readonly session: Session;
  readonly claims: Set<LiveClaim>;
  readonly fired: () => void;
  watching: boolean;
  /** The claim that was woken and has not tried yet. */
  woken: LiveClaim | undefined;
}

/**
 * The claims that wait without a queue. When the node goes, every process is notified, and wakes
 * one claim. If a thousand claims tried at every release, all but one would fail.
 */
export class PlainWaiters {
  readonly #groups = new Map<string, Group>();

  has(own: LiveClaim, path: string): boolean {
    const group = this.#groups.get(path);
    return group?.session === own.session && group.watching && group.claims.has(own);
  }

  /**
   * Waits for the node at `path` to go. `missing`: it has gone already. `refused`: too many
   * watches.
   */
  async join(own: LiveClaim, path: string): Promise<'watching' | 'missing' | 'refused'> {
    const group = this.#groupAt(path, own.session);
    group.claims.add(own);
    if (group.woken === own) group.woken = undefined;
    return await this.#watch(group, path);
  }

  /** The claim holds: the others wait for its node. */
  async entered(own: LiveClaim, path: string): Promise<void> {
    const group = this.#groups.get(path);
    if (group === undefined || group.session !== own.session) return;
    group.claims.delete(own);
    if (group.woken === own) group.woken = undefined;
    if (group.claims.size === 0) this.#remove(group, path);
    else if ((await this.#watch(group, path)) !== 'watching') this.#wakeOne(group);
  }

  /** The claim no longer waits. If it was woken and has not tried, another one is woken. */
  leave(own: LiveClaim, path: string): void {
    const group = this.#groups.get(path);
    if (group === undefined || !group.claims.delete(own)) return;
    if (group.claims.size === 0) this.#remove(group, path);
    else if (group.woken === own || !group.watching) this.#wakeOne(group);
  }

  #groupAt(path: string, session: Session): Group {
    const known = this.#groups.get(path);
    if (known?.session === session) return known;
    const group: Group = {
      session,
      claims: new Set(),
      watching: false,
      woken: undefined,
      fired: () => {
        group.watching = false;
        if (!session.lost.aborted) {
          this.#wakeOne(group);
          return;
        }
        if (this.#groups.get(path) === group) this.#groups.delete(path);
        for (const own of group.claims) own.wakeUp();
      },
    };
    this.#groups.set(path, group);
    return group;
  }

  #wakeOne(group: Group): void {
    const [first] = group.claims;
    group.woken = first;
    first?.wakeUp();
  }

  async #watch(group: Group, path: string): Promise<'watching' | 'missing' | 'refused'> {
    if (group.watching) return 'watching';
    group.watching = true;
    try {
      const answer = await group.session.watch(path, group.fired);
      if (answer !== 'watching') group.watching = false;
      return answer;
    } catch (error) {
      group.watching = false;
      throw error;
    }
  }

  #remove(group: Group, path: string): void {
    if (group.watching) group.session.unwatch(path, group.fired);
    if (this.#groups.get(path) === group) this.#groups.delete(path);
  }
}
