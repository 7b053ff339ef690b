import { createRandom } from '@locks/core/testing';

/** How a client concludes until when its session is kept. */
export interface Conclusion {
  readonly deadline: number;
  begun(at: number, timeout: number): void;
  answered(sentAt: number, answeredAt: number): void;
  confirmedWrite(sentAt: number): void;
}

/** What ended badly, or when the leader ended the session against what the client believed. */
export interface Outcome {
  readonly believedUntil: number;
  readonly expiredAt: number;
}

interface Event {
  readonly at: number;
  run(): void;
}

/**
 * Things that happen in the order of their times, and those of one time in the order in which they
 * were planned.
 */
class Simulation {
  now = 0;
  readonly #events: Event[] = [];

  at(at: number, run: () => void): void {
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.at ?? 0) > at) index -= 1;
    this.#events.splice(index, 0, { at, run });
  }

  after(delay: number, run: () => void): void {
    this.at(this.now + delay, run);
  }

  runUntil(end: number): void {
    for (let next = this.#events.shift(); next !== undefined && next.at <= end; next = this.#events.shift()) {
      this.now = next.at;
      next.run();
    }
  }
}

/**
 * A link that keeps the order; what is under way when it is cut never arrives, what is held arrives
 * later.
 */
class Link {
  cut = false;
  readonly #simulation: Simulation;
  readonly #delay: () => number;
  #lastArrival = 0;
  #held: (() => void)[] | undefined;

  constructor(simulation: Simulation, delay: () => number) {
    this.#simulation = simulation;
    this.#delay = delay;
  }

  send(arrive: () => void): void {
    if (this.cut) return;
    this.#lastArrival = Math.max(this.#lastArrival, this.#simulation.now + this.#delay());
    this.#simulation.at(this.#lastArrival, () => {
      if (this.cut) return;
      if (this.#held === undefined) arrive();
      else this.#held.push(arrive);
    });
  }

  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const arrive of held) arrive();
  }
}

/**
 * Share of the timeout: half a tick, and what a leader may be late with a ping, are less than this
 * together.
 */
const pingGap = 0.3;

/**
 * One session through a follower, until something breaks: the follower freezes, or is cut off from
 * the leader, or from the client. As ZooKeeper does it (LearnerSessionTracker, Learner.ping,
 * LearnerHandler, Leader.lead), with the worst case of the expiry: not rounded up to a tick. The
 * client sends what `startHeartbeat` sends. What the leader sends the follower (pings, commits,
 * answers to a `sync`) keeps one order, and may be late by any time. The leader's pings may be late
 * by as much as `pingGap` allows. In the worst case the follower is cut off right after a write
 * reached the leader.
 */
export function simulate(seed: number, conclusion: Conclusion): Outcome {
  const random = createRandom(seed);
  const between = (low: number, high: number): number => low + (high - low) * random();
  const simulation = new Simulation();
  const timeout = [4_000, 6_000, 10_000, 30_000][Math.floor(random() * 4)] ?? 4_000;
  const tick = (timeout / 2) * (random() < 0.5 ? 1 : between(0.1, 1));
  const latePing = (timeout * pingGap - tick / 2) * between(0, 0.95);
  const clientDelay = between(0, timeout * 0.08);
  const leaderDelay = between(0, timeout * 0.1);
  const quorumDelay = between(0, timeout * 0.05);
  const toFollower = new Link(simulation, () => between(0, clientDelay));
  const toClient = new Link(simulation, () => between(0, clientDelay));
  const toLeader = new Link(simulation, () => between(0, leaderDelay));
  const fromLeader = new Link(simulation, () => between(0, leaderDelay));
  let frozen = false;
  let touched = false;
  let expiresAt = 0;
  let expiredAt: number | undefined;
  /** When the last write that reached the leader is committed. */
  let committedAt = 0;
  let cutAfterWrite = false;

  function touch(): void {
    if (simulation.now >= expiresAt) expiredAt ??= expiresAt;
    else expiresAt = simulation.now + timeout;
  }

  function leaderPings(): void {
    fromLeader.send(() => {
      if (frozen) return;
      const report = touched;
      touched = false;
      toLeader.send(() => report && touch());
    });
    simulation.after(tick / 2 + between(0, latePing), leaderPings);
  }

  function request(write: boolean): void {
    const sentAt = simulation.now;
    const answer = (): void =>
      toClient.send(() => {
        if (write) conclusion.confirmedWrite(sentAt);
        conclusion.answered(sentAt, simulation.now);
      });
    toFollower.send(() => {
      if (frozen) return;
      touched = true;
      toLeader.send(() => {
        if (simulation.now >= expiresAt) return;
        // A sync is answered behind the writes that came before it.
        committedAt = Math.max(committedAt, simulation.now + (write ? between(0, quorumDelay) : 0));
        simulation.at(committedAt, () => fromLeader.send(() => !frozen && answer()));
        if (write && cutAfterWrite) toLeader.cut = true;
      });
    });
  }

  function pulse(count: number): void {
    request(count % 2 === 0);
    simulation.after(timeout / 9 + between(0, timeout / 200), () => pulse(count + 1));
  }

  simulation.after(between(0, tick / 2), leaderPings);
  const openedAt = between(0, tick);
  simulation.at(openedAt + between(0, clientDelay), () => {
    expiresAt = simulation.now + timeout;
    conclusion.begun(openedAt, timeout);
    simulation.after(timeout / 9, () => pulse(1));
  });

  const breaksAt = between(timeout / 2, 4 * timeout);
  const fault = Math.floor(random() * 5);
  simulation.at(breaksAt, () => {
    if (fault === 0) frozen = true;
    if (fault === 1 || fault === 2) toLeader.cut = true;
    if (fault === 2) fromLeader.cut = true;
    if (fault === 3) toFollower.cut = true;
    if (fault !== 4) return;
    fromLeader.hold();
    simulation.after(between(0, timeout / 2), () => (cutAfterWrite = true));
    simulation.after(between(timeout / 10, timeout), () => {
      toLeader.cut ||= cutAfterWrite;
      fromLeader.release();
    });
  });
  simulation.runUntil(breaksAt + 3 * timeout);
  return { believedUntil: conclusion.deadline, expiredAt: expiredAt ?? expiresAt };
}
