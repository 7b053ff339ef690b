/** Something the server answered: when it was sent, and when the answer was here. */
interface Sample {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** Share of the timeout: how long before a write the leader may last have been told who is alive. */
const reportGap = 0.3;

/** Clocks of two machines differ by less than this share of the time they measure, and by this many ms. */
const driftShare = 0.01;
const driftRest = 2;

/**
 * Until when the servers certainly keep a session, from what they have answered. All times are of one monotonic clock, in ms.
 *
 * The leader alone ends sessions, and counts from when it last heard that one is alive. A write does not tell it: it is only passed on.
 * A follower notes which sessions sent something, and reports them with its answers to the leader's pings, one every half tick, which is
 * at most a quarter of the shortest timeout that a server grants by default (two ticks). So after a confirmed write its sender knows
 * only this: the write took the same first-in-first-out way from the follower to the leader as the reports before it, and the last of
 * them left at most a quarter of the timeout earlier; some of it more, for pings that come late. What the follower had answered by then,
 * the leader knows. "The last confirmed write + timeout" is wrong: a follower that is cut off right after it takes what it has noted along.
 *
 * Connecting is different. A new session is made by a majority, so its request counts at once. A session that comes from another server
 * is shown to the leader, which counts from then, but asks nobody: it may have been deposed and not know it yet. So a resumption
 * counts from its own request, but only once a write was confirmed over the same connection, which takes a majority.
 *
 * Servers whose `minSessionTimeout` is below two ticks break the rule where that timeout is asked for.
 */
export class Proof {
  #timeout = 0;
  #deadline = Number.NEGATIVE_INFINITY;
  /** In the order of sending; the first may be older than what is needed. */
  #samples: Sample[] = [];

  /** Until then the session is kept. */
  get deadline(): number {
    return this.#deadline;
  }

  /** The session was made, asked for at `at`; `timeout` is what the server granted. */
  begun(at: number, timeout: number): void {
    this.#timeout = timeout;
    this.#deadline = at + this.#span();
  }

  /** The session goes on over another connection, asked for at `at`; the server may grant another `timeout` with it. */
  resumed(at: number, timeout: number): void {
    this.#timeout = timeout;
    this.#deadline = Math.min(this.#deadline, at + this.#span());
    // The leader was told before the connection was accepted. What another server has answered, this one has not noted.
    this.#samples = [{ sentAt: at, answeredAt: Number.NEGATIVE_INFINITY }];
  }

  /** The server at the other end has answered a request of any kind. */
  answered(sentAt: number, answeredAt: number): void {
    this.#samples.push({ sentAt, answeredAt });
  }

  /** A write that was sent at `sentAt`, over the connection that was opened last, was executed by the leader. */
  confirmedWrite(sentAt: number): void {
    const reported = sentAt - this.#timeout * reportGap;
    let known: Sample | undefined;
    while (this.#samples[0] !== undefined && this.#samples[0].answeredAt <= reported) known = this.#samples.shift();
    if (known !== undefined) this.#deadline = Math.max(this.#deadline, known.sentAt + this.#span());
  }

  #span(): number {
    return this.#timeout * (1 - driftShare) - driftRest;
  }
}
