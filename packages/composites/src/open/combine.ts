import type { LockProvider } from '@locks/core';
import type { AdapterConfig, Diagnosis } from '@locks/core/adapter';
import { lackingTraits } from '@locks/core/composite';
import { openProvider } from '@locks/core/open';
import { combine } from '../combine/combine.ts';
import { memberTitle } from '../members/member.ts';
import { readCombineOptions } from '../combine/options.ts';
import { combinedTraits } from '../combine/traits.ts';
import { readCombined } from './combined-config.ts';
import { nameOf, openMembers } from './open-members.ts';

/**
 * `openLocks` for provider `combine`: opens a composite and its members. It is open when enough
 * members are. The others continue to open in the background.
 * @throws `LOCK_MISCONFIGURED` naming the member with a wrong configuration; `LOCK_UNAVAILABLE`
 * naming the members that did not open, if too few did. Everything opened is then closed.
 */
export async function fromConfig(config: AdapterConfig): Promise<LockProvider> {
  const { runtime } = config;
  const { members, rules } = readCombined(config);
  const options = { ...rules, runtime };
  const { need, memberTimeout, fencing } = readCombineOptions(options, members.length);
  return await openMembers({
    members,
    titles: members.map((member, index) => memberTitle(index, members.length, nameOf(member))),
    need,
    patience: memberTimeout,
    runtime,
    open: openProvider,
    make: (providers) => combine(providers, options),
    lacking: (traits, all) => lackingTraits(combinedTraits(all, { need, fencing }), traits),
  });
}

/** Examines the members of a composite, for `locks doctor`. */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  const { members } = readCombined(config);
  const titles = members.map((member, index) => memberTitle(index, members.length, nameOf(member)));
  return {
    findings: [],
    members: members.map((member, index) => ({ title: titles[index] ?? '', ...member })),
  };
}
