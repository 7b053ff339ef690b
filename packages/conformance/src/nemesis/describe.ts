import { excerptOf } from '@locks/core/testing';
import type { Fault, Script, Turn } from './script.ts';
import type { Figures } from './round/figures.ts';
import type { Round } from './round/run-script.ts';
import { lengthOf } from './shrink-script.ts';

/** How many violations are printed. */
const printed = 10;
/** How many of them are printed with their lines of the history. */
const excerpted = 2;

/** A script in lines. */
export function describeScript(script: Script): string {
  const { seed, length, workers, faults } = script;
  return [
    `script of ${lengthOf(script)} turns and faults, ${inSeconds(length)}, seed ${seed}`,
    ...workers.flatMap(({ opening, settings, flows }, slot) => [
      `  worker ${slot} opens "${opening}"${textOf(settings)}`,
      ...flows.map((turns, index) => `    flow ${index}: ${turns.map(describeTurn).join('; ') || 'nothing'}`),
    ]),
    ...faults.map(describeFault),
  ].join('\n');
}

function describeTurn({ key, mode, how, hold, think, wait, ...others }: Turn): string {
  const shown = wait === undefined ? others : { wait, ...others };
  return `${how}("${key}", ${mode}) for ${hold} ms${textOf(shown)}${think > 0 ? `, ${think} ms after the last` : ''}`;
}

function describeFault({ kind, at, duration, worker, server, ...others }: Fault): string {
  const whose = worker === undefined ? `server ${server ?? 0}` : `worker ${worker}`;
  const link = worker !== undefined && server !== undefined ? ` to server ${server}` : '';
  return `  after ${inSeconds(at)}: ${kind} of ${whose}${link} for ${duration} ms${textOf(others)}`;
}

function textOf(values: object): string {
  const entries = Object.entries(values);
  return entries.length === 0
    ? ''
    : ` (${entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')})`;
}

/** The figures of some rounds, in lines. */
export function describeFigures(rounds: readonly Figures[]): string {
  const sum = (read: (figures: Figures) => number): number => rounds.reduce((all, each) => all + read(each), 0);
  const most = (read: (figures: Figures) => number): number =>
    rounds.reduce((all, each) => Math.max(all, read(each)), 0);
  const list = (read: (figures: Figures) => Readonly<Record<string, number>>): string => {
    const names = new Set(rounds.flatMap((figures) => Object.keys(read(figures))));
    return [...names].map((name) => `${name} ${sum((figures) => read(figures)[name] ?? 0)}`).join(', ') || 'none';
  };
  return [
    `  calls       ${sum(({ calls }) => calls)}; ${sum(({ grants }) => grants)} grants, of which ${sum(({ calmGrants }) => calmGrants)} in calm`,
    `  waits       longest ${Math.round(most(({ longestWait }) => longestWait))} ms, in calm ${Math.round(most(({ longestCalmWait }) => longestCalmWait))} ms`,
    `  writes      ${sum(({ writes }) => writes)} accepted, ${sum(({ refusedWrites }) => refusedWrites)} stale ones refused`,
    `  faults      ${list(({ faults }) => faults)}`,
    `  leases lost ${sum(({ lost }) => lost)}`,
    `  failures    ${list(({ failures }) => failures)}`,
    `  heap        ${most(({ largestHeap }) => largestHeap).toFixed(1)} MiB at most at the end`,
  ].join('\n');
}

/** The violations of a round, in lines, with the shortest excerpts that show them. */
export function describeViolations({ violations, history }: Round): string {
  const lines = violations.slice(0, printed).map(({ rule, message }) => `  ${rule}: ${message}`);
  if (violations.length > printed) lines.push(`  and ${violations.length - printed} more`);
  return [...lines, ...violations.slice(0, excerpted).map((violation) => excerptOf(history, violation))].join('\n');
}

/** `ms` for people. */
export function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
