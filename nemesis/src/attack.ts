import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '@locks/command-line';
import { type NemesisResult, runNemesis } from '@locks/conformance/nemesis';
import type { NemesisTarget, Script } from '@locks/conformance/nemesis';
import type { Change } from './flawed/spoil.ts';
import { installPacked } from './install.ts';
import { createResults } from './matrix/results.ts';
import type { ListedTarget } from './targets/listed.ts';
import { targets } from './targets/index.ts';

/** How a target is attacked. */
export interface AttackOptions {
  readonly client?: string | undefined;
  readonly faults?: readonly string[] | undefined;
  readonly seconds: number;
  readonly seed: number;
  readonly workers?: number | undefined;
  readonly flows?: number | undefined;
  readonly shrink?: number | undefined;
  readonly replay?: string | undefined;
  /** Changes of one package. @default none */
  readonly flaw?: { readonly package: string; readonly changes: readonly Change[] };
  print(line: string): void;
}

/** Attacks a target in a separate application, and records what was run. */
export async function attack(name: string, options: AttackOptions): Promise<NemesisResult> {
  const { client, replay, flaw, ...shape } = options;
  const listed = targets[name] as ListedTarget;
  const application = realpathSync(mkdtempSync(join(tmpdir(), 'locks-nemesis-application-')));
  let stop = async (): Promise<void> => {};
  try {
    installPacked(application, { adapters: listed.adapters, clients: listed.modules, flaw });
    const running = await listed.start(application);
    stop = running.stop;
    const results = createResults(name, options.seed);
    const result = await runNemesis({
      ...shape,
      target: client === undefined ? running.target : openedBy(client, running.target),
      replay: replay === undefined ? undefined : (JSON.parse(readFileSync(replay, 'utf8')) as Script),
      program: join(application, 'node_modules/@locks/conformance/dist/bundle/nemesis-worker.js'),
      cwd: application,
      onRound: results.add,
    });
    const { failure } = result;
    if (failure !== undefined) writeFileSync(join(failure.folder, 'servers.txt'), await running.log());
    // Results of a spoilt package are not those of the packages.
    if (flaw === undefined) results.write(failure?.round.violations[0]?.message);
    return result;
  } finally {
    await stop();
    rmSync(application, { recursive: true, force: true });
  }
}

/** `target`, with the openings of one client. */
function openedBy(client: string, target: NemesisTarget): NemesisTarget {
  const opening = target.openings[client];
  const known = Object.keys(target.openings).join(', ');
  if (opening === undefined) throw new UsageError(`Option --client of ${target.name} must be one of ${known}.`);
  return { ...target, openings: { [client]: opening } };
}
