import type { Faults } from '@locks/conformance';
import { combine } from '@locks/composites';
import type { CombineOptions } from '@locks/composites';
import type { LockProvider } from '@locks/core';
import type { Breakable } from '../../support/faults.ts';

type End = () => Promise<void>;

/** One composite of what each of `members` makes. Each fault hurts all members of a composite. */
export function together(members: readonly Breakable[], options: CombineOptions): Breakable {
  const parts = new WeakMap<LockProvider, readonly LockProvider[]>();

  async function hurtParts<T>(
    provider: LockProvider,
    hurt: (faults: Faults, part: LockProvider) => Promise<T> | undefined,
  ): Promise<readonly T[]> {
    const own = parts.get(provider) ?? [];
    const hurting = members.flatMap(({ faults }, index) => hurt(faults, own[index] as LockProvider) ?? []);
    return await Promise.all(hurting);
  }

  async function hurtAll<T>(hurt: (faults: Faults) => Promise<T> | undefined): Promise<readonly T[]> {
    return await Promise.all(members.flatMap(({ faults }) => hurt(faults) ?? []));
  }

  return {
    async create() {
      const made = await Promise.all(members.map(({ create }) => create()));
      const provider = combine(made, options);
      parts.set(provider, made);
      return provider;
    },
    faults: {
      async sever(provider) {
        await hurtParts(provider, (faults, part) => faults.sever?.(part));
      },
      async silence(provider, direction) {
        return endAll(await hurtParts(provider, (faults, part) => faults.silence?.(part, direction)));
      },
      async dropReply(provider) {
        await hurtParts(provider, (faults, part) => faults.dropReply?.(part));
      },
      async delay(provider, delay) {
        return endAll(await hurtParts(provider, (faults, part) => faults.delay?.(part, delay)));
      },
      async duplicate(provider) {
        return endAll(await hurtParts(provider, (faults, part) => faults.duplicate?.(part)));
      },
      async pause() {
        return endAll(await hurtAll((faults) => faults.pause?.()));
      },
      async restart() {
        await hurtAll((faults) => faults.restart?.());
      },
      async restartEmpty() {
        await hurtAll((faults) => faults.restartEmpty?.());
      },
    },
  };
}

function endAll(ends: readonly End[]): End {
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}
