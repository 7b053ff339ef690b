import { join } from 'node:path';
import type { Address, Json, NemesisTarget, Opening, ServerFault } from '@locks/conformance/nemesis';

/** Data with names. */
export type Data = Readonly<Record<string, Json>>;

/** What runs while a target is attacked. */
export interface Running {
  /** The output of its servers. @default nothing is kept */
  log?(): Promise<string>;
  stop(): Promise<unknown>;
}

/** A fault of running servers: `begin` and `may` receive them first. */
export interface FaultOf<Servers> extends Omit<ServerFault, 'begin' | 'may' | 'targets'> {
  /** How many servers can have it. @default all of `servers` */
  readonly targets?: number;
  readonly may?: (servers: Servers) => Promise<boolean>;
  readonly begin: (servers: Servers, server: number, amount: number) => ReturnType<ServerFault['begin']>;
}

/** Where a target is in the matrix. */
export interface Place {
  /** Its name on the command line. */
  readonly name: string;
  readonly store: string;
  readonly topology: string;
  /** @default none: locks of one store */
  readonly composite?: string;
}

/** A whole target: data, and how its servers are started. */
export interface Definition<Servers extends Running>
  extends Place, Pick<NemesisTarget, 'ttl' | 'can' | 'fair' | 'healing' | 'duplicable' | 'sharersMayTie' | 'deploys'> {
  /** Packages of adapters in the application, without the scope. */
  readonly adapters: readonly string[];
  /** Modules of its clients. */
  readonly modules: readonly string[];
  start(): Promise<Servers>;
  /** The servers behind proxies. @default none */
  readonly servers?: (servers: Servers) => readonly Address[];
  /** The name of each is that of the client. A `module` is a file of `openers`. */
  readonly openings: Readonly<Record<string, (servers: Servers) => Opening>>;
  readonly faults: Readonly<Record<string, FaultOf<Servers>>>;
  readonly leftovers?: (servers: Servers) => Promise<readonly string[]>;
}

/** One target as the matrix lists it, before it is started. */
export interface ListedTarget extends Place {
  readonly adapters: readonly string[];
  readonly modules: readonly string[];
  readonly clients: readonly string[];
  /** It has servers behind proxies. */
  readonly networked: boolean;
  /** Its faults of servers. */
  readonly faults: Readonly<Record<string, Pick<ServerFault, 'empties' | 'doubles' | 'refuses'>>>;
  /** Starts it. `application` is the folder of the application with the modules. */
  start(application: string): Promise<StartedTarget>;
}

/** A target with running servers. */
export interface StartedTarget {
  readonly target: NemesisTarget;
  /** The output of the servers. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** Lists a target. */
export function list<Servers extends Running>(definition: Definition<Servers>): ListedTarget {
  const { name, store, topology, composite, ttl, openings, faults, servers, leftovers } = definition;
  const { adapters, modules, can, fair, healing, duplicable, sharersMayTie, deploys } = definition;
  return {
    ...{ name, store, topology, adapters, modules },
    ...(composite !== undefined && { composite }),
    clients: Object.keys(openings),
    networked: servers !== undefined,
    faults: each(faults, ({ empties = false, doubles = empties, refuses = false }) => ({ empties, doubles, refuses })),
    async start(application) {
      const running = await definition.start();
      const target: NemesisTarget = {
        ...{ name, ttl },
        ...(can && { can }),
        ...(fair !== undefined && { fair }),
        ...(healing !== undefined && { healing }),
        ...(duplicable !== undefined && { duplicable }),
        ...(sharersMayTie !== undefined && { sharersMayTie }),
        ...(deploys !== undefined && { deploys }),
        ...(servers && { servers: servers(running) }),
        openings: each(openings, (make) => {
          const { module, ...opening } = make(running);
          return {
            ...opening,
            ...(module !== undefined && { module: join(application, `programs/openers/${String(module)}.js`) }),
          };
        }),
        faults: each(faults, ({ may, begin, ...rest }) => ({
          ...rest,
          ...(may && { may: () => may(running) }),
          begin: (server: number, amount: number) => begin(running, server, amount),
        })),
        ...(leftovers && { leftovers: () => leftovers(running) }),
      };
      return { target, log: async () => (await running.log?.()) ?? '', stop: async () => void (await running.stop()) };
    },
  };
}

function each<From, To>(all: Readonly<Record<string, From>>, make: (from: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(all).map(([key, from]) => [key, make(from)]));
}
