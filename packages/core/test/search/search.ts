import { findCircle } from './find-circle.ts';
import { Numbers, StateHash, StateTable } from './state-table.ts';

/** What a search goes through. States are never changed. */
export interface Model<State, Event> {
  readonly start: State;
  events(state: State): readonly Event[];
  apply(state: State, event: Event): State;
  hash(state: State, hash: StateHash): void;
  /** What the state breaks, in words. */
  problem(state: State): string | undefined;
  /** Why all is not done, in a state without events. */
  unfinished(state: State): string | undefined;
  tell(event: Event, state: State): string;
}

export interface Found {
  readonly states: number;
  /** Each state was visited. */
  readonly exhaustive: boolean;
  /** The first problem, and the shortest way to it. */
  readonly problem: string | undefined;
  readonly trace: readonly string[];
}

export interface Bounds {
  /** It ends with so many states. @default none */
  readonly states?: number;
  /** Each schedule must end, with all done. @default false */
  readonly mustEnd?: boolean;
}

/** The problem that a search found, with the steps to it. `undefined`: none. */
export function problemOf({ problem, trace }: Found): string | undefined {
  return problem && [problem, ...trace.map((line, index) => `${index + 1} ${line}`)].join('\n');
}

/** Visits the states of `model`, breadth first, until it finds a problem. */
export function search<State, Event>(model: Model<State, Event>, bounds: Bounds = {}): Found {
  return new Search(model, bounds).run();
}

class Search<State, Event> {
  readonly #model: Model<State, Event>;
  readonly #limit: number;
  readonly #mustEnd: boolean;
  readonly #table = new StateTable();
  readonly #hash = new StateHash();
  /** How each state was reached first: the state before, and which of its events. */
  readonly #before = new Numbers();
  readonly #by = new Numbers();
  readonly #from = new Numbers();
  readonly #to = new Numbers();

  constructor(model: Model<State, Event>, { states = Infinity, mustEnd = false }: Bounds) {
    this.#model = model;
    this.#limit = states;
    this.#mustEnd = mustEnd;
  }

  run(): Found {
    const model = this.#model;
    this.#numberOf(model.start);
    this.#reached(0, 0);
    let layer: (State | undefined)[] = [model.start];
    let number = 0;
    while (layer.length > 0) {
      const next: State[] = [];
      for (const [index, state] of layer.entries()) {
        const problem = this.#visit(state as State, number, next);
        // Two layers at once are more than the memory of most machines.
        layer[index] = undefined;
        if (problem !== undefined) return this.#found(false, ...problem);
        number += 1;
        if (this.#table.size >= this.#limit) return this.#found(false, undefined, []);
      }
      layer = next;
    }
    const circle = this.#mustEnd ? findCircle(this.#table.size, this.#from, this.#to) : undefined;
    return circle === undefined
      ? this.#found(true, undefined, [])
      : this.#found(true, 'goes on without an end', this.#traceAround(circle));
  }

  #visit(state: State, number: number, next: State[]): [string, readonly string[]] | undefined {
    const model = this.#model;
    const events = model.events(state);
    if (events.length === 0 && this.#mustEnd) {
      const left = model.unfinished(state);
      if (left !== undefined) return [left, this.#traceTo(number)];
    }
    for (const [index, event] of events.entries()) {
      const after = model.apply(state, event);
      const known = this.#table.size;
      const reached = this.#numberOf(after);
      if (this.#mustEnd) {
        this.#from.push(number);
        this.#to.push(reached);
      }
      if (reached < known) continue;
      this.#reached(number, index);
      const problem = model.problem(after);
      if (problem !== undefined) return [problem, this.#traceTo(reached)];
      next.push(after);
    }
    return undefined;
  }

  #reached(before: number, by: number): void {
    this.#before.push(before);
    this.#by.push(by);
  }

  #numberOf(state: State): number {
    this.#hash.start();
    this.#model.hash(state, this.#hash);
    return this.#table.numberOf(this.#hash.low, this.#hash.high);
  }

  #found(exhaustive: boolean, problem: string | undefined, trace: readonly string[]): Found {
    return { states: this.#table.size, exhaustive, problem, trace };
  }

  /** The way to `state`, event by event. */
  #pathTo(state: number): { readonly states: readonly State[]; readonly told: readonly string[] } {
    const ways: number[] = [];
    for (let at = state; at !== 0; at = this.#before.at(at)) ways.push(this.#by.at(at));
    const states = [this.#model.start];
    const told: string[] = [];
    for (const way of ways.toReversed()) {
      const last = states.at(-1) as State;
      const event = this.#model.events(last)[way] as Event;
      told.push(this.#model.tell(event, last));
      states.push(this.#model.apply(last, event));
    }
    return { states, told };
  }

  #traceTo(state: number): readonly string[] {
    return this.#pathTo(state).told;
  }

  /** The way to a state that is met again, and the way round. */
  #traceAround(state: number): readonly string[] {
    const { states, told } = this.#pathTo(state);
    return [...told, 'and from here in a circle:', ...this.#wayRound(states.at(-1) as State, state)];
  }

  #wayRound(start: State, number: number): readonly string[] {
    const ways = new Map<number, readonly string[]>([[number, []]]);
    let layer: { readonly state: State; readonly told: readonly string[] }[] = [{ state: start, told: [] }];
    while (layer.length > 0) {
      const next: typeof layer = [];
      for (const { state, told } of layer) {
        for (const event of this.#model.events(state)) {
          const after = this.#model.apply(state, event);
          const further = [...told, this.#model.tell(event, state)];
          const reached = this.#numberOf(after);
          if (reached === number) return further;
          if (!ways.has(reached)) {
            ways.set(reached, further);
            next.push({ state: after, told: further });
          }
        }
      }
      layer = next;
    }
    return [];
  }
}
