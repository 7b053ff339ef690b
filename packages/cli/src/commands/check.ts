import { printConformance, runConformance } from '@locks/conformance';
import type { ConformanceReport, RequirementResult } from '@locks/conformance';
import { messageOf } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';
import { harmless } from '../output/output.ts';
import type { Output } from '../output/output.ts';
import { backendOf, findStore, providerOf } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** Options of `locks check`. */
export interface CheckOptions extends StoreOptions {
  /** The ids of requirements. @default all */
  readonly only?: readonly string[] | undefined;
  /** The ttl that expiry is tested with, in ms. */
  readonly ttl?: number | undefined;
  /** The nemesis attacks the store, in place of the suite. @default false */
  readonly nemesis?: boolean | undefined;
  /** How long the nemesis does, in seconds. */
  readonly seconds?: number | undefined;
  /** What the nemesis draws from. */
  readonly seed?: number | undefined;
}

/**
 * Runs the conformance suite against a store in use, on keys of its own. Returns the exit code. The
 * suite cannot stop the store's servers, so requirements that need it are not checked. With
 * `nemesis` it attacks the store instead: processes of its own take locks, are killed and stopped,
 * and their connections have faults.
 */
export async function check(given: CheckOptions, output: Output): Promise<number> {
  const { only, ttl, nemesis = false, seconds, seed, ...options } = given;
  try {
    if (nemesis) {
      const { attack } = await import('../nemesis/attack.ts');
      return (await attack(options, { ttl, seconds, seed }, output)) ? 0 : exitCode.findings;
    }
    const { shown } = await findStore(options);
    const backend = await backendOf(options);
    const suite = { name: shown, create: async () => await providerOf(backend), only, ttl };
    const report = output.json
      ? await runConformance(suite, (result) => void output.print('', rowOf(result)))
      : await printConformance(suite, (line) => void output.print(harmless(line), {}));
    if (output.json) await output.print('', endOf(report));
    return report.verdict === 'failed' ? exitCode.findings : 0;
  } catch (error) {
    throw new Failure(exitCode.failed, messageOf(error), { cause: error });
  }
}

function rowOf({ id, title, level, status, duration, reason, error }: RequirementResult): Record<string, unknown> {
  return { id, title, level, status, duration: Math.round(duration), reason, error: error?.message };
}

function endOf({ name, traits, seed, verdict, notes }: ConformanceReport): Record<string, unknown> {
  return { name, traits, seed, verdict, notes };
}
