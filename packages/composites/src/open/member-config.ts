import type { LocksConfig } from '@locks/core';
import { misconfigured } from '@locks/core/adapter';
import { describe, isLocksOption, splitUrl, unknownOption } from '@locks/core/composite';
import { mergeSources } from '@locks/core/open';
import type { Backend } from '@locks/core/open';

const known = ['provider', 'url', 'options'];

/**
 * The store of a member of a composite, from a URL or a configuration.
 * @throws `LOCK_MISCONFIGURED` with the wrong option, and without the member's number.
 */
export function readMember(member: unknown): Backend {
  if (typeof member !== 'string' && (typeof member !== 'object' || member === null || Array.isArray(member))) {
    throw misconfigured('openLocks', `a member must be a URL or a configuration, not ${describe(member)}`);
  }
  const config: LocksConfig = typeof member === 'string' || member instanceof URL ? { url: member } : member;
  for (const name of Object.keys(config)) {
    if (isLocksOption(name)) throw ofLocks(`option "${name}"`);
    if (known.includes(name)) continue;
    const elsewhere = 'Options of an adapter are written under "options" of the member.';
    throw unknownOption(name, known, { where: 'openLocks', code: 'LOCK_MISCONFIGURED', elsewhere });
  }
  const inText = typeof config.url === 'string' || config.url instanceof URL ? String(config.url) : undefined;
  const [inUrl] = Object.keys(splitUrl(inText).own);
  if (inUrl !== undefined) throw ofLocks(`option "${inUrl}" in its URL`);
  return mergeSources([{ where: undefined, config }]).backend;
}

function ofLocks(option: string): Error {
  return misconfigured(
    'openLocks',
    `${option} is an option of the client, not of a member: write it once, beside "provider" and "options" of the composite`,
  );
}

/** The member before `members[index]` that names the same store. -1: none. */
export function sameStore(members: readonly Backend[], index: number): number {
  const { provider, url, options } = members[index] as Backend;
  // Each memory provider is a separate store.
  if (url === undefined || provider === 'memory') return -1;
  // Importing it reads all its exports, which takes some ms.
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
  const same = (other: Backend): boolean =>
    other.url === url && other.provider === provider && isDeepStrictEqual(other.options, options);
  return members.slice(0, index).findIndex(same);
}
