import type { Model } from './search.ts';

/** Goes one way through `model`, each event by the text that tells it. Gives the first problem. */
export function play<State, Event>(model: Model<State, Event>, told: readonly string[]): string | undefined {
  let state = model.start;
  for (const text of told) {
    const event = model.events(state).find((each) => model.tell(each, state).startsWith(text));
    if (event === undefined) {
      const possible = model.events(state).map((each) => model.tell(each, state));
      throw new Error(`"${text}" is none of ${possible.join(', ')}`);
    }
    state = model.apply(state, event);
    const problem = model.problem(state);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
