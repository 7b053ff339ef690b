import type { Address, Json, NemesisTarget, Opening, ServerFault } from '@locks/conformance/nemesis';

/** Data with names. */
export type Data = { readonly [name: string]: Json };

/** What runs while a target is attacked. */
export interface Running {
  stop(): Promise<unknown>;
}

/** A fault of servers that run: `begin` and `may` get them first. */
export interface FaultOf<Servers> extends Omit<ServerFault, 'begin' | 'may' | 'targets'> {
  /** How many servers can have it. @default all of `servers` */
  readonly targets?: number;
  readonly may?: (servers: Servers) => Promise<boolean>;
  readonly begin: (servers: Servers, server: number, amount: number) => ReturnType<ServerFault['begin']>;
}

/** Where a target is in the matrix. */
export interface Place {
  /** What the command line calls it. */
  readonly name: string;
  readonly store: string;
  readonly topology: string;
  /** @default none: locks of one store */
  readonly composite?: string;
}

/** All of one target: data, and how its servers are started. */
interface Definition<Servers extends Running> extends Place, Pick<NemesisTarget, 'ttl' | 'can' | 'duplicable'> {
  start(): Promise<Servers>;
  /** Those that proxies stand before. @default none */
  readonly servers?: (servers: Servers) => readonly Address[];
  /** The name of each is that of the client. */
  readonly openings: Readonly<Record<string, (servers: Servers) => Opening>>;
  readonly faults: Readonly<Record<string, FaultOf<Servers>>>;
  readonly leftovers?: (servers: Servers) => Promise<readonly string[]>;
}

/** One target as the matrix lists it, before it is started. */
export interface ListedTarget extends Place {
  readonly clients: readonly string[];
  /** Its faults of servers, and whether each may lose data. */
  readonly faults: Readonly<Record<string, { readonly empties: boolean }>>;
  start(): Promise<{ readonly target: NemesisTarget; stop(): Promise<void> }>;
}

/** Lists a target. */
export function list<Servers extends Running>(definition: Definition<Servers>): ListedTarget {
  const { name, store, topology, composite, ttl, can, duplicable, openings, faults, servers, leftovers } = definition;
  const each = <From, To>(all: Readonly<Record<string, From>>, make: (from: From) => To): Record<string, To> =>
    Object.fromEntries(Object.entries(all).map(([key, from]) => [key, make(from)]));
  return {
    name,
    store,
    topology,
    ...(composite !== undefined && { composite }),
    clients: Object.keys(openings),
    faults: each(faults, ({ empties = false }) => ({ empties })),
    async start() {
      const running = await definition.start();
      const target: NemesisTarget = {
        name,
        ttl,
        ...(can && { can }),
        ...(duplicable !== undefined && { duplicable }),
        ...(servers && { servers: servers(running) }),
        openings: each(openings, (make) => make(running)),
        faults: each(faults, ({ may, begin, ...rest }) => ({
          ...rest,
          ...(may && { may: () => may(running) }),
          begin: (server: number, amount: number) => begin(running, server, amount),
        })),
        ...(leftovers && { leftovers: () => leftovers(running) }),
      };
      return { target, stop: async () => void (await running.stop()) };
    },
  };
}

/** A module of `openings`, as it is built. */
export const opening = (name: string): URL => new URL(`../openings/${name}.js`, import.meta.url);
