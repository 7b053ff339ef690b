import type { Program } from './programs.ts';

/** Where a program finds its servers. The databases are its own. */
export interface Addresses {
  readonly redis: string;
  readonly postgres: string;
  readonly mysql: string;
}

// The path of the latter two is the database.
const patterns: Readonly<Record<keyof Addresses, RegExp>> = {
  redis: /\bredis:\/\/[^/?#\s'"`$]+/g,
  postgres: /\bpostgres(?:ql)?:\/\/[^?#\s'"`$]+/g,
  mysql: /\b(?:mysql|mariadb):\/\/[^?#\s'"`$]+/g,
};

/** Points the URLs in a program at these servers, and clients made without an address. */
export function connectTo(program: Program, addresses: Addresses): Program {
  let source = program.source.replaceAll('new Redis()', () => `new Redis(${JSON.stringify(addresses.redis)})`);
  for (const name of ['redis', 'postgres', 'mysql'] as const) {
    source = source.replaceAll(patterns[name], () => addresses[name]);
  }
  return { ...program, source };
}
