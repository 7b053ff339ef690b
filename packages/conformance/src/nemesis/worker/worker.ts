import { AsyncLocalStorage } from 'node:async_hooks';
import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '../../processes/serve-parent.ts';
import { now } from '../clock.ts';
import type { Turn } from '../script.ts';
import { messageOf } from './calls.ts';
import { block } from './inside.ts';
import { look } from './look.ts';
import type { Assignment, Note, Order } from './messages.ts';
import { type OpenedLocks, open } from './open.ts';
import { connectRegister } from './register-client.ts';
import { watchStalls } from './stalls.ts';
import type { Surroundings } from './surroundings.ts';
import { takeTurn } from './turn.ts';
import { stepClock } from './wall-clock.ts';

/** How long closed resources may take to end, in ms. */
const settling = 5_000;
/** The interval of a job, in ms. */
const slotLength = 1_000;
/** The same of jobs that are repeated after a failure: their lock has to expire first. */
const repeatedSlotLength = 5_000;
/** A shorter block of the event loop explains nothing, in ms. */
const tolerance = 20;

// One process of an application: several flows that take locks, through the public API only.
let phase: 'run' | 'calm' | 'leave' = 'run';
let calm: readonly Turn[] = [];
let changed = createSignal();
let calmed = createSignal();
let opened: OpenedLocks;
let blocked: (duration: number) => void = () => {};
let reopening: Promise<void> | undefined;

const stopServing = serveParent((order: Order) => {
  switch (order.kind) {
    case 'begin':
      return new Promise<void>((ready) => void main(order.assignment, ready));
    case 'block':
      return blocked(order.duration);
    case 'clock-step':
      return stepClock(order.by);
    case 'look':
      return look(opened.locks, order);
    case 'calm':
      calm = order.turns;
      calmed = createSignal();
      change('calm');
      return calmed.fired;
    default:
      return change(order.kind);
  }
});

function change(to: 'calm' | 'leave'): void {
  phase = to;
  changed.fire();
  changed = createSignal();
}

async function main(assignment: Assignment, ready: () => void): Promise<void> {
  const { process: own, flows, ttl, prefix, wall } = assignment;
  const append = openLog(assignment.log);
  const crash = (error: unknown): void => append({ type: 'crash', at: now(), message: messageOf(error) });
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  blocked = (duration) => block({ append, process: own }, duration);
  const register = await connectRegister(assignment.register);
  opened = await open(assignment);
  const stopWatching = watchStalls(tolerance, append, { process: own, hit: own });
  const pending: Promise<void>[] = [];
  const outside = AsyncLocalStorage.snapshot();
  const surroundings: Surroundings = {
    process: own,
    get locks() {
      return opened.locks;
    },
    ...{ register, ttl, append },
    name: (key) => `${prefix}${key}`,
    slot(repeated) {
      const length = repeated ? repeatedSlotLength : slotLength;
      return new Date(Math.floor((wall + now()) / length) * length).toISOString();
    },
    isCalm: () => phase !== 'run',
    take: (id, turn) => takeTurn(surroundings, id, turn),
    takeLater: (id, turn) => void pending.push(takeTurn(surroundings, id, turn)),
    reopen: async () => {
      // Waits for other work only. What its locks use is closed behind it.
      const closing = opened.locks.close();
      // Two calls at once close the same clients, and one opens the next.
      reopening ??= outside(reopen).finally(() => (reopening = undefined));
      pending.push(reopening);
      await closing;
    },
  };
  const reopen = async (): Promise<void> => {
    const from = now();
    const note = (): void => append({ type: 'fault', at: now(), process: own, from, kind: 'close', hit: own });
    note();
    await opened.close();
    opened = await open(assignment);
    note();
  };
  ready();
  await runFlows(flows, surroundings);
  for (let some = pending.splice(0); some.length > 0; some = pending.splice(0)) await Promise.all(some);
  await opened.close();
  register.close();
  stopServing();
  stopWatching();
  const end = now() + settling;
  // An ended socket is gone when the other side has answered.
  while (process.getActiveResourcesInfo().length > 0 && now() < end) await sleep(50);
  append({ type: 'close', at: now(), heap: process.memoryUsage().heapUsed, open: process.getActiveResourcesInfo() });
}

async function runFlows(given: Assignment['flows'], surroundings: Surroundings): Promise<void> {
  // Without faults each worker gets all locks, even one whose flows were removed from a script.
  const flows = given.length === 0 ? [[]] : given;
  let calms = 0;
  const flow = async (turns: readonly Turn[], index: number): Promise<void> => {
    let count = 0;
    const take = async (turn: Turn): Promise<void> => {
      count += 1;
      await takeTurn(surroundings, `${surroundings.process}/${index}/${count}`, turn);
    };
    for (let round = 0; phase === 'run'; round += 1) {
      for (const turn of turns) {
        if (phase !== 'run' || round % (turn.every ?? 1) !== 0) continue;
        await sleep(turn.think);
        // Calls of a closed client may not settle.
        await Promise.race([reopening, sleep(200)]);
        await take({ ttl: surroundings.ttl, ...turn });
      }
      // A flow may have none that is due.
      await sleep(1);
    }
    if (phase === 'calm') {
      const next = changed.fired;
      for (const turn of calm) await take({ ttl: surroundings.ttl, ...turn });
      calms += 1;
      if (calms === flows.length) calmed.fire();
      await next;
    }
  };
  await Promise.all(flows.map(flow));
}

/** Appends notes to a log, one per line, synchronously: a later SIGKILL loses nothing. */
function openLog(path: string): (note: Note) => void {
  const file = openSync(path, 'a');
  return (note) => {
    writeSync(file, `${JSON.stringify(note)}\n`);
  };
}

function createSignal(): { readonly fired: Promise<void>; fire(): void } {
  let fire = (): void => {};
  const fired = new Promise<void>((resolve) => (fire = resolve));
  return { fired, fire };
}
