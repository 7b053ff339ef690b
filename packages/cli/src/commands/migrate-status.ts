import { migrationStatus } from '@locks/composites';
import type { MigrationStatus } from '@locks/composites';
import { messageOf, printable, span } from '@locks/core/text';
import { exitCode } from '../exit-code.ts';
import type { Output, Row } from '../output/output.ts';
import { bold, table } from '../output/table.ts';
import { findStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** Options of `locks migrate status`. */
export interface MigrateStatusOptions extends StoreOptions {
  /** How many processes there are to be. */
  readonly processes?: number | undefined;
}

type Step = MigrationStatus['next']['forward'];

/** Prints who takes part in a migration, and whether the next step may be taken: the exit code. */
export async function migrateStatus({ processes, ...options }: MigrateStatusOptions, output: Output): Promise<number> {
  const { target } = await findStore(options);
  const status = await migrationStatus(target, { processes });
  await output.print(textOf(status), rowOf(status));
  return status.next.forward.allowed ? 0 : exitCode.findings;
}

function rowOf(status: MigrationStatus): Row {
  const [from, to] = [status.from, status.to].map(({ error, ...store }) => ({
    ...store,
    ...(error !== undefined && { error: messageOf(error) }),
  }));
  return { ...status, from, to };
}

function textOf({ name, from, to, processes, next }: MigrationStatus): string {
  const parts = [bold(`${printable(name)}: from ${from.store} to ${to.store}`), ''];
  if (processes.length === 0) parts.push('No process takes part.');
  else parts.push(table(['PROCESS', 'IS TO BE IN', 'IS IN', 'SINCE'], processes.map(processColumns)));
  for (const [end, store] of Object.entries({ from, to })) parts.push(...storeLines(end, store));
  parts.push('', stepText('next', next.forward));
  if (next.back !== undefined) parts.push(stepText('back', next.back));
  return parts.join('\n');
}

function processColumns({
  process,
  desired,
  effective,
  since,
}: MigrationStatus['processes'][number]): readonly string[] {
  return [printable(process), desired, effective, since === undefined ? '' : new Date(since).toISOString()];
}

function storeLines(end: string, { store, error, direct, plainSafeIn }: MigrationStatus['from']): readonly string[] {
  if (error !== undefined) return ['', `${end} (${store}) does not answer: ${printable(messageOf(error))}`];
  const held = (direct ?? []).map(({ key, owner }) => `  ${printable(key)} by ${printable(owner)}`);
  return [
    ...(held.length === 0 ? [] : ['', `${end} (${store}) has locks that were taken without migrate:`, ...held]),
    ...(plainSafeIn === undefined || plainSafeIn === 0
      ? []
      : ['', `${end} (${store}) gives higher tokens without migrate in ${span(plainSafeIn)}`]),
  ];
}

function stepText(title: string, { step, allowed, why, tokenFloor }: Step): string {
  const floor = tokenFloor === undefined ? '' : `, with tokenFloor: ${tokenFloor}`;
  const lines = [`${title}: ${bold(step)}${floor}, ${allowed ? 'may be taken' : 'may not be taken:'}`];
  return [...lines, ...why.map((reason) => `  ${printable(reason)}`)].join('\n');
}
