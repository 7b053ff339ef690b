import { changeQuorum } from '@locks/composites';
import { diagnose } from '@locks/composites/combine';
import { systemRuntime } from '@locks/core/adapter';
import type { Backend } from '@locks/core/open';
import { printable, span } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { table } from '../output/table.ts';
import type { StoreOptions } from '../store/open-store.ts';
import { backendOf, providerOf } from '../store/open-store.ts';

/** Options of `locks quorum change`. */
export interface QuorumOptions extends StoreOptions {
  /** Makes the change even if it is unsafe. */
  readonly force?: boolean | undefined;
}

/** Makes the members of the store those of their quorum. Returns the exit code. */
export async function quorumChange({ force, ...store }: QuorumOptions, output: Output): Promise<number> {
  const { provider, url, options } = await backendOf(store);
  if (provider !== 'combine')
    throw new Failure(exitCode.usage, 'Only a quorum has members. Name one, as redlock://a,b,c.');
  const { members = [] } = await diagnose({ url, options, runtime: systemRuntime });
  const providers = await Promise.all(members.map((member) => providerOf(member as Backend).catch(() => undefined)));
  try {
    const { done, left } = await changeQuorum(providers, { force });
    const rows = left.map(({ key, owner, remaining }) => [
      printable(key),
      printable(owner),
      remaining === undefined ? '' : span(remaining),
    ]);
    const text = done
      ? `The quorum has these ${providers.length} members. Deploy them everywhere before the next change.`
      : `Nothing was changed: the new members may not know these leases. Wait until they end.\n${table(['KEY', 'OWNER', 'FOR'], rows)}`;
    await output.print(text, { done, left });
    return done ? 0 : exitCode.findings;
  } finally {
    await Promise.all(providers.map(async (each) => await each?.close()));
  }
}
