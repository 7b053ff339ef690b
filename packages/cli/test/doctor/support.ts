import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '@locks/core/adapter';
import { expect } from 'vitest';
import { createUser } from '../support/locks-program.ts';

/** What `locks doctor` says of a store. */
export interface Said {
  readonly code: number;
  readonly findings: readonly (Finding & { readonly store?: string })[];
  /** The problems and warnings: `level check`, and the member before it. Sorted. */
  readonly bad: readonly string[];
  readonly errors: string;
}

/** Runs `locks doctor` on the store at `url`, or on the one that a configuration names. */
export async function doctor(store: string | object, ...options: readonly string[]): Promise<Said> {
  const user = createUser();
  const file = join(user.home, 'locks.json');
  if (typeof store === 'object') writeFileSync(file, JSON.stringify(store));
  const where = typeof store === 'string' ? ['--url', store] : ['--config', file];
  const { code, output, errors } = await user.locks('doctor', '--json', ...where, ...options);
  const lines = output.split('\n').filter((line) => line !== '');
  const findings = lines.map((line) => JSON.parse(line) as Said['findings'][number]);
  const named = findings.filter(({ level }) => level === 'problem' || level === 'warning');
  const bad = named.map(({ store: member, level, check }) => [member, level, check].filter(Boolean).join(' '));
  return { code, findings, bad: bad.toSorted(), errors };
}

/** A configuration with something wrong, and what is to be found there: nothing else. */
export interface Planted {
  readonly what: string;
  /** Starts the servers: the store. They end with the test. */
  readonly store: () => Promise<string | object>;
  readonly found: readonly string[];
}

/** Checks that `found` is found, and nothing else. */
export async function checkPlanted({ store, found }: Omit<Planted, 'what'>): Promise<void> {
  const { bad, code, errors } = await doctor(await store());
  const wanted = found.some((one) => one.includes('problem ')) ? 1 : 0;
  expect({ bad, code, errors }).toEqual({ bad: found, code: wanted, errors: '' });
}
