import type { LockProvider, Traits } from '@locks/core';
import { LockError, isLockError, misconfigured, settledWithin } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { closeQuietly } from '@locks/core/composite';
import type { Backend } from '@locks/core/open';
import { LateMember } from '../members/late-member.ts';
import { errorOfAll } from '../members/member-errors.ts';
import { memberError } from '../members/member.ts';
import { lackingMethod } from '../combine/options.ts';
import { combinedTraits } from '../combine/traits.ts';

/** Opens one member, by the path of any provider. */
export type OpenProvider = (backend: Backend, runtime: Runtime) => Promise<LockProvider>;

/** The result of opening a member. `undefined`: none yet. */
type Outcome = PromiseSettledResult<LockProvider> | undefined;

export interface Opening {
  readonly members: readonly Backend[];
  /** The members' names in messages. */
  readonly titles: readonly string[];
  /** How many members must be open. */
  readonly need: number;
  /** How long it then waits for the others, in ms. */
  readonly patience: number;
  readonly runtime: Runtime;
  readonly open: OpenProvider;
  /**
   * The assumed traits of a member until it opens, if no other with its adapter is open. `least`:
   * the common ones of the open members.
   *
   * @default least: so the composite's traits are those of the open members
   */
  assume?(least: Traits, member: Backend): Traits;
  /** Creates the composite. */
  make(providers: readonly LockProvider[]): LockProvider;
  /** What a composite of `traits` would lack with these members. Empty: nothing. */
  lacking(traits: Traits, members: readonly Pick<LockProvider, 'traits'>[]): readonly string[];
}

/**
 * Opens the members of a composite, and creates it. Members that do not answer in time continue to
 * open in the background.
 * @throws `LOCK_MISCONFIGURED` naming the member with a wrong configuration; `LOCK_UNAVAILABLE`
 * naming the members that did not open, if too few did. Everything opened is then closed.
 */
export async function openMembers(opening: Opening): Promise<LockProvider> {
  const { members, runtime } = opening;
  const open = (member: Backend): Promise<LockProvider> => openMember(member, opening);
  const openings = members.map(open);
  const outcomes = await openEnough(openings, opening);
  try {
    checkOutcomes(opening, outcomes);
    const providers = members.map((member, index) => {
      const traits = assumedTraits(opening, outcomes, index);
      return (
        providerOf(outcomes[index]) ??
        new LateMember({ name: nameOf(member), traits, open: () => open(member), runtime })
      );
    });
    const composite = opening.make(providers);
    for (const [index, late] of providers.entries()) {
      if (!(late instanceof LateMember)) continue;
      late.begin(openings[index] as Promise<LockProvider>, (traits) => {
        const all = providers.map((each) => (each === late ? { traits } : each));
        return weakened(opening.lacking(composite.traits, all));
      });
    }
    return composite;
  } catch (error) {
    // A member that is still being opened is closed when it is open.
    const closings = openings.map(async (each) => await each.then(closeQuietly, () => {}));
    await Promise.all(closings.filter((_, index) => outcomes[index] !== undefined));
    throw error;
  }
}

async function openMember(member: Backend, { open, runtime }: Opening): Promise<LockProvider> {
  const provider = await open(member, runtime);
  const lacking = lackingMethod(provider);
  if (lacking === undefined) return provider;
  throw misconfigured('openLocks', `its adapter returned no provider: the result has no ${lacking}()`);
}

/**
 * Waits until enough members are open, or cannot be, then briefly for the others: a slightly slower
 * member is open from the start. Resolves immediately after a permanent failure. Never rejects.
 */
async function openEnough(
  openings: readonly Promise<LockProvider>[],
  { need, patience, runtime }: Opening,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = openings.map(() => undefined);
  const has = (status: 'fulfilled' | 'rejected', count: number): boolean =>
    outcomes.filter((outcome) => outcome?.status === status).length >= count;
  await new Promise<void>((resolve) => {
    let others: Promise<void> | undefined;
    const all = openings.map(async (opening, index) => {
      [outcomes[index]] = await Promise.allSettled([opening]);
      if (outcomes.some(failedForGood)) resolve();
      if (!has('fulfilled', need) && !has('rejected', openings.length - need + 1)) return;
      others ??= settledWithin(runtime, patience, Promise.all(all)).then(resolve);
    });
  });
  return [...outcomes];
}

/** Whether another attempt would fail in the same way. */
function failedForGood(outcome: Outcome): boolean {
  return outcome?.status === 'rejected' && !isLockError(outcome.reason, 'LOCK_UNAVAILABLE');
}

function weakened(lacking: readonly string[]): LockError | undefined {
  if (lacking.length === 0) return undefined;
  const why = `with it the composite would lack what it was opened with: ${lacking.join(', ')}`;
  return misconfigured('openLocks', `${why}. It stays out until the locks are opened again`);
}

/** Never a URL, which may contain a password. */
export function nameOf({ provider }: Backend): string {
  return typeof provider === 'string' && !provider.includes('://') ? provider.replace(/:$/, '') : 'adapter';
}

function providerOf(outcome: Outcome): LockProvider | undefined {
  return outcome?.status === 'fulfilled' ? outcome.value : undefined;
}

function checkOutcomes({ titles, need }: Opening, outcomes: readonly Outcome[]): void {
  const failures = outcomes.flatMap((outcome, index) => {
    if (outcome?.status === 'fulfilled') return [];
    const reason: unknown = outcome === undefined ? new Error('no answer yet.') : outcome.reason;
    const error = memberError(titles[index] as string, reason);
    if (failedForGood(outcome)) throw new LockError('LOCK_MISCONFIGURED', error.message, { cause: reason });
    return [error];
  });
  if (outcomes.length - failures.length >= need) return;
  const what = `${failures.length} of ${outcomes.length} members did not open, and ${need} are needed.`;
  throw errorOfAll('LOCK_UNAVAILABLE', what, failures);
}

/** The traits of a member that is not open yet: those of an open one with the same adapter. */
function assumedTraits({ members, assume }: Opening, outcomes: readonly Outcome[], index: number): Traits {
  const open = outcomes.map(providerOf);
  const twin = open.find((_, other) => members[other]?.provider === members[index]?.provider && open[other]);
  if (twin !== undefined) return twin.traits;
  const found = open.filter((provider) => provider !== undefined);
  const least = combinedTraits(found, { need: 1, fencing: true });
  return assume?.(least, members[index] as Backend) ?? least;
}
