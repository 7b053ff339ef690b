/**
 * How much a finding matters. `problem`: locks fail, or two processes can hold one key, as the
 * store is set up. `warning`: they will when a server restarts or fails over. `unknown`: the store
 * does not tell.
 */
export type FindingLevel = 'problem' | 'warning' | 'unknown' | 'note' | 'ok';

/** What one check says of a store. */
export interface CheckResult {
  /** How much it matters. */
  readonly level: FindingLevel;
  /** The state that was found: one sentence, without a password. */
  readonly what: string;
  /** What to do: one sentence. @default nothing has to be done */
  readonly advice?: string | undefined;
}

/** The result of a check, by its name. */
export interface Finding extends CheckResult {
  /** In kebab-case. It stays the same from version to version. */
  readonly check: string;
}

/** One question about a store. */
export interface Check<Store> {
  /** In kebab-case. It stays the same from version to version. */
  readonly name: string;
  /** `undefined`: it means nothing for this store. A rejection says that the answer is unknown. */
  readonly look: (store: Store) => CheckResult | undefined | Promise<CheckResult | undefined>;
}

/** A store that another one is made of. */
export interface DiagnosisMember {
  /** What messages call it. */
  readonly title: string;
  /** The name or the module of its adapter. */
  readonly provider: string | object;
  /** As in a configuration. `undefined`: its options say where it is. */
  readonly url: string | undefined;
  /** Those of its adapter. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** What an adapter says of the servers of a configuration. */
export interface Diagnosis {
  /** In the order of the checks. */
  readonly findings: readonly Finding[];
  /** Two stores with the same text are the same server. @default not known */
  readonly server?: string | undefined;
  /** The stores of a composite, each to be looked at by its own adapter. @default none */
  readonly members?: readonly DiagnosisMember[] | undefined;
}
