import type { LockProvider } from '@locks/core';
import type { Context } from '../context/context.ts';
import type { Requirement } from '../requirement.ts';

/** What the requirements of a file share. Each may override it. */
interface Common extends Pick<Requirement, 'level' | 'about' | 'needs'>, Partial<Pick<Requirement, 'when'>> {}

/** One of them. Its id is its name in the list. */
interface Rule extends Partial<Common>, Pick<Requirement, 'title'> {
  /** Receives as many new providers on the store as it has parameters for. */
  check(context: Context, ...providers: Four): Promise<void>;
}

type Four = readonly [LockProvider, LockProvider, LockProvider, LockProvider];

/** The requirements of a file, by their ids. */
export function rules(common: Common): (byId: Readonly<Record<string, Rule>>) => readonly Requirement[] {
  return (byId) =>
    Object.entries(byId).map(([id, rule]) => {
      const { title, level, about, needs, when = [], check } = { ...common, ...rule };
      return {
        id,
        level,
        about,
        title,
        when,
        ...(needs && { needs }),
        check: async (context) => await check(context, ...(await createMany(context, check.length - 1))),
      };
    });
}

async function createMany(context: Context, count: number): Promise<Four> {
  const providers = await Promise.all(Array.from({ length: Math.max(0, count) }, () => context.create()));
  return providers as unknown as Four;
}
