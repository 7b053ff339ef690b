import type { ControlEvent, RunLog } from '../log/events.ts';
import { presenceTtl } from './stores.ts';

type Status = Extract<ControlEvent, { readonly ev: 'status' }>;

/** What a process took locks under while the status was asked. */
interface Truth {
  readonly label: string;
  readonly phases: ReadonlySet<string>;
  /** Its predecessor has ended so recently that its presence may last. */
  readonly succeeds: boolean;
}

/** In microseconds. */
const lasting = 1_000 * presenceTtl;

/** The status of a migration must say what the processes did. */
export function* checkStatus(log: RunLog): Iterable<string> {
  const asked = log.control.filter((event) => event.ev === 'status');
  if (asked.length === 0) yield 'no status was asked';
  for (const status of asked) {
    const truths = truthsAt(log, status);
    const says = (what: string): string => `the status of ${status.migration} at ${status.t} says ${what}`;
    for (const phase of status.reached) {
      for (const { label, phases } of truths) {
        const under = [...phases].join(', ');
        if (!phases.has(phase)) yield says(`that all are in "${phase}", and ${label} was under ${under}`);
      }
    }
    if (!status.settled) continue;
    for (const { label, phases, succeeds } of truths) {
      const said = status.processes.filter(({ process }) => process === label).map(({ effective }) => effective);
      const isCounted = said.length === 1 || (succeeds && said.length === 2);
      if (isCounted && said.every((each) => phases.has(each))) continue;
      yield says(`${said.join(', ') || 'nothing'} of ${label}, which was under ${[...phases].join(', ')}`);
    }
  }
}

/** Of the processes that lived all that time. */
function truthsAt({ workers, control }: RunLog, { from, t, migration }: Status): readonly Truth[] {
  return control.flatMap((event) => {
    if (event.ev !== 'worker') return [];
    const { worker, slot } = event;
    const events = workers.get(worker) ?? [];
    const under = events.filter((each) => each.ev === 'under').filter((each) => each.migration === migration);
    const begun = under.findLastIndex((each) => each.t <= from);
    const ended = control.some((each) => each.ev === 'exit' && each.worker === worker && each.t <= t);
    const closed = events.some((each) => each.ev === 'close' && each.t <= t);
    if (begun === -1 || ended || closed) return [];
    const phases = under.slice(begun).filter((each) => each.t <= t);
    const before = control.filter((each) => each.ev === 'worker' && each.slot === slot && each.t < event.t);
    const succeeds = control.some(
      (each) =>
        each.ev === 'exit' &&
        each.t > from - lasting &&
        before.some((one) => one.ev === 'worker' && one.worker === each.worker),
    );
    return [{ label: `slot-${slot}`, phases: new Set(phases.map(({ phase }) => phase)), succeeds }];
  });
}
