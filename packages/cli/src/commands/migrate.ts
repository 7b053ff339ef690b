import { migrationStatus, waitForPhase } from '@locks/composites';
import type { MigrationStatus, PhaseWord } from '@locks/composites';
import { isLockError } from '@locks/core';
import { messageOf, printable, span } from '@locks/core/text';
import { exitCode } from '../failure.ts';
import type { Output, Row } from '../output/output.ts';
import { bold, table } from '../output/table.ts';
import { findStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** Options of `locks migrate status`. */
export interface MigrateStatusOptions extends StoreOptions {
  /** How many processes are expected. */
  readonly processes?: number | undefined;
}

/** Options of `locks migrate wait`. */
export interface MigrateWaitOptions extends MigrateStatusOptions {
  /** How long it waits, in ms. @default 5 min */
  readonly timeout?: number | undefined;
}

const defaultTimeout = 300_000;

const phases = ['from', 'both', 'to'] as const;

type Obstacles = MigrationStatus['obstacles']['both'];

/** Prints the processes of a migration, and what blocks each phase. */
export async function migrateStatus({ processes, ...options }: MigrateStatusOptions, output: Output): Promise<number> {
  const { target } = await findStore(options);
  const status = await migrationStatus(target, { processes });
  await output.print(textOf(status), rowOf(status));
  return phases.some((phase) => status.obstacles[phase].length === 0) ? 0 : exitCode.findings;
}

/** Waits until a migration is in `phase`. Returns the exit code. */
export async function migrateWait(
  phase: PhaseWord,
  { processes, timeout = defaultTimeout, ...options }: MigrateWaitOptions,
  output: Output,
): Promise<number> {
  const { target } = await findStore(options);
  try {
    const status = await waitForPhase(target, phase, timeout, { processes });
    await output.print(`${printable(status.name)}: all in "${phase}"`, { ...rowOf(status), phase, result: 'done' });
    return 0;
  } catch (error) {
    if (!isLockError(error, 'LOCK_TIMEOUT')) throw error;
    // The status at the timeout.
    const status = error.result as MigrationStatus;
    const why = status.obstacles[phase];
    const mayGoOn = why.every(({ kind }) => kind === 'lease');
    const [result, says] = mayGoOn ? (['may go on', 'all processes are'] as const) : (['not yet', 'not'] as const);
    const text = [`${printable(status.name)}: ${result}, ${says} in "${phase}"`, ...linesOf(why)].join('\n');
    await output.print(text, { ...rowOf(status), phase, result });
    return mayGoOn ? exitCode.mayGoOn : exitCode.findings;
  }
}

function rowOf(status: MigrationStatus): Row {
  const [from, to] = [status.from, status.to].map(({ error, ...store }) => ({
    ...store,
    ...(error !== undefined && { error: messageOf(error) }),
  }));
  return { ...status, from, to };
}

function textOf({ name, from, to, processes, obstacles }: MigrationStatus): string {
  const parts = [bold(`${printable(name)}: from ${from.store} to ${to.store}`), ''];
  if (processes.length === 0) parts.push('No process takes part.');
  else parts.push(table(['PROCESS', 'DESIRED PHASE', 'PHASE'], processes.map(processColumns)));
  for (const [end, store] of Object.entries({ from, to })) parts.push(...storeLines(end, store));
  for (const phase of phases) {
    const why = obstacles[phase];
    parts.push('', `${bold(phase)}: ${why.length === 0 ? 'all are in it' : 'not all are in it'}`, ...linesOf(why));
  }
  return parts.join('\n');
}

function processColumns({ process, desired, effective }: MigrationStatus['processes'][number]): readonly string[] {
  return [printable(process), desired, effective];
}

function storeLines(end: string, { store, error, safeIn }: MigrationStatus['from']): readonly string[] {
  if (error !== undefined) return ['', `${end} (${store}) does not answer: ${printable(messageOf(error))}`];
  return safeIn === undefined || safeIn === 0 ? [] : ['', `${end} (${store}) gives higher tokens in ${span(safeIn)}`];
}

function linesOf(obstacles: Obstacles): readonly string[] {
  return obstacles.map(({ what }) => `  ${printable(what)}`);
}
