import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timelineOf } from '../history/timeline.ts';
import { now } from './clock.ts';
import { describeFigures, describeScript, describeViolations, inSeconds } from './describe.ts';
import { type DrawOptions, drawScript } from './draw/draw-script.ts';
import type { Figures } from './round/figures.ts';
import { type Round, type RunOptions, runScript } from './round/run-script.ts';
import type { Script } from './script.ts';
import { lengthOf, ofKeys, shortened, shrinkScript } from './shrink-script.ts';
import type { NemesisTarget } from './target.ts';

/** How a target is attacked. */
export interface NemesisOptions extends Omit<DrawOptions, 'length'>, Pick<RunOptions, 'program' | 'cwd'> {
  /** The store, and the ways to open locks on it. */
  readonly target: NemesisTarget;
  /** How long rounds are run. @default 60 */
  readonly seconds?: number | undefined;
  /** @default a random one, which is printed */
  readonly seed?: number | undefined;
  /** Repeats this script instead of drawing. @default none */
  readonly replay?: Script | undefined;
  /** How long a failure is shrunk, in seconds; 0: not at all. @default 300 */
  readonly shrink?: number | undefined;
  /** Called after each round. @default nothing is recorded */
  readonly onRound?: (script: Script, round: Round) => void;
  /** Called with each line. @default nothing is printed */
  readonly print?: (line: string) => void;
}

/** The result of an attack. */
export interface NemesisResult {
  /** The numbers of each. */
  readonly rounds: readonly Figures[];
  /** The round that violated a guarantee; it is the last one. */
  readonly failure?: NemesisFailure;
}

/** A round that violated a guarantee. */
export interface NemesisFailure {
  /** The result of the round. */
  readonly round: Round;
  /** From the begin of the first round to the violation, in ms. */
  readonly foundAfter: number;
  /** The drawn script. */
  readonly drawn: Script;
  /** The shortest script found that violates the same guarantee. */
  readonly script: Script;
  /** The folder with `script.json`, `timeline.html` and the logs of the round. */
  readonly folder: string;
}

/** In ms. A shorter run has one round. */
const roundLength = 20_000;
/** The least time after the faults of a round, in ms. */
const afterwards = 3_000;
/** How long a candidate may take to fail again, in ms. The cause may be earlier than its effect. */
const again = 3_000;

/**
 * Attacks `target` round by round until the time ends or a guarantee is violated. A failure is
 * shrunk to a short script. Prints its progress. Rejects where a server of the target fails.
 */
export async function runNemesis(options: NemesisOptions): Promise<NemesisResult> {
  const { target, seconds = 60, replay, print = () => {}, shrink = 300 } = options;
  const seed = options.seed ?? 1 + Math.floor(Math.random() * 1e6);
  const begun = now();
  const end = begun + seconds * 1_000;
  const rounds: Figures[] = [];
  print(`${target.name}, seed ${replay?.seed ?? seed}`);
  for (let number = 0; number === 0 || end - now() > roundLength / 2 + afterwards; number += 1) {
    const length = Math.max(1_000, Math.min(roundLength, end - now() - afterwards));
    const drawn = replay ?? drawScript(seed + number, target, { ...options, length: Math.round(length) });
    const folder = makeFolder(target.name);
    const round = await runScript(drawn, target, { ...options, folder });
    rounds.push(round.figures);
    options.onRound?.(drawn, round);
    if (round.violations.length > 0) {
      const { at } = round.violations[0] as (typeof round.violations)[0];
      const foundAfter = at - begun;
      print(`violations after ${inSeconds(foundAfter)}, in round ${number + 1}`);
      print(describeFigures([round.figures]));
      print(describeViolations(round));
      writeFileSync(join(folder, 'timeline.html'), timelineOf(round.history, round.violations));
      const own = shortened(drawn, Math.min(drawn.length, Math.max(again, at - round.begun + again / 2)));
      const keys = keysOf(round);
      const begins = [...(keys.size > 0 ? [ofKeys(own, keys)] : []), own, drawn];
      const script = shrink > 0 ? await shrunk(round, begins, { ...options, print, shrink }) : drawn;
      writeFileSync(join(folder, 'script.json'), `${JSON.stringify(script, undefined, 2)}\n`);
      print(describeScript(script));
      print(`script.json, timeline.html and logs: ${folder}`);
      return { rounds, failure: { round, foundAfter, drawn, script, folder } };
    }
    rmSync(folder, { recursive: true, force: true });
  }
  print(`${rounds.length} rounds in ${inSeconds(now() - begun)}, no violation`);
  print(describeFigures(rounds));
  return { rounds };
}

type Shrinking = NemesisOptions & { readonly print: (line: string) => void; readonly shrink: number };

/** The shortest script found, from the first of `begins` that fails again. */
async function shrunk(round: Round, begins: readonly Script[], options: Shrinking): Promise<Script> {
  const { target, print, shrink } = options;
  const rules = new Set(round.violations.map(({ rule }) => rule));
  const brief = !['liveness', 'leftovers', 'processes'].some((rule) => rules.has(rule as 'liveness'));
  const end = now() + shrink * 1_000;
  const fails = async (candidate: Script): Promise<boolean> => {
    const folder = makeFolder(target.name);
    try {
      const { violations } = await runScript(candidate, target, { ...options, folder, brief });
      const failed = violations.some(({ rule }) => rules.has(rule));
      if (failed) print(`  fails with ${lengthOf(candidate)} turns and faults in ${inSeconds(candidate.length)}`);
      return failed;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  for (const begin of begins) {
    for (let attempt = 0; attempt < 2 && now() < end; attempt += 1) {
      if (await fails(begin)) return await shrinkScript(begin, fails, { seconds: (end - now()) / 1_000 });
    }
  }
  print('  it did not fail again');
  return begins.at(-1) as Script;
}

/** The keys of the first violation. */
function keysOf({ history, violations }: Round): ReadonlySet<string> {
  const ids = new Set(violations[0]?.ids);
  return new Set(history.flatMap((event) => ('key' in event && 'id' in event && ids.has(event.id) ? [event.key] : [])));
}

function makeFolder(name: string): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `locks-nemesis-${name.replaceAll(/\W+/g, '-')}-`)));
}
