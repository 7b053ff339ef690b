import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../clock.ts';
import type { WorkerEvent } from '../log/events.ts';
import { openLog } from '../log/writer.ts';
import { createRandom } from '../random.ts';
import { connectRegister } from '../register/register-client.ts';
import type { Assignment, Order, Told } from './messages.ts';
import { open } from './open.ts';
import { calmPlans, choosePlan, planAfterLoss } from './plan.ts';
import { type Surroundings, messageOf, takeTurn } from './turn.ts';

/** In ms: how long what is closed may take to be gone. */
const settling = 5_000;

// One process of an application: some flows that take locks, through the public API of the packed packages only.
let obey: (order: Order) => void = () => {};
let phase: 'run' | 'calm' | 'leave' = 'run';

// A worker without its controller ends, whatever it does.
const orphaned = (): void => process.exit(1);
process.on('disconnect', orphaned);
process.on('message', (order: Order) => {
  if (order.kind === 'begin') void main(order.assignment);
  else obey(order);
});

async function main(assignment: Assignment): Promise<void> {
  const append = openLog<WorkerEvent>(assignment.log);
  const crash = (error: unknown): void => append({ ev: 'crash', t: now(), message: messageOf(error) });
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  const register = await connectRegister(assignment.register);
  const { locks, close } = await open(assignment.target);
  append({ ev: 'open', t: now() });
  tell('ready');
  const random = createRandom(assignment.seed);
  const pending: Promise<void>[] = [];
  const surroundings: Surroundings = {
    locks,
    register,
    append,
    isCalm: () => phase !== 'run',
    afterLoss: (id) => void pending.push(takeTurn(surroundings, id, planAfterLoss(random))),
  };
  await runFlows(assignment, surroundings);
  await Promise.all(pending);
  await close();
  register.close();
  process.off('disconnect', orphaned);
  process.disconnect();
  const end = performance.now() + settling;
  // A socket that was ended goes when the other side has answered.
  while (process.getActiveResourcesInfo().length > 0 && performance.now() < end) await sleep(50);
  append({ ev: 'close', t: now(), heap: process.memoryUsage().heapUsed, open: process.getActiveResourcesInfo() });
}

async function runFlows({ worker, flows, seed, target }: Assignment, surroundings: Surroundings): Promise<void> {
  let calmed = 0;
  const orders = new EventEmitter().setMaxListeners(flows);
  obey = ({ kind }) => {
    phase = kind === 'calm' || kind === 'leave' ? kind : 'run';
    calmed = 0;
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
        const plan = choosePlan(random, target.ttl);
        await sleep(plan.think);
        await take(plan);
      } else {
        for (const plan of calmPlans(random)) await take(plan);
        calmed += 1;
        const changed = once(orders, 'changed');
        if (calmed === flows) tell('calmed');
        await changed;
      }
    }
  };
  await Promise.all(Array.from({ length: flows }, (_, index) => flow(index)));
}

function tell(message: Told): void {
  process.send?.(message, undefined, undefined, () => {});
}
