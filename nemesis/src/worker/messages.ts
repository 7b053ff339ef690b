import type { FlawedName } from '../flawed/load.ts';

/** Clients that an application may bring. */
export type OwnClient = 'ioredis' | 'knex' | 'node-zookeeper-client';

/** How the locks are opened: what `openLocks` takes, as text can carry it. */
export interface Target {
  readonly url?: string;
  readonly ttl: number;
  readonly options?: Readonly<Record<string, unknown>>;
  /** A provider of core, in place of what the URL names. */
  readonly provider?: 'combine' | 'migrate';
  /** As `openLocks` takes it. */
  /** @default 'few' */
  readonly keys?: 'few' | 'many';
  /** In ms: the ttl of some leases, longer than the usual one. */
  readonly lasting?: number;
  /** It has no shared mode: all claims are exclusive. */
  readonly exclusive?: boolean;
  /** Over a client that the application made, in place of one that `openLocks` makes. */
  readonly own?: OwnClient;
  /** A flawed provider in place of an adapter. */
  readonly flawed?: FlawedName;
}

/** What one worker does. */
export interface Assignment {
  readonly worker: string;
  readonly target: Target;
  /** None: it takes the key that is kept, and holds it until it is told to leave. */
  readonly flows: number;
  readonly seed: number;
  /** The socket of the register. */
  readonly register: string;
  readonly log: string;
}

/** From the controller to a worker. */
export type Order =
  /** Answered when the locks are open. */
  | { readonly kind: 'begin'; readonly assignment: Assignment }
  /** Finish what is under way, and take each key once. Answered when that is done. */
  | { readonly kind: 'calm' }
  /** Go on as before the calm. */
  | { readonly kind: 'resume' }
  /** Close, and end without being told to. */
  | { readonly kind: 'leave' };
