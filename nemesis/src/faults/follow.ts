import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../clock.ts';
import type { ControlEvent } from '../log/events.ts';
import type { Random } from '../random.ts';
import { type Victims, inflict } from './inflict.ts';
import type { PlannedFault } from './schedule.ts';

/** Waits for the moment of a fault, does it, and logs it when it is over. */
export async function follow(
  fault: PlannedFault,
  victims: Victims,
  random: Random,
  append: (event: ControlEvent) => void,
): Promise<void> {
  await sleep(fault.at);
  const from = now();
  if (fault.kind === 'server-empty' && (await victims.backend.mayEmpty?.()) === false) return;
  await inflict(fault, victims, random);
  const { kind, target } = fault;
  append({ type: 'fault', at: now(), from, kind, ...(kind.startsWith('server') ? {} : { slot: target }) });
}
