import type { Machine } from '../claim/model/contender.ts';
import { moduleWith } from './flawed-module.ts';
import type { Flaw } from './flawed-module.ts';

const entry = new URL('../../src/claim/claim-machine.ts', import.meta.url);

/** The machine of a claim, with its source changed by `flaws`. Without flaws it is as it is. */
export async function machineWith(...flaws: readonly Flaw[]): Promise<Machine> {
  return (await moduleWith<{ readonly ClaimMachine: Machine }>(entry, 'claim', flaws)).ClaimMachine;
}
