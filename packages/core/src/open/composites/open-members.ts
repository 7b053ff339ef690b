import { LateMember } from '../../composites/members/late-member.ts';
import { errorOfAll } from '../../composites/members/member-errors.ts';
import { memberError } from '../../composites/members/member.ts';
import { lackingMethod } from '../../composites/combine/options.ts';
import { combinedTraits } from '../../composites/combine/traits.ts';
import type { LockProvider, Traits } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import { misconfigured } from '../../errors/misconfigured.ts';
import { closeQuietly } from '../../locks/ending/close-quietly.ts';
import type { Runtime } from '../../time/runtime.ts';
import { openEnough } from './open-enough.ts';
import type { Outcome } from './open-enough.ts';
import type { Backend } from '../config/settings.ts';

/** Opens one member, by the path of any provider. */
export type OpenProvider = (backend: Backend, runtime: Runtime) => Promise<LockProvider>;

type Outcomes = readonly (Outcome | undefined)[];

/** A composite whose members are opened. */
export interface Opening {
  readonly members: readonly Backend[];
  /** What messages call the members. */
  readonly titles: readonly string[];
  /** It is open when so many members are. */
  readonly need: number;
  /** How long it waits for the others then, in ms. */
  readonly patience: number;
  readonly runtime: Runtime;
  readonly open: OpenProvider;
  /**
   * What a member is taken for until it opens, if none with its adapter is open. `least`: what the
   * open ones have in common.
   *
   * @default least: so the composite's traits are those of the open members
   */
  assume?(least: Traits): Traits;
  /** Makes the composite. */
  make(providers: readonly LockProvider[]): LockProvider;
  /** Why the composite cannot have members of these traits, if it cannot. */
  refuse(composite: LockProvider, members: readonly Pick<LockProvider, 'traits'>[]): LockError | undefined;
}

/**
 * Opens the members of a composite, and makes it. Members that do not answer in time go on opening
 * behind.
 * @throws `LOCK_MISCONFIGURED` naming the member whose configuration is wrong; `LOCK_UNAVAILABLE`
 * naming the members that did not open, when too few did. All that was opened is closed then.
 */
export async function openMembers(opening: Opening): Promise<LockProvider> {
  const { members, titles, need, patience, runtime, open } = opening;
  const openings = members.map((member) => openMember(member, runtime, open));
  const outcomes = await openEnough(openings, need, patience, runtime);
  try {
    checkOutcomes(titles, outcomes, need);
    const providers = members.map((member, index) => providerOf(outcomes[index]) ?? lateMember(member, index));
    const composite = opening.make(providers);
    for (const [index, late] of providers.entries()) {
      if (!(late instanceof LateMember)) continue;
      late.begin(openings[index] as Promise<LockProvider>, (traits) =>
        opening.refuse(
          composite,
          providers.map((each) => (each === late ? { traits } : each)),
        ),
      );
    }
    return composite;
  } catch (error) {
    await closeAll(openings, outcomes);
    throw error;
  }

  function lateMember(member: Backend, index: number): LateMember {
    return new LateMember({
      name: nameOf(member),
      traits: assumedTraits(opening, outcomes, index),
      open: () => openMember(member, runtime, open),
      runtime,
    });
  }
}

async function openMember(member: Backend, runtime: Runtime, open: OpenProvider): Promise<LockProvider> {
  const provider = await open(member, runtime);
  const lacking = lackingMethod(provider);
  if (lacking === undefined) return provider;
  throw misconfigured('openLocks', `its adapter gave no provider, but something without ${lacking}()`);
}

/** Never a URL, which may have a password in it. */
export function nameOf({ provider }: Backend): string {
  return typeof provider === 'string' && !provider.includes('://') ? provider : 'adapter';
}

function providerOf(outcome: Outcome | undefined): LockProvider | undefined {
  return outcome !== undefined && 'provider' in outcome ? outcome.provider : undefined;
}

function checkOutcomes(titles: readonly string[], outcomes: Outcomes, need: number): void {
  const failures: LockError[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const title = titles[index] as string;
    if (outcome === undefined) failures.push(memberError(title, new Error('no answer yet.')));
    else if ('error' in outcome) {
      const error = memberError(title, outcome.error);
      if (outcome.permanent) throw new LockError('LOCK_MISCONFIGURED', error.message, { cause: outcome.error });
      failures.push(error);
    }
  }
  if (outcomes.length - failures.length >= need) return;
  const what = `${failures.length} of ${outcomes.length} members did not open, and ${need} are needed.`;
  throw errorOfAll('LOCK_UNAVAILABLE', what, failures);
}

/** The traits of a member that is not open yet: those of an open one with the same adapter. */
function assumedTraits({ members, assume }: Opening, outcomes: Outcomes, index: number): Traits {
  const twin = outcomes.find((_, other) => members[other]?.provider === members[index]?.provider && isOpen(other));
  if (twin !== undefined) return (providerOf(twin) as LockProvider).traits;
  const least = combinedTraits(
    outcomes.flatMap((outcome) => providerOf(outcome) ?? []),
    { need: 1, fencing: true },
  );
  return assume?.(least) ?? least;

  function isOpen(other: number): boolean {
    return providerOf(outcomes[other]) !== undefined;
  }
}

/** Does not wait for members that are still being opened: they are closed when they are open. */
async function closeAll(openings: readonly Promise<LockProvider>[], outcomes: Outcomes): Promise<void> {
  const closings = openings.map(async (opening) => {
    await opening.then(closeQuietly, () => {});
  });
  await Promise.all(closings.filter((_, index) => outcomes[index] !== undefined));
}
