import { conflictOf, givesWay } from '../../src/set/store-set.ts';
import type { StoreSet } from '../../src/set/store-set.ts';
import type { Model } from '../../../core/test/search/search.ts';

/** What a process does wrong. */
export type Flaw = 'looks first' | 'does not give way' | 'does not wait for all';

interface Process {
  readonly set: StoreSet;
  readonly state: 'trying' | 'granting' | 'refused';
  /** Its presences of each try have a name of their own. */
  readonly tries: number;
  /** By member: its token there. */
  readonly tokens: readonly (bigint | undefined)[];
  /** By member: whether it has looked, and must give way to what it saw. */
  readonly looked: readonly (boolean | undefined)[];
}

interface State {
  readonly processes: readonly Process[];
  /** By store: the presences, with the process, its try, and the token. */
  readonly stores: Readonly<Record<string, readonly Presence[]>>;
  /** Presences that were given back, and are in their stores still. */
  readonly withdrawn: readonly { readonly store: string; readonly token: bigint }[];
  readonly lastToken: bigint;
}

interface Presence {
  readonly process: number;
  readonly tries: number;
  readonly token: bigint;
}

interface Event {
  readonly kind: 'announces' | 'looks' | 'decides' | 'tries again' | 'is gone';
  /** Which process, or which of the presences that were given back. */
  readonly who: number;
  readonly member?: number;
}

/** Two processes that announce, look and decide, in each order that their calls may have. */
export function modelOf(sets: readonly StoreSet[], retries: number, flaw?: Flaw): Model<State, Event> {
  const fresh = (set: StoreSet, tries: number): Process => ({
    set,
    state: 'trying',
    tries,
    tokens: set.stores.map(() => undefined),
    looked: set.stores.map(() => undefined),
  });

  const isCommon = (store: string): boolean => sets.every(({ stores }) => stores.includes(store));

  function mayDecide({ set, state, looked, tokens }: Process): boolean {
    const done = looked.filter((look, index) => look !== undefined && tokens[index] !== undefined).length;
    // A process that grants already may hear more, and give way then.
    return state === 'trying' && done >= (flaw === 'does not wait for all' ? set.need : set.stores.length);
  }

  return {
    start: {
      processes: sets.map((set) => fresh(set, 0)),
      stores: Object.fromEntries(sets.flatMap(({ stores }) => stores.map((store) => [store, []]))),
      withdrawn: [],
      lastToken: 0n,
    },
    events({ processes, withdrawn }) {
      const own = processes.flatMap((process, who) => {
        const { set, state, tries, tokens, looked } = process;
        if (state === 'refused') return tries < retries ? [{ kind: 'tries again', who } as const] : [];
        const steps = set.stores.flatMap((_, member): readonly Event[] => {
          const [announced, seen] = [tokens[member] !== undefined, looked[member] !== undefined];
          const first = flaw === 'looks first';
          if (!announced && (!first || seen)) return [{ kind: 'announces', who, member }];
          return !seen && (announced || first) ? [{ kind: 'looks', who, member }] : [];
        });
        return mayDecide(process) ? [...steps, { kind: 'decides', who } as const] : steps;
      });
      return [...own, ...withdrawn.map((_, who) => ({ kind: 'is gone', who }) as const)];
    },
    apply(state, { kind, who, member = 0 }) {
      if (kind === 'is gone') {
        const { store, token } = state.withdrawn[who] as State['withdrawn'][number];
        const left = (state.stores[store] ?? []).filter((each) => each.token !== token);
        return { ...state, stores: { ...state.stores, [store]: left }, withdrawn: state.withdrawn.toSpliced(who, 1) };
      }
      const process = state.processes[who] as Process;
      const become = (after: Process): readonly Process[] => state.processes.with(who, after);
      const store = process.set.stores[member] as string;
      const there = state.stores[store] ?? [];
      if (kind === 'tries again') return { ...state, processes: become(fresh(process.set, process.tries + 1)) };
      if (kind === 'announces') {
        const token = state.lastToken + 1n;
        const { tries } = process;
        // The other one never comes to a store of its own: a look there is no step of interest.
        const looked = isCommon(store) ? process.looked : process.looked.with(member, false);
        return {
          ...state,
          lastToken: token,
          processes: become({ ...process, tokens: process.tokens.with(member, token), looked }),
          stores: { ...state.stores, [store]: [...there, { process: who, tries, token }] },
        };
      }
      if (kind === 'looks') {
        const yields = there.some((seen) => {
          const { set } = state.processes[seen.process] as Process;
          const told = { owner: '', process: '', set, token: seen.token };
          return conflictOf(process.set, set) !== undefined && givesWay(process.tokens[member], told);
        });
        const after = { ...process, looked: process.looked.with(member, yields) };
        return { ...state, processes: become(after) };
      }
      const refused = flaw !== 'does not give way' && process.looked.includes(true);
      if (!refused) return { ...state, processes: become({ ...process, state: 'granting' }) };
      const back = process.tokens.flatMap((token, index) =>
        token === undefined ? [] : [{ store: process.set.stores[index] as string, token }],
      );
      return {
        ...state,
        processes: become({ ...process, state: 'refused' }),
        withdrawn: [...state.withdrawn, ...back],
      };
    },
    hash({ processes, stores, withdrawn }, hash) {
      for (const { state, tries, tokens, looked } of processes) {
        hash.add(state.length * 8 + tries);
        for (const token of tokens) hash.add(Number(token ?? 0n));
        for (const look of looked) hash.add(look === undefined ? 0 : look ? 1 : 2);
      }
      for (const there of Object.values(stores)) for (const { token } of there) hash.add(Number(token));
      for (const { token } of withdrawn) hash.add(Number(token));
    },
    problem: ({ processes }) =>
      processes.every(({ state }) => state === 'granting') ? 'two sets that conflict grant at once' : undefined,
    unfinished: () => undefined,
    tell: ({ kind, who, member }, { processes }) =>
      kind === 'is gone'
        ? 'a presence is gone'
        : `P${who + 1} ${kind}${member === undefined ? '' : ` at ${processes[who]?.set.stores[member]}`}`,
  };
}
