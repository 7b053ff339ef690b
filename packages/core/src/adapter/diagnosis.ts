/**
 * How much a finding matters. `problem`: in this setup locks fail, or two processes can hold one
 * key. `warning`: they will when a server restarts or fails over. `unknown`: the store does not
 * report it.
 */
export type FindingLevel = 'problem' | 'warning' | 'unknown' | 'note' | 'ok';

/** The result of one check of a store. */
export interface CheckResult {
  /** How much it matters. */
  readonly level: FindingLevel;
  /** The state that was found: one sentence, without a password. */
  readonly what: string;
  /** What to do: one sentence. @default nothing has to be done */
  readonly advice?: string | undefined;
}

/** The result of a check, with its name. */
export interface Finding extends CheckResult {
  /** In kebab-case. Stable across versions. */
  readonly check: string;
}

/** One question about a store. */
export interface Check<Store> {
  /** In kebab-case. Stable across versions. */
  readonly name: string;
  /** `undefined`: does not apply to this store. A rejection means that the answer is unknown. */
  readonly look: (store: Store) => CheckResult | undefined | Promise<CheckResult | undefined>;
}

/** A member store of a composite. */
export interface DiagnosisMember {
  /** Its name in messages. */
  readonly title: string;
  /** The name or the module of its adapter. */
  readonly provider: string | object;
  /** As in a configuration. `undefined`: its options contain the address. */
  readonly url: string | undefined;
  /** The options of its adapter. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** What an adapter reports about the servers of a configuration. */
export interface Diagnosis {
  /** In the order of the checks. */
  readonly findings: readonly Finding[];
  /** Two stores with the same text are the same server. @default not known */
  readonly server?: string | undefined;
  /** The member stores of a composite, each checked by its own adapter. @default none */
  readonly members?: readonly DiagnosisMember[] | undefined;
}
