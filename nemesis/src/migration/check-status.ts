import type { ControlEvent, RunLog } from '../log/events.ts';
import { presenceTtl } from './stores.ts';

type Status = Extract<ControlEvent, { readonly type: 'status' }>;

/** What a process took locks under while the status was asked. */
interface Truth {
  readonly label: string;
  readonly phases: ReadonlySet<string>;
  /** Its predecessor has ended so recently that its presence may last. */
  readonly succeeds: boolean;
}

/** The status of a migration must say what the processes did. */
export function* checkStatus(log: RunLog): Iterable<string> {
  const asked = log.control.filter((event) => event.type === 'status');
  if (asked.length === 0) yield 'no status was asked';
  for (const status of asked) {
    const truths = truthsAt(log, status);
    const says = (what: string): string => `the status of ${status.migration} at ${status.at} says ${what}`;
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
function truthsAt({ workers, control }: RunLog, { from, at, migration }: Status): readonly Truth[] {
  return control.flatMap((event) => {
    if (event.type !== 'worker') return [];
    const { worker, slot } = event;
    const events = workers.get(worker) ?? [];
    const under = events.filter((each) => each.type === 'under').filter((each) => each.migration === migration);
    const begun = under.findLastIndex((each) => each.at <= from);
    const ended = control.some((each) => each.type === 'exit' && each.worker === worker && each.at <= at);
    const closed = events.some((each) => each.type === 'close' && each.at <= at);
    if (begun === -1 || ended || closed) return [];
    const phases = under.slice(begun).filter((each) => each.at <= at);
    const before = control.filter((each) => each.type === 'worker' && each.slot === slot && each.at < event.at);
    const succeeds = control.some(
      (each) =>
        each.type === 'exit' &&
        each.at > from - presenceTtl &&
        before.some((one) => one.type === 'worker' && one.worker === each.worker),
    );
    return [{ label: `slot-${slot}`, phases: new Set(phases.map(({ phase }) => phase)), succeeds }];
  });
}
