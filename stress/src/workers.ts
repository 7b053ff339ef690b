import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './clock.ts';
import type { ControlEvent } from './log/events.ts';
import { within } from './within.ts';
import type { Order, Target, Told } from './worker/messages.ts';

/** The processes that take locks, a slot for each. */
export interface Workers {
  /** Starts the next worker of a slot. */
  start(slot: number): void;
  /** Kills the worker of a slot, and starts the next one `delay` ms after it is gone. */
  replace(slot: number, delay: number): Promise<void>;
  signal(slot: number, signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when each worker has told it; false: not within `patience` ms. */
  all(told: Told, patience: number): Promise<boolean>;
  /** Sends an order to each worker, and forgets what it told of an earlier one. */
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
  readonly flows: number;
  readonly seed: number;
  target(slot: number): Target;
  append(event: ControlEvent): void;
}

interface Member {
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  readonly heard: Set<Told>;
  expected: 'to run' | 'to end' | 'killed';
}

export function createWorkers(options: WorkersOptions): Workers {
  const { append } = options;
  const members: Member[] = [];
  const incarnations: number[] = Array.from({ length: options.slots }, () => 0);
  const wrong = (message: string): void => append({ ev: 'wrong', t: now(), message });

  function start(slot: number): void {
    const incarnation = (incarnations[slot] ?? 0) + 1;
    incarnations[slot] = incarnation;
    const name = `${slot}.${incarnation}`;
    const errors = join(options.logs, `worker-${name}.errors`);
    append({ ev: 'worker', t: now(), worker: name, slot });
    const child = fork(join(options.application, 'programs/worker/worker-process.js'), {
      cwd: options.application,
      execArgv: [],
      stdio: ['ignore', 'ignore', openSync(errors, 'a'), 'ipc'],
    });
    const member: Member = { name, child, exited: once(child, 'exit'), heard: new Set(), expected: 'to run' };
    members[slot] = member;
    child.on('message', (told: Told) => member.heard.add(told));
    child.on('error', () => {});
    child.once('exit', (code, signal) => {
      const how = member.expected === 'killed' ? 'killed' : code === 0 ? 'ended' : `${signal ?? code}`;
      append({ ev: 'exit', t: now(), worker: name, how });
      const printed = readFileSync(errors, 'utf8').slice(0, 1_000);
      if (printed !== '') wrong(`worker ${name} printed: ${printed}`);
      if (how !== 'killed' && (how !== 'ended' || member.expected !== 'to end')) wrong(`worker ${name} ended: ${how}`);
    });
    send(member, {
      kind: 'begin',
      assignment: {
        worker: name,
        target: options.target(slot),
        flows: options.flows,
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

  function send({ child }: Member, order: Order): void {
    if (child.connected) child.send(order, () => {});
  }

  function stop(): void {
    for (const { child } of members) child.kill('SIGKILL');
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
      member.child.kill('SIGKILL');
      await member.exited;
      await sleep(delay);
      start(slot);
    },
    signal(slot, signal) {
      memberOf(slot).child.kill(signal);
    },
    all: (told, patience) => within(patience, () => members.every(({ heard }) => heard.has(told))),
    order(kind) {
      for (const member of members) {
        member.heard.delete('calmed');
        send(member, { kind });
      }
    },
    async leave(patience) {
      for (const member of members) {
        member.expected = 'to end';
        send(member, { kind: 'leave' });
      }
      const gone = ({ child }: Member): boolean => child.exitCode !== null || child.signalCode !== null;
      await within(patience, () => members.every(gone));
      for (const member of members.filter((each) => !gone(each))) {
        wrong(`worker ${member.name} did not end by itself within ${patience} ms after close`);
        member.expected = 'killed';
        member.child.kill('SIGKILL');
      }
      await Promise.all(members.map(({ exited }) => exited));
    },
    stop() {
      process.off('exit', stop);
      stop();
    },
  };
}
