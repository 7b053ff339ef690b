import { misconfigured, nearest, readOptions } from '@locks/core/adapter';
import type { OptionReader } from '@locks/core/adapter';
import { unknownOption } from '@locks/core/composite';
import type { Backend } from '@locks/core/open';
import { combineSource, rulesReaders } from '../combine/options.ts';
import type { CombineOptions } from '../combine/options.ts';
import { memberError, memberTitle } from '../members/member.ts';
import { readMember, sameStore } from './member-config.ts';
import { readRedlockUrl } from './redlock-url.ts';

export interface CombinedConfig {
  readonly members: readonly Backend[];
  readonly rules: CombineOptions;
}

/** Its URLs may contain passwords. */
const membersReader: OptionReader<readonly unknown[]> = {
  expects: 'an array with the URL or the configuration of each store',
  accepts: (value): value is readonly unknown[] => Array.isArray(value),
  parse: () => undefined,
  secret: true,
};

/**
 * Reads `{ provider: 'combine', options: { members, … } }`, or a URL with several hosts.
 * @throws `LOCK_MISCONFIGURED` naming the member and the option.
 */
export function readCombined({ url, options }: Pick<Backend, 'url' | 'options'>): CombinedConfig {
  if (url !== undefined) return readRedlock(url, options);
  const { members: listed = [], ...rules } = readOptions(
    { ...rulesReaders, members: membersReader },
    options,
    combineSource,
  );
  if (listed.length === 0) {
    throw misconfigured(combineSource.where, `option "members" must be ${membersReader.expects}, at least one`);
  }
  const members: Backend[] = [];
  for (const [index, each] of listed.entries()) {
    try {
      members.push(readMember(each));
    } catch (error) {
      throw memberError(memberTitle(index, listed.length, undefined), error);
    }
    const same = sameStore(members, index);
    if (same !== -1) {
      const title = memberTitle(index, listed.length, undefined);
      throw misconfigured(title, `it names the same store as member ${same + 1}, which would count twice`);
    }
  }
  return { members, rules };
}

/**
 * Options that `combine` does not know are those of each member. No option of Redis resembles one
 * of `combine`, so one that does is misspelt.
 */
function readRedlock(url: string, options: Backend['options']): CombinedConfig {
  if (!/^redlocks?:/i.test(url)) {
    throw misconfigured(
      combineSource.where,
      'provider "combine" has no URL but redlock://host1,host2,host3; write the URLs of other stores into option "members"',
    );
  }
  const urls = readRedlockUrl(url);
  if (options['members'] !== undefined) {
    throw misconfigured(combineSource.where, 'option "members" is given, and the hosts of a redlock: URL; keep one');
  }
  const given = Object.entries(options);
  const rules = Object.keys(rulesReaders);
  const isRule = ([name]: readonly [string, unknown]): boolean => rules.includes(name);
  const misspelt = Object.keys(options).find((name) => !rules.includes(name) && nearest(name, rules).length > 0);
  if (misspelt !== undefined) {
    throw unknownOption(misspelt, rules, { ...combineSource, elsewhere: 'The options of each Redis are known, too.' });
  }
  // A member's call must not take longer than the composite's.
  const own = Object.fromEntries(given.filter((entry) => !isRule(entry) || entry[0] === 'timeout'));
  return {
    members: urls.map((each) => ({ provider: 'redis', url: each, options: own })),
    rules: readOptions(rulesReaders, Object.fromEntries(given.filter(isRule)), combineSource),
  };
}
