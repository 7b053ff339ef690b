import type { ServerHandle } from '@locks/test-servers';
import type { EmptyRestarts } from '../faults/schedule.ts';
import type { OwnClient, Target } from '../worker/messages.ts';

/** Where a server is, or what stands in front of it. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What can be put under stress. */
export interface Backend {
  /** The package of its adapter, without the scope; absent where core alone is enough. */
  readonly adapter?: string;
  /** Modules that the application has besides. */
  readonly clients: readonly string[];
  /** Starts it, with what files it has of its own in `folder`. */
  start(folder: string): Promise<RunningBackend>;
}

/** A backend that runs. */
export interface RunningBackend {
  /** Those that faults may be done to. */
  readonly servers: readonly ServerHandle[];
  /** Faults between the servers themselves; each returns what ends it. */
  readonly between?: {
    cutOff(server: ServerHandle): () => Promise<void>;
    lag(server: ServerHandle, delay: number): () => void;
  };
  /** Servers in turn are killed and started without their data. No other fault is done to them. */
  readonly empty?: EmptyRestarts;
  /** Whether each server has what it got back after it was emptied. */
  readonly mayEmpty?: () => Promise<boolean>;
  /** Adapter options of the first who opens the locks, before the workers do. */
  readonly prepare?: Readonly<Record<string, boolean>>;
  /** What every other worker brings. */
  readonly own?: OwnClient;
  /** How locks are opened that reach the servers at `addresses`. */
  target(addresses: readonly Address[]): Target;
  stop(): Promise<void>;
}

/** `host:port` of the first server, where there is one. */
export function hostOf([address]: readonly Address[]): string {
  if (address === undefined) throw new Error('There is no server.');
  return `${address.host}:${address.port}`;
}
