import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryEvent } from '@locks/core/testing';
import { type Child, startChild } from '../../processes/child.ts';
import { now } from '../clock.ts';
import type { Turn } from '../script.ts';
import type { Assignment, Order } from '../worker/messages.ts';

/** The processes that take locks, one per slot. */
export interface Fleet {
  /** Starts the next worker of a slot. */
  start(slot: number): void;
  /** The name of the current worker of a slot in the history. */
  nameOf(slot: number): string;
  /** Kills the worker of a slot, and starts the next one `delay` ms after its end. */
  replace(slot: number, delay: number): Promise<void>;
  /** Ends or kills the worker of a slot; resolves when the next one has opened its client. */
  succeed(slot: number, opening: string, kills: boolean): Promise<void>;
  /** Stops the worker of a slot for `duration` ms. */
  pause(slot: number, duration: number): Promise<void>;
  /**
   * Sends an order to the worker of a slot; resolves when it was executed, or the worker has ended.
   */
  order(slot: number, order: Order): Promise<void>;
  /** Resolves when each worker has executed its last order; false: not within `patience` ms. */
  obeyed(patience: number): Promise<boolean>;
  /** Makes each flow of each worker take `turns`. */
  calm(turns: readonly Turn[]): void;
  /** Asks the workers to end, and waits until they have. */
  leave(patience: number): Promise<void>;
  /** Kills all workers, as a fault does. */
  kill(): Promise<void>;
  /** Kills the remaining ones. */
  stop(): void;
}

/** How workers are started. */
export interface FleetOptions {
  /** The program that they run. */
  readonly program: string | URL;
  /** Where they run. @default the folder of this process */
  readonly cwd?: string | undefined;
  /** The folder of their logs. */
  readonly logs: string;
  readonly slots: number;
  /** `opening`: that of the last deploy. */
  assignment(slot: number, opening: string | undefined): Omit<Assignment, 'process' | 'log'>;
  note(event: HistoryEvent): void;
  /** Reports a violation. */
  wrong(message: string): void;
}

/** How long a worker may take to end in a deploy, on a machine under load, in ms. */
const deployTime = 60_000;

interface Member {
  readonly name: string;
  readonly child: Child<Order>;
  obeys: Promise<void>;
  hasObeyed: boolean;
  isGone: boolean;
  expected: 'to run' | 'to end' | 'killed';
}

/** Creates the slots; no worker runs yet. */
export function createFleet(options: FleetOptions): Fleet {
  const { logs, wrong, note } = options;
  const members: Member[] = [];
  const openings: string[] = [];
  const incarnations: number[] = Array.from({ length: options.slots }, () => 0);

  function start(slot: number): void {
    const incarnation = (incarnations[slot] ?? 0) + 1;
    incarnations[slot] = incarnation;
    const name = `${slot}.${incarnation}`;
    const errors = join(logs, `worker-${name}.errors`);
    const child = startChild<Order>(options.program, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      // Under faults a flow of a worker waits long for the work of another one, which ends. A lost
      // run may be recorded by its successor.
      execArgv: ['--disable-warning=LOCKS_OWN_WAIT', '--disable-warning=LOCKS_JOB_UNRECORDED'],
      output: openSync(errors, 'a'),
    });
    const member: Member = {
      name,
      child,
      obeys: Promise.resolve(),
      hasObeyed: false,
      isGone: false,
      expected: 'to run',
    };
    members[slot] = member;
    void child.gone.then((end) => {
      member.isGone = true;
      const killed = member.expected === 'killed';
      note({ type: 'ended', at: now(), process: name, killed });
      // The files of an abandoned round may be gone.
      const printed = existsSync(errors) ? readFileSync(errors, 'utf8').slice(0, 1_000) : '';
      if (printed !== '') wrong(`worker ${name} printed: ${printed}`);
      if (!killed && (end !== 0 || member.expected !== 'to end')) wrong(`worker ${name} ended: ${end}`);
    });
    const own = { process: name, log: join(logs, `worker-${name}.log`) };
    void send(member, { kind: 'begin', assignment: { ...options.assignment(slot, openings[slot]), ...own } });
  }

  function memberOf(slot: number): Member {
    const member = members[slot];
    if (member === undefined) throw new Error(`slot ${slot} has no worker`);
    return member;
  }

  function send(member: Member, order: Order): Promise<void> {
    member.hasObeyed = false;
    const obeys = member.child.ask(order).then(
      () => {
        if (member.obeys === obeys) member.hasObeyed = true;
      },
      // Its end is reported separately.
      () => {},
    );
    member.obeys = obeys;
    return obeys;
  }

  /** Asks `leaving` to end, and kills those that do not. */
  async function endAll(leaving: readonly Member[], patience: number): Promise<void> {
    for (const member of leaving) {
      member.expected = 'to end';
      void send(member, { kind: 'leave' });
    }
    await within(patience, () => leaving.every(({ isGone }) => isGone));
    for (const member of leaving.filter(({ isGone }) => !isGone)) {
      wrong(`worker ${member.name} did not end within ${patience} ms after close`);
      member.expected = 'killed';
      void member.child.kill();
    }
    await Promise.all(leaving.map(({ child }) => child.gone));
  }

  function stop(): void {
    for (const { child } of members) void child.kill();
  }

  // A stopped worker would not notice the end of its controller.
  process.once('exit', stop);
  return {
    start,
    nameOf: (slot) => memberOf(slot).name,
    async replace(slot, delay) {
      const member = memberOf(slot);
      member.expected = 'killed';
      await member.child.kill();
      await sleep(delay);
      start(slot);
    },
    async succeed(slot, opening, kills) {
      const member = memberOf(slot);
      openings[slot] = opening;
      if (kills) {
        member.expected = 'killed';
        await member.child.kill();
      } else await endAll([member], deployTime);
      start(slot);
      await memberOf(slot).obeys;
    },
    async pause(slot, duration) {
      const { child } = memberOf(slot);
      await child.pause().catch(() => {});
      await sleep(duration);
      child.resume();
    },
    order: async (slot, order) =>
      void (await memberOf(slot)
        .child.ask(order)
        .catch(() => {})),
    obeyed: (patience) => within(patience, () => members.every(({ hasObeyed }) => hasObeyed)),
    calm(turns) {
      for (const member of members) void send(member, { kind: 'calm', turns });
    },
    leave: (patience) => endAll(members, patience),
    async kill() {
      for (const member of members) member.expected = 'killed';
      await Promise.all(members.map(({ child }) => child.kill()));
    },
    stop() {
      process.off('exit', stop);
      stop();
    },
  };
}

/** Whether `condition` becomes true within `patience` ms. */
async function within(patience: number, condition: () => boolean): Promise<boolean> {
  const end = now() + patience;
  while (!condition()) {
    if (now() > end) return false;
    await sleep(20);
  }
  return true;
}
