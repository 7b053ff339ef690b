import { isLockError } from '@locks/core';
import type { Finding, FindingLevel } from '@locks/core/adapter';
import { messageOf, printable } from '@locks/core/text';
import { examine } from '../doctor/examine.ts';
import type { StoreReport } from '../doctor/examine.ts';
import { Failure, exitCode } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { bold, faint } from '../output/table.ts';
import { backendOf, findStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** Options of `locks doctor`. */
export interface DoctorOptions extends StoreOptions {
  /** A warning is a finding too, for the exit code. */
  readonly strict?: boolean | undefined;
}

/** The worst first. */
const levels: readonly FindingLevel[] = ['problem', 'warning', 'unknown', 'note', 'ok'];

/** Examines the settings of a store. Returns the exit code. */
export async function doctor({ strict, ...options }: DoctorOptions, output: Output): Promise<number> {
  const { shown } = await findStore(options);
  let reports: readonly StoreReport[];
  // Not every store keeps the process alive while it waits for an answer.
  const awake = setInterval(() => {}, 60_000);
  try {
    reports = await examine(await backendOf(options));
  } catch (error) {
    if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    throw new Failure(exitCode.unreachable, `${shown} cannot be reached. ${messageOf(error)}`, { cause: error });
  } finally {
    clearInterval(awake);
  }
  for (const report of reports) await printReport(report, shown, output);
  const all = reports.flatMap(({ findings }) => findings);
  if (!output.json) await output.print(`\n${summaryOf(all)}`, {});
  const bad = all.some(({ level }) => level === 'problem' || (strict === true && level === 'warning'));
  return bad ? exitCode.findings : 0;
}

async function printReport({ title, findings }: StoreReport, shown: string, output: Output): Promise<void> {
  // The findings about a nested composite are those of its members.
  if (title !== undefined && findings.length === 0) return;
  if (!output.json) await output.print(title === undefined ? bold(shown) : `\n${bold(title)}`, {});
  const sorted = findings.toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
  for (const finding of sorted) {
    const { check, level, what, advice } = finding;
    await output.print(textOf(finding), { ...(title && { store: title }), check, level, what, advice });
  }
}

function textOf({ check, level, what, advice }: Finding): string {
  const column = level.padEnd(8);
  const begin = `${level === 'problem' || level === 'warning' ? bold(column) : faint(column)} ${check}: `;
  const lines = [`${begin}${printable(what)}`];
  if (advice !== undefined) lines.push(`${' '.repeat(9)}→ ${printable(advice)}`);
  return lines.join('\n');
}

function summaryOf(findings: readonly Finding[]): string {
  const counts = levels.flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return count === 0 ? [] : [`${count} ${level}`];
  });
  return counts.join(', ');
}
