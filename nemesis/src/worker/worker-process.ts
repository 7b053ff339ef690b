import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '@locks/conformance/processes';
import { subscribe } from '@locks/core';
import { now } from '../clock.ts';
import type { WorkerEvent } from '../log/events.ts';
import { openLog } from '../log/writer.ts';
import { createRandom } from '../random.ts';
import { connectRegister } from '../register/register-client.ts';
import { keysOf } from './keys.ts';
import type { Assignment, Order, Target } from './messages.ts';
import { open } from './open.ts';
import { calmPlans, choosePlan, planAfterLoss, planToKeep } from './plan.ts';
import { type Surroundings, messageOf, takeTurn } from './turn.ts';

/** In ms: how long what is closed may take to be gone. */
const settling = 5_000;

// One process of an application: some flows that take locks, through the public API of the packed
// packages only.
let obey: (kind: 'calm' | 'resume' | 'leave') => void = () => {};
let calmed: () => void = () => {};
let phase: 'run' | 'calm' | 'leave' = 'run';

const stopServing = serveParent((order: Order) => {
  if (order.kind === 'begin') return new Promise<void>((ready) => void main(order.assignment, ready));
  const obeyed = order.kind === 'calm' ? new Promise<void>((resolve) => (calmed = resolve)) : undefined;
  obey(order.kind);
  return obeyed;
});

async function main(assignment: Assignment, ready: () => void): Promise<void> {
  const append = openLog<WorkerEvent>(assignment.log);
  const crash = (error: unknown): void => append({ type: 'crash', at: now(), message: messageOf(error) });
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  const register = await connectRegister(assignment.register);
  logPhases(assignment.target, append);
  const { locks, close } = await open(assignment.target);
  append({ type: 'open', at: now() });
  ready();
  const random = createRandom(assignment.seed);
  const pending: Promise<void>[] = [];
  const surroundings: Surroundings = {
    locks,
    register,
    append,
    isCalm: () => phase !== 'run',
    afterLoss: (id) => void pending.push(takeTurn(surroundings, id, planAfterLoss(random, assignment.target))),
  };
  await (assignment.flows > 0 ? runFlows(assignment, surroundings) : keep(assignment, surroundings));
  await Promise.all(pending);
  await close();
  register.close();
  stopServing();
  const end = performance.now() + settling;
  // A socket that was ended goes when the other side has answered.
  while (process.getActiveResourcesInfo().length > 0 && performance.now() < end) await sleep(50);
  append({ type: 'close', at: now(), heap: process.memoryUsage().heapUsed, open: process.getActiveResourcesInfo() });
}

/** Logs under which phase this process takes locks, if it takes part in a migration. */
function logPhases({ options }: Target, append: (event: WorkerEvent) => void): void {
  const { name } = options ?? {};
  if (typeof name !== 'string') return;
  append({ type: 'under', at: now(), migration: name, phase: 'both' });
  subscribe('locks:migration', ({ event, effective }) => {
    if (event === 'changed' || event === 'lost')
      append({ type: 'under', at: now(), migration: name, phase: effective });
  });
}

/** Keeps one key until it is told to leave, or leaves a store. */
async function keep({ worker, target }: Assignment, surroundings: Surroundings): Promise<void> {
  obey = (kind) => {
    phase = kind === 'resume' ? 'run' : kind;
    calmed();
  };
  const { kept = '' } = keysOf(target);
  const plan = planToKeep(kept, target.lasting ?? target.ttl);
  // In a migration a lease of one store would keep its process there.
  let leaves = false;
  subscribe('locks:migration', ({ event, effective }) => {
    if (event === 'changed' && effective === 'both') leaves = true;
  });
  for (let turn = 1; phase !== 'leave'; turn += 1) {
    leaves = false;
    await takeTurn({ ...surroundings, isCalm: () => leaves || phase === 'leave' }, `${worker}/keeper/${turn}`, plan);
  }
}

async function runFlows({ worker, flows, seed, target }: Assignment, surroundings: Surroundings): Promise<void> {
  let calm = 0;
  const orders = new EventEmitter().setMaxListeners(flows);
  obey = (kind) => {
    phase = kind === 'resume' ? 'run' : kind;
    calm = 0;
    orders.emit('changed');
  };
  const flow = async (index: number): Promise<void> => {
    const random = createRandom(seed * 1_000 + index);
    let turn = 0;
    const take = (plan: ReturnType<typeof choosePlan>): Promise<void> => {
      turn += 1;
      return takeTurn(surroundings, `${worker}/${index}/${turn}`, plan);
    };
    while (phase !== 'leave') {
      if (phase === 'run') {
        const plan = choosePlan(random, target, index === 0 && turn === 0);
        await sleep(plan.think);
        await take(plan);
      } else {
        for (const plan of calmPlans(random, target)) await take(plan);
        calm += 1;
        const changed = once(orders, 'changed');
        if (calm === flows) calmed();
        await changed;
      }
    }
  };
  await Promise.all(Array.from({ length: flows }, (_, index) => flow(index)));
}
