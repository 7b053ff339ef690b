/** A request that the leader answered: the times of sending and of the answer. */
interface Sample {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/**
 * A part of the timeout, which covers half a tick and the lateness of the leader's pings. Servers
 * grant at least two ticks by default, so half a tick is at most 0.25. With a larger part, each
 * session is shorter for its client.
 */
export const pingGap = 0.3;

/** Clocks of two machines differ by less than this part of the measured time, plus this many ms. */
const driftShare = 0.01;
const driftRest = 2;

/**
 * Until when the servers certainly keep a session, from what the leader has answered. All times are
 * of one monotonic clock, in ms.
 *
 * Only the leader ends sessions, counting from when it last heard of them. A request does not
 * inform it. A follower notes which sessions sent something, and reports them with its answers to
 * the leader's pings, one every half tick. Each direction between leader and follower keeps the
 * order. So three requests prove that the leader knows of the first:
 *
 * 1. The follower has noted the session when the first is answered.
 * 2. The second is sent `pingGap` after that answer. The leader has sent a ping in between, which
 * reaches the follower before the leader's answer to the second. So the follower has sent a report
 * when the second is answered.
 * 3. The third is sent after the answer to the second, and reaches the leader behind that report.
 * It must be a write: a deposed leader that does not know it yet answers a `sync`, but no write
 * without a majority.
 *
 * No network delay makes this wrong. Only a leader does that sends its pings later than `pingGap`
 * allows, while it answers other requests.
 *
 * Connecting is different. A majority creates a new session, so its request counts immediately. A
 * session that moves from another server is reported to the leader, which counts from then, but
 * asks no majority. So a resumption counts from its own request, but only once a write was
 * confirmed over the same connection.
 *
 * Servers whose `minSessionTimeout` is below two ticks break the rule if that timeout is requested.
 */
export class Proof {
  #timeout = 0;
  #deadline = Number.NEGATIVE_INFINITY;
  /** When the latest request known to the leader was sent, if it still leads. */
  #knownAt = Number.NEGATIVE_INFINITY;
  /** In the order of sending. The first may be older than needed. */
  #samples: Sample[] = [];

  /** Until when the session is kept. */
  get deadline(): number {
    return this.#deadline;
  }

  /** The session was created by a request sent at `at`. The server granted `timeout`. */
  begun(at: number, timeout: number): void {
    this.#timeout = timeout;
    this.#knownAt = at;
    this.#deadline = at + this.#span();
  }

  /**
   * The session continues over another connection, requested at `at`. The server may grant another
   * `timeout`.
   */
  resumed(at: number, timeout: number): void {
    this.#timeout = timeout;
    this.#deadline = Math.min(this.#deadline, at + this.#span());
    // The leader was informed before the connection was accepted. The new server has not noted the
    // answers of the former one.
    this.#knownAt = at;
    this.#samples = [];
  }

  /** The leader has answered a request that went through the connected server. */
  answered(sentAt: number, answeredAt: number): void {
    this.#samples.push({ sentAt, answeredAt });
  }

  /** The leader has executed a write sent at `sentAt`, over the latest connection. */
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
