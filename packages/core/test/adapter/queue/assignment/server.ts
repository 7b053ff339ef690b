import type { Answer, Call, Rules, Setting, World } from './world.ts';

/** What the scripts in Redis do. */
export class Server {
  readonly #setting: Setting;
  readonly #rules: Rules;
  readonly #world: World;

  constructor(setting: Setting, rules: Rules, world: World) {
    this.#setting = setting;
    this.#rules = rules;
    this.#world = world;
  }

  /** A request arrives. */
  meet(process: number, call: Call): Answer {
    this.expire();
    const answer = this.#answer(process, call);
    this.#handOn();
    return answer;
  }

  expire(): void {
    const world = this.#world;
    if (world.hold !== undefined && world.hold.expires <= world.now) world.hold = undefined;
    world.queue = world.queue.filter(({ deadline }) => deadline > world.now);
  }

  /** The holder of the start releases. */
  free(): void {
    this.expire();
    this.#world.hold = undefined;
    this.#handOn();
  }

  /** It comes back without the hold. The queue is that of an old copy. */
  restart(): void {
    const world = this.#world;
    world.hold = undefined;
    if (this.#setting.guarded) world.guardedUntil = world.now + this.#setting.ttl;
  }

  #answer(process: number, { kind, sentAt }: Call): Answer {
    const world = this.#world;
    const { ttl } = this.#setting;
    const own = world.hold?.process === process ? world.hold : undefined;
    switch (kind) {
      case 'renew':
        if (own === undefined) return 'no';
        own.expires = world.now + ttl;
        return 'yes';
      case 'release':
        this.#leave(process);
        if (own === undefined || !this.#rules.releaseFrees) return 'no';
        world.hold = undefined;
        return 'yes';
      case 'ask':
        if (own !== undefined) {
          if (this.#rules.repeatRestarts) own.expires = world.now + ttl;
          return own.token;
        }
        return this.#ask(process, sentAt);
      default:
        return kind satisfies never;
    }
  }

  #ask(process: number, sentAt: number): Answer {
    const world = this.#world;
    const { ttl, placeTtl, assignable } = this.#setting;
    if (world.now < world.guardedUntil) {
      this.#leave(process);
      return 'busy';
    }
    if (world.queue[0]?.process !== process) this.#handOn();
    if (world.hold === undefined && (world.queue[0]?.process ?? process) === process) {
      this.#leave(process);
      world.counter += 1;
      world.hold = { process, token: world.counter, expires: world.now + ttl };
      return world.counter;
    }
    const place = world.queue.find((each) => each.process === process);
    const stamp = assignable[process] === true ? sentAt : undefined;
    const deadline = world.now + placeTtl;
    if (place === undefined) world.queue.push({ process, deadline, sentAt: stamp });
    else Object.assign(place, { deadline, sentAt: stamp });
    return 'busy';
  }

  #leave(process: number): void {
    this.#world.queue = this.#world.queue.filter((each) => each.process !== process);
  }

  /** The end of each script: the head of the queue gets a key that is free, or is told of it. */
  #handOn(): void {
    const world = this.#world;
    const { detects, ttl, placeTtl } = this.#setting;
    while (world.hold === undefined && world.queue[0] !== undefined) {
      const { process, sentAt, deadline } = world.queue[0];
      if (detects && world.processes[process]?.stage === 'crashed') {
        world.queue.shift();
        continue;
      }
      const assigns = sentAt !== undefined && (!this.#rules.guardsAssignments || world.now >= world.guardedUntil);
      if (!assigns) {
        const told = world.messages.some(({ to, grant }) => to === process && grant === undefined);
        if (!told) world.messages.push({ to: process, grant: undefined });
        return;
      }
      world.queue.shift();
      const before = world.counter;
      world.counter += 1;
      world.hold = {
        process,
        token: world.counter,
        expires: world.now + this.#rules.assignedTtl(ttl, deadline - world.now),
      };
      const token = BigInt(this.#rules.tokenTold(world.counter, before));
      world.messages.push({ to: process, grant: { token, sentAt, validity: Math.min(ttl, placeTtl) } });
    }
  }
}
