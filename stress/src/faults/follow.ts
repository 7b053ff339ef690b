import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../clock.ts';
import type { ControlEvent } from '../log/events.ts';
import type { Random } from '../random.ts';
import { type Victims, inflict } from './inflict.ts';
import type { PlannedFault } from './schedule.ts';

/**
 * In ms. A machine under load may take as long for a restart as lies between two of them. The next
 * member must not be emptied before the others gave the last one what it lost.
 */
const settling = 1_500;
/** When a server was back without its data. */
const backAt = new WeakMap<Victims, number>();

/** Waits for the moment of a fault, does it, and logs it when it is over. */
export async function follow(
  fault: PlannedFault,
  victims: Victims,
  random: Random,
  append: (event: ControlEvent) => void,
): Promise<void> {
  await sleep(fault.at);
  const from = now();
  const alone = (victims.backend.empty?.atOnce ?? 1) === 1;
  if (fault.kind === 'server-empty' && alone && from - (backAt.get(victims) ?? -Infinity) < settling) return;
  await inflict(fault, victims, random);
  const { kind, target } = fault;
  if (kind === 'server-empty') backAt.set(victims, now());
  append({ type: 'fault', at: now(), from, kind, ...(kind.startsWith('server') ? {} : { slot: target }) });
}
