import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError, runProgram } from '@locks/command-line';
import { runNemesis } from '@locks/conformance/nemesis';
import type { NemesisTarget, Script } from '@locks/conformance/nemesis';
import { type Options, help, readCommandLine } from './command-line.ts';
import { installPacked } from './install.ts';
import type { ListedTarget, StartedTarget } from './targets/listed.ts';
import { targets } from './targets/index.ts';

async function main(options: Options): Promise<boolean> {
  if (options.stores === 'list') return list();
  const [only, ...others] = options.stores;
  if (only !== undefined && others.length === 0) return await attack(only, options);
  const rest = [...options.stores];
  let fine = true;
  const takeNext = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) fine = (await delegate(next)) && fine;
  };
  // Most of a run is waiting.
  await Promise.all([takeNext(), takeNext()]);
  return fine;
}

/** In a process of its own, for its proxies must not wait for what another run computes. */
async function delegate(store: string): Promise<boolean> {
  const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--store', store]);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

async function attack(store: string, options: Options): Promise<boolean> {
  const { stores: _, client, replay, ...shape } = options;
  const definition = targets[store] as ListedTarget;
  return await withRunning(definition, async ({ target, log }, application) => {
    const { failure } = await runNemesis({
      ...shape,
      target: client === undefined ? target : openedBy(client, target),
      replay: replay === undefined ? undefined : (JSON.parse(readFileSync(replay, 'utf8')) as Script),
      program: join(application, 'node_modules/@locks/conformance/dist/bundle/nemesis-worker.js'),
      cwd: application,
      print: (line) => print(line.replaceAll(/^/gm, process.channel !== undefined ? `${store}: ` : '')),
    });
    if (failure !== undefined) writeFileSync(join(failure.folder, 'servers.txt'), await log());
    return failure === undefined;
  });
}

/** `target`, with the openings of one client. */
function openedBy(client: string, target: NemesisTarget): NemesisTarget {
  const opening = target.openings[client];
  const known = Object.keys(target.openings).join(', ');
  if (opening === undefined) throw new UsageError(`Option --client of ${target.name} must be one of ${known}.`);
  return { ...target, openings: { [client]: opening } };
}

/** Makes an application with what `definition` needs, and starts that; at the end both are gone. */
async function withRunning(
  definition: ListedTarget,
  work: (running: StartedTarget, application: string) => Promise<boolean>,
): Promise<boolean> {
  const application = realpathSync(mkdtempSync(join(tmpdir(), 'locks-nemesis-application-')));
  let running: StartedTarget | undefined;
  try {
    installPacked(application, { adapters: definition.adapters, clients: definition.modules });
    running = await definition.start(application);
    return await work(running, application);
  } finally {
    await running?.stop();
    rmSync(application, { recursive: true, force: true });
  }
}

function list(): boolean {
  for (const { name, store, topology, composite, clients, faults } of Object.values(targets)) {
    print(`${name}: ${[composite, store, topology].filter(Boolean).join(', ')}`);
    print(`  clients ${clients.join(', ')}; faults of servers ${Object.keys(faults).join(', ')}`);
  }
  return true;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

// Servers and workers end with this process when it ends in order, and so do the runs of `all`.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await runProgram(
  help,
  (args) => readCommandLine(args, Object.keys(targets)),
  async (options) => {
    if (!(await main(options))) process.exitCode = 1;
  },
);
