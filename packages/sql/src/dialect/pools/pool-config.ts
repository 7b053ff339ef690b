/** How to load a database's driver. */
export interface Driver {
  /** Knex's name of its client. */
  readonly client: string;
  /** The package that is installed for it. */
  readonly module: string;
  load(): Promise<{ readonly default: unknown }>;
}

/** The options of a configuration that not every database has. */
export type SpecificOption = 'username' | 'password' | 'tls' | 'sslmode' | 'applicationName';

/** The options of the connections, with their defaults. */
export interface ConnectionOptions {
  /** `undefined`: what suits the database. */
  readonly pool: number | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** The options of `tls.connect`; `undefined`: no TLS. */
  readonly tls: object | undefined;
  /** In ms. */
  readonly connectTimeout: number;
  readonly applicationName: string;
  /** How long the server may work on a statement, in ms. */
  readonly timeout: number;
  /** Whether a database that is a file is created if it is missing. */
  readonly creates: boolean;
  /** Whether each connection is one session on the server. */
  readonly sessions: boolean;
}

export type ClientClass = new (config: object) => object;

/** What a pool of this package's own is made of. */
export interface PoolConfig {
  /** Knex's client, with `driver` in place of what knex would load by its name. */
  client(base: ClientClass, driver: unknown): ClientClass;
  /** Knex's `connection`. */
  readonly connection: object;
  /** How many connections there are at most. */
  readonly max: number;
  /** Where the connections find the tables, if that is not for the user to say. */
  readonly schema?: string | undefined;
  /** The first thing on each connection. */
  readonly afterCreate?: ((connection: never, done: (error: unknown) => void) => void) | undefined;
  /** Ends at once the connections that are still open. */
  destroy?(): void;
}

/**
 * `base` with `driver`, which knex itself may be unable to find where packages see only what they
 * name.
 */
export function withDriver(base: ClientClass, driver: unknown): ClientClass {
  return class extends base {
    _driver(): unknown {
      return driver;
    }
  };
}
