/** A request that the leader answered: when it was sent, and when its answer came. */
interface Sample {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/**
 * A share of the timeout, which covers half a tick and the lateness of the leader's pings. Servers
 * grant no less than two ticks by default, so half a tick is at most 0.25. With a larger share,
 * each session is shorter for its client.
 */
export const pingGap = 0.3;

/**
 * Clocks of two machines differ by less than this share of the time they measure, and by this many
 * ms.
 */
const driftShare = 0.01;
const driftRest = 2;

/**
 * Until when the servers certainly keep a session, from what the leader has answered. All times are
 * of one monotonic clock, in ms.
 *
 * The leader alone ends sessions, and counts from when it last heard that one is alive. A request
 * does not tell it. A follower notes which sessions sent something, and reports them with its
 * answers to the leader's pings, one every half tick. Each way between leader and follower keeps
 * the order. So three requests prove that the leader knows of the first:
 *
 * 1. The follower has noted the session when the first is answered.
 * 2. The second is sent `pingGap` after that answer. The leader has sent a ping in between, and
 *    that ping reaches the follower before the leader's answer to the second. So the follower has
 *    sent a report when the second is answered.
 * 3. The third is sent after the answer to the second. It reaches the leader behind that report. It
 *    must be a write: a leader that was deposed, and does not know it yet, answers a `sync`, but no
 *    write without a majority.
 *
 * No network makes this wrong, however late it is. A leader does that sends its pings later than
 * `pingGap` allows, while it answers other requests.
 *
 * Connecting is different. A new session is made by a majority, so its request counts at once. A
 * session that comes from another server is shown to the leader, which counts from then, but asks
 * no majority. So a resumption counts from its own request, but only once a write was confirmed
 * over the same connection.
 *
 * Servers whose `minSessionTimeout` is below two ticks break the rule where that timeout is asked
 * for.
 */
export class Proof {
  #timeout = 0;
  #deadline = Number.NEGATIVE_INFINITY;
  /** When the latest request was sent that the leader knows of, if it still leads. */
  #knownAt = Number.NEGATIVE_INFINITY;
  /** In the order of sending. The first may be older than needed. */
  #samples: Sample[] = [];

  /** Until when the session is kept. */
  get deadline(): number {
    return this.#deadline;
  }

  /** The session was made by a request that was sent at `at`. The server granted `timeout`. */
  begun(at: number, timeout: number): void {
    this.#timeout = timeout;
    this.#knownAt = at;
    this.#deadline = at + this.#span();
  }

  /**
   * The session goes on over another connection, requested at `at`. The server may grant another
   * `timeout`.
   */
  resumed(at: number, timeout: number): void {
    this.#timeout = timeout;
    this.#deadline = Math.min(this.#deadline, at + this.#span());
    // The leader was told before the connection was accepted. The new server has not noted the
    // answers of the former one.
    this.#knownAt = at;
    this.#samples = [];
  }

  /** The leader has answered a request that went through the server at the other end. */
  answered(sentAt: number, answeredAt: number): void {
    this.#samples.push({ sentAt, answeredAt });
  }

  /**
   * The leader has executed a write that was sent at `sentAt`, over the connection that was opened
   * last.
   */
  confirmedWrite(sentAt: number): void {
    const second = this.#samples.findLast(({ answeredAt }) => answeredAt <= sentAt);
    if (second !== undefined) {
      const noted = second.sentAt - this.#timeout * pingGap;
      const first = this.#samples.findLastIndex(({ answeredAt }) => answeredAt <= noted);
      if (first > 0) this.#samples.splice(0, first);
      if (first >= 0) this.#knownAt = this.#samples[0]?.sentAt ?? this.#knownAt;
    }
    this.#deadline = Math.max(this.#deadline, this.#knownAt + this.#span());
  }

  #span(): number {
    return this.#timeout * (1 - driftShare) - driftRest;
  }
}
