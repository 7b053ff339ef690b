import type { Model } from './search.ts';

/** More than any schedule that ends takes. */
const longest = 20_000;

export type Random = () => number;

interface Walked {
  readonly steps: number;
  readonly problem: string | undefined;
  /** The events that led to the problem. */
  readonly trace: readonly string[];
}

/** How often a rare event is left for later, where there is another one. */
const patience = 5;

/**
 * Goes one random way through `model`. `mustEnd`: all must be done then. `isRare`: such events come
 * less often, or they are all over before much has happened.
 */
export function walk<State, Event>(
  model: Model<State, Event>,
  random: Random,
  mustEnd: boolean,
  isRare: (event: Event) => boolean = () => false,
): Walked {
  let state = model.start;
  const taken: number[] = [];
  const walked = (problem: string | undefined): Walked => {
    return { steps: taken.length, problem, trace: problem === undefined ? [] : traceOf(model, taken) };
  };
  while (taken.length < longest) {
    const events = model.events(state);
    if (events.length === 0) return walked(mustEnd ? model.unfinished(state) : undefined);
    let index = Math.floor(random() * events.length);
    for (let tries = 0; tries < patience && isRare(events[index] as Event); tries += 1) {
      index = Math.floor(random() * events.length);
    }
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
