import type { Traits } from '@locks/core';
import type { Core } from '../context/core.ts';
import type { Requirement } from '../requirement.ts';
import type { LockObject } from './lock-object.ts';
import { locksThrough } from './locks-through.ts';
import { makers } from './makers.ts';

/** `core`, whose `Locks` take exclusive locks through `object`. */
export function coreOf(object: LockObject | undefined, core: Core): Core {
  const make = object === undefined ? undefined : makers[object.name];
  if (make === undefined) return core;
  return { createLocks: (provider, options) => locksThrough(core.createLocks(provider, options), make) };
}

/** Those of `requirements` that are asked of `object`, of providers that can carry it. */
export function requirementsOf(
  object: LockObject | undefined,
  requirements: readonly Requirement[],
): readonly Requirement[] {
  if (object === undefined) return requirements;
  const ids = new Set([...object.exclusive, ...object.own]);
  return requirements
    .filter(({ id }) => ids.has(id))
    .map((requirement) => ({
      ...requirement,
      appliesTo: (traits, provider) => carries(object, traits) && requirement.appliesTo(traits, provider),
    }));
}

/** Whether a provider with these traits has what `object` needs. */
function carries({ needs = {} }: LockObject, traits: Traits): boolean {
  return Object.entries(needs).every(([name, needed]) => traits[name as keyof Traits] === needed);
}
