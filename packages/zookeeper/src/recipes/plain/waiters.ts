import type { LiveClaim } from '../live-claim.ts';
import type { Session } from '../../session/session.ts';

/** The claims of this process that wait for one node to go, and who of them was told that it has. */
interface Gathering {
  readonly session: Session;
  readonly claims: Set<LiveClaim>;
  readonly fired: () => void;
  watching: boolean;
  told: LiveClaim | undefined;
}

/**
 * Those who wait where there is no line. When the node goes, every process is told, and in each only one claim tries: of a thousand that all tried,
 * all but one would make a node and fail, at every release.
 */
export class Crowd {
  readonly #gatherings = new Map<string, Gathering>();

  has(own: LiveClaim, path: string): boolean {
    const gathering = this.#gatherings.get(path);
    return gathering?.session === own.session && gathering.watching && gathering.claims.has(own);
  }

  /** Waits for the node at `path` to go. `missing`: it has gone already. `refused`: there are too many watches. */
  async join(own: LiveClaim, path: string): Promise<'watching' | 'missing' | 'refused'> {
    const gathering = this.#at(path, own.session);
    gathering.claims.add(own);
    if (gathering.told === own) gathering.told = undefined;
    return await this.#watch(gathering, path);
  }

  /** It holds now: the others wait for its own node. */
  async entered(own: LiveClaim, path: string): Promise<void> {
    const gathering = this.#gatherings.get(path);
    if (gathering === undefined || gathering.session !== own.session) return;
    gathering.claims.delete(own);
    if (gathering.told === own) gathering.told = undefined;
    if (gathering.claims.size === 0) this.#disperse(gathering, path);
    else if ((await this.#watch(gathering, path)) !== 'watching') this.#tell(gathering);
  }

  /** It does not wait any more; if it was told, and has not tried, somebody else is. */
  leave(own: LiveClaim, path: string): void {
    const gathering = this.#gatherings.get(path);
    if (gathering === undefined || !gathering.claims.delete(own)) return;
    if (gathering.claims.size === 0) this.#disperse(gathering, path);
    else if (gathering.told === own || !gathering.watching) this.#tell(gathering);
  }

  #at(path: string, session: Session): Gathering {
    const known = this.#gatherings.get(path);
    if (known?.session === session) return known;
    const gathering: Gathering = {
      session,
      claims: new Set(),
      watching: false,
      told: undefined,
      fired: () => {
        gathering.watching = false;
        if (!session.lost.aborted) {
          this.#tell(gathering);
          return;
        }
        if (this.#gatherings.get(path) === gathering) this.#gatherings.delete(path);
        for (const own of gathering.claims) own.wake?.();
      },
    };
    this.#gatherings.set(path, gathering);
    return gathering;
  }

  #tell(gathering: Gathering): void {
    const [first] = gathering.claims;
    gathering.told = first;
    first?.wake?.();
  }

  async #watch(gathering: Gathering, path: string): Promise<'watching' | 'missing' | 'refused'> {
    if (gathering.watching) return 'watching';
    gathering.watching = true;
    try {
      const answer = await gathering.session.watch(path, gathering.fired);
      if (answer !== 'watching') gathering.watching = false;
      return answer;
    } catch (error) {
      gathering.watching = false;
      throw error;
    }
  }

  #disperse(gathering: Gathering, path: string): void {
    if (gathering.watching) gathering.session.unwatch(path, gathering.fired);
    if (this.#gatherings.get(path) === gathering) this.#gatherings.delete(path);
  }
}
