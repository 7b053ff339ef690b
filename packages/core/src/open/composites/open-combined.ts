import { combine } from '../../composites/combine/combine.ts';
import { memberTitle } from '../../composites/members/member.ts';
import { readCombineOptions } from '../../composites/combine/options.ts';
import { combinedTraits } from '../../composites/combine/traits.ts';
import type { LockProvider } from '../../contract.ts';
import { lackingTraits } from '../../options/requirements.ts';
import type { Runtime } from '../../time/runtime.ts';
import { readCombined } from './combined-config.ts';
import { nameOf, openMembers } from './open-members.ts';
import type { OpenProvider } from './open-members.ts';
import type { Backend } from '../config/settings.ts';

/**
 * Opens a composite and its members. It is open when as many members are as must agree. The others
 * go on opening behind.
 * @throws `LOCK_MISCONFIGURED` naming the member whose configuration is wrong; `LOCK_UNAVAILABLE`
 * naming the members that did not open, when too few did. All that was opened is closed then.
 */
export async function openCombined(backend: Backend, runtime: Runtime, open: OpenProvider): Promise<LockProvider> {
  const { members, rules } = readCombined(backend);
  const options = { ...rules, runtime };
  const { need, memberTimeout, fencing } = readCombineOptions(options, members.length);
  return await openMembers({
    members,
    titles: members.map((member, index) => memberTitle(index, members.length, nameOf(member))),
    need,
    patience: memberTimeout,
    runtime,
    open,
    make: (providers) => combine(providers, options),
    lacking: (traits, all) => lackingTraits(combinedTraits(all, { need, fencing }), traits),
  });
}
