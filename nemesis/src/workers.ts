import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '@locks/conformance/processes';
import { now } from './clock.ts';
import type { ControlEvent } from './log/events.ts';
import { within } from './within.ts';
import type { Order, Target } from './worker/messages.ts';

/** The processes that take locks, a slot for each. */
export interface Workers {
  /** Starts the next worker of a slot. */
  start(slot: number): void;
  /** Kills the worker of a slot, and starts the next one `delay` ms after it is gone. */
  replace(slot: number, delay: number): Promise<void>;
  /** Stops the worker of a slot for `duration` ms. */
  pause(slot: number, duration: number): Promise<void>;
  /** Resolves when each worker has obeyed its last order; false: not within `patience` ms. */
  obeyed(patience: number): Promise<boolean>;
  /** Tells the worker of a slot to end, and starts the next one when it has. */
  succeed(slot: number, patience: number): Promise<void>;
  /** Sends an order to each worker. */
  order(kind: 'calm' | 'resume'): void;
  /** Tells the workers to end, and waits until they have. */
  leave(patience: number): Promise<void>;
  /** Kills what is left. */
  stop(): void;
}

export interface WorkersOptions {
  /** Of the application that they are part of. */
  readonly application: string;
  readonly logs: string;
  readonly register: string;
  readonly slots: number;
  /** Of the worker of a slot. */
  flows(slot: number): number;
  readonly seed: number;
  target(slot: number): Target;
  append(event: ControlEvent): void;
}

interface Member {
  readonly name: string;
  readonly child: Child<Order>;
  hasObeyed: boolean;
  isGone: boolean;
  expected: 'to run' | 'to end' | 'killed';
}

export function createWorkers(options: WorkersOptions): Workers {
  const { append } = options;
  const members: Member[] = [];
  const incarnations: number[] = Array.from({ length: options.slots }, () => 0);
  const wrong = (message: string): void => append({ type: 'wrong', at: now(), message });

  function start(slot: number): void {
    const incarnation = (incarnations[slot] ?? 0) + 1;
    incarnations[slot] = incarnation;
    const name = `${slot}.${incarnation}`;
    const errors = join(options.logs, `worker-${name}.errors`);
    append({ type: 'worker', at: now(), worker: name, slot });
    const child = startChild<Order>(join(options.application, 'programs/worker/worker-process.js'), {
      cwd: options.application,
      // Under faults a flow of a worker waits for long for the work of another one, which ends.
      // A run that is lost may be recorded by its successor.
      execArgv: ['--disable-warning=LOCKS_OWN_WAIT', '--disable-warning=LOCKS_JOB_UNRECORDED'],
      output: openSync(errors, 'a'),
    });
    const member: Member = { name, child, hasObeyed: false, isGone: false, expected: 'to run' };
    members[slot] = member;
    void child.gone.then((end) => {
      member.isGone = true;
      const how = member.expected === 'killed' ? 'killed' : end === 0 ? 'ended' : `${end}`;
      append({ type: 'exit', at: now(), worker: name, how });
      const printed = readFileSync(errors, 'utf8').slice(0, 1_000);
      if (printed !== '') wrong(`worker ${name} printed: ${printed}`);
      if (how !== 'killed' && (how !== 'ended' || member.expected !== 'to end')) wrong(`worker ${name} ended: ${how}`);
    });
    send(member, {
      kind: 'begin',
      assignment: {
        worker: name,
        target: options.target(slot),
        flows: options.flows(slot),
        seed: options.seed * 10_000 + slot * 1_000 + incarnation,
        register: options.register,
        log: join(options.logs, `worker-${name}.log`),
      },
    });
  }

  function memberOf(slot: number): Member {
    const member = members[slot];
    if (member === undefined) throw new Error(`slot ${slot} has no worker`);
    return member;
  }

  function send(member: Member, order: Order): void {
    member.hasObeyed = false;
    member.child.ask(order).then(
      () => (member.hasObeyed = true),
      // Its end is told apart.
      () => {},
    );
  }

  /** Tells `leaving` to end, and kills those that do not. */
  async function endAll(leaving: readonly Member[], limit: number): Promise<void> {
    for (const member of leaving) {
      member.expected = 'to end';
      send(member, { kind: 'leave' });
    }
    await within(limit, () => leaving.every(({ isGone }) => isGone));
    for (const member of leaving.filter(({ isGone }) => !isGone)) {
      wrong(`worker ${member.name} did not end within ${limit} ms after close`);
      member.expected = 'killed';
      void member.child.kill();
    }
    await Promise.all(leaving.map(({ child }) => child.gone));
  }

  function stop(): void {
    for (const { child } of members) void child.kill();
  }

  // A worker that is stopped would not notice that its controller has gone.
  process.once('exit', stop);
  return {
    start,
    async replace(slot, delay) {
      const member = memberOf(slot);
      // On a busy machine the worker before may not be gone yet.
      if (member.expected === 'killed') return;
      member.expected = 'killed';
      await member.child.kill();
      await sleep(delay);
      start(slot);
    },
    async pause(slot, duration) {
      const { child } = memberOf(slot);
      // Another fault may have killed it.
      await child.pause().catch(() => {});
      await sleep(duration);
      child.resume();
    },
    obeyed: (patience) => within(patience, () => members.every(({ hasObeyed }) => hasObeyed)),
    order(kind) {
      for (const member of members) send(member, { kind });
    },
    async succeed(slot, patience) {
      await endAll([memberOf(slot)], patience);
      start(slot);
    },
    leave: (patience) => endAll(members, patience),
    stop() {
      process.off('exit', stop);
      stop();
    },
  };
}
