import type { Model } from './search.ts';

/** More than any schedule that ends takes. */
const longest = 20_000;

export type Random = () => number;

interface Walked {
  readonly problem: string | undefined;
  /** The events that led to the problem. */
  readonly trace: readonly string[];
}

/** Goes one random way through `model`. `mustEnd`: all must be done then. */
export function walk<State, Event>(model: Model<State, Event>, random: Random, mustEnd: boolean): Walked {
  let state = model.start;
  const taken: number[] = [];
  const walked = (problem: string | undefined): Walked => {
    return { problem, trace: problem === undefined ? [] : traceOf(model, taken) };
  };
  while (taken.length < longest) {
    const events = model.events(state);
    if (events.length === 0) return walked(mustEnd ? model.unfinished(state) : undefined);
    const index = Math.floor(random() * events.length);
    taken.push(index);
    state = model.apply(state, events[index] as Event);
    const problem = model.problem(state);
    if (problem !== undefined) return walked(problem);
  }
  return walked(mustEnd ? 'goes on without an end' : undefined);
}

function traceOf<State, Event>(model: Model<State, Event>, taken: readonly number[]): string[] {
  let state = model.start;
  return taken.map((index) => {
    const event = model.events(state)[index] as Event;
    const told = model.tell(event, state);
    state = model.apply(state, event);
    return told;
  });
}
