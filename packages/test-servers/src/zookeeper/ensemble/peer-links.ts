import type { Proxy, Way } from '@locks/conformance/faults';
import { startProxy } from '../../proxy/start-proxy.ts';
import type { MemberAddress } from './ensemble-settings.ts';

/** The connections between the members of an ensemble, each through a proxy of its own. */
export interface PeerLinks {
  /** The addresses of all members for `member`: its own is the real one. */
  seenBy(member: number): readonly MemberAddress[];
  /** Isolates `member` from all others by dropping everything. Returns a function that ends it. */
  cutOff(member: number): () => Promise<void>;
  /** Delays what the others send `member` by `delay` ms. Returns a function that ends it. */
  lag(member: number, delay: number): () => void;
  /** Holds what the others send `member` until the returned function is called, in order. */
  hold(member: number): () => void;
  /** Drops what `member` sends the others. Ending it cuts the connections. */
  mute(member: number): () => Promise<void>;
  stop(): Promise<void>;
}

interface Link {
  readonly from: number;
  readonly to: number;
  readonly quorum: Proxy;
  readonly election: Proxy;
}

/** One connection of a member. */
interface Around {
  readonly quorum: Proxy;
  /** What the others send it. */
  readonly towards: Way;
  /** What it sends. */
  readonly away: Way;
}

/** Puts proxies between all `members`, which need not run yet. */
export async function linkMembers(members: readonly MemberAddress[]): Promise<PeerLinks> {
  const links: Link[] = [];
  const find = (from: number, to: number): Link | undefined => links.find((one) => one.from === from && one.to === to);

  async function connectPair(
    from: number,
    to: number,
    caller: MemberAddress,
    { host, ...called }: MemberAddress,
  ): Promise<Link> {
    const quorum = await startProxy(
      { host, port: called.quorumPort },
      // A leader that is about to listen refuses a follower, which then retries. A follower that
      // was accepted and disconnected gives up.
      { patience: 1_000 },
    );
    const election = await startProxy(
      { host, port: called.electionPort },
      {
        // The calling member introduces itself with its address, and may be called back there.
        rewrite(piece, way) {
          const back = find(to, from)?.election;
          if (way === 'replies' || back === undefined) return piece;
          return replace(piece, `${host}:${caller.electionPort}`, `${host}:${back.port}`);
        },
      },
    );
    return { from, to, quorum, election };
  }

  async function stop(): Promise<void> {
    await Promise.all(links.flatMap(({ quorum, election }) => [quorum.stop(), election.stop()]));
  }

  /**
   * The proxies between `member` and each other one, with the direction towards it and the one
   * away.
   */
  function around(member: number): readonly Around[] {
    return links
      .filter(({ from, to }) => from === member || to === member)
      .map(({ from, quorum }) => {
        const calls = from === member;
        return { quorum, towards: calls ? 'replies' : 'requests', away: calls ? 'requests' : 'replies' };
      });
  }

  try {
    for (const [from, caller] of members.entries()) {
      for (const [to, called] of members.entries())
        if (from !== to) links.push(await connectPair(from, to, caller, called));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    seenBy: (from) =>
      members.map((member, to) => {
        const seen = find(from, to);
        return seen === undefined
          ? member
          : { ...member, quorumPort: seen.quorum.port, electionPort: seen.election.port };
      }),
    cutOff(member) {
      const cut = links.filter(({ from, to }) => from === member || to === member);
      const ends = cut
        .flatMap(({ quorum, election }) => [quorum, election])
        .map((proxy) => {
          const admit = proxy.refuse();
          const speak = proxy.silence();
          return async () => {
            admit();
            await speak();
          };
        });
      return endAll(ends);
    },
    lag: (member, delay) => endAll(around(member).map(({ quorum, towards }) => quorum.delay(delay, towards))),
    hold: (member) => endAll(around(member).map(({ quorum, towards }) => quorum.hold(towards))),
    mute: (member) => endAll(around(member).map(({ quorum, away }) => quorum.silence(away))),
    stop,
  };
}

function endAll(ends: readonly (() => unknown)[]): () => Promise<void> {
  return async () => void (await Promise.all(ends.map((end) => end())));
}

/** `piece` with `text` replaced by another one of the same length. */
function replace(piece: Buffer, text: string, by: string): Buffer {
  const at = piece.indexOf(text);
  if (at === -1) return piece;
  const copy = Buffer.from(piece);
  copy.write(by, at);
  return copy;
}
