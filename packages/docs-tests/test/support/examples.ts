import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Program } from './programs.ts';
import { root } from './repository.ts';

/** A program that was compiled. */
export interface Compiled {
  /** What the compiler says, as `page:line: message`; empty when all is well. */
  readonly problems: readonly string[];
  /** The JavaScript that came of it. */
  readonly path: string;
}

/** How a process ended. */
export interface Outcome {
  /** `undefined`: it did not end within the limit. */
  readonly exitCode: number | undefined;
  readonly output: string;
}

const compilerOptions = {
  rootDir: 'source',
  outDir: 'out',
  composite: false,
  declaration: false,
  declarationMap: false,
  isolatedDeclarations: false,
  allowJs: true,
  checkJs: false,
  // What a reader would not write otherwise.
  noUnusedLocals: false,
  noUnusedParameters: false,
  noPropertyAccessFromIndexSignature: false,
};

/**
 * Writes the programs below `folder`, which must be inside this workspace so that `@locks/*`
 * resolves, and compiles them all at once. Rejects when the compiler fails otherwise than by an
 * error in a program.
 */
export async function compile(programs: readonly Program[], folder: string): Promise<ReadonlyMap<Program, Compiled>> {
  rmSync(folder, { recursive: true, force: true });
  const sources = new Map(programs.map((program) => [join(folderOf(program), program.file), program]));
  for (const [path, program] of sources) {
    const target = join(folder, 'source', path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, program.source);
  }
  const extended = join(relative(folder, root), 'tsconfig.base.json');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: extended, compilerOptions, include: ['source'] }),
  );

  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const { exitCode, output } = await runNode([join(typescript, 'bin/tsc'), '-p', folder, '--pretty', 'false'], {
    limit: 60_000,
    cwd: folder,
  });
  const problems = readDiagnostics(output, sources);
  if (exitCode !== 0 && problems.size === 0) throw new Error(`tsc ended with ${exitCode}:\n${output}`);
  const compiled = [...sources].map(([path, program]): [Program, Compiled] => {
    return [
      program,
      { problems: problems.get(program) ?? [], path: join(folder, 'out', path.replace(/\.ts$/, '.js')) },
    ];
  });
  return new Map(compiled);
}

/** Runs Node with `args`; ends it with SIGKILL after `limit` ms. */
export async function runNode(
  args: readonly string[],
  {
    limit,
    cwd = root,
    env = {},
  }: { readonly limit: number; readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const child = spawn(process.execPath, args, {
    cwd,
    // Not for the test runner's own settings: they change how programs behave.
    env: { ...process.env, NODE_OPTIONS: undefined, NODE_ENV: undefined, VITEST: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      output += chunk;
    });
  }
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, limit);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { exitCode: late ? undefined : (exitCode ?? -1), output };
}

function folderOf({ page }: Program): string {
  return page.replaceAll(/[^\w.-]+/g, '--');
}

function readDiagnostics(output: string, sources: ReadonlyMap<string, Program>): Map<Program, string[]> {
  const problems = new Map<Program, string[]>();
  let latest: string[] | undefined;
  for (const line of output.split('\n')) {
    const [, path = '', at, message] = /^source\/(.+?)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    const program = sources.get(path);
    if (program === undefined) {
      // The lines that go on explaining are indented.
      if (line.startsWith(' ')) latest?.push(line);
      continue;
    }
    latest = problems.get(program) ?? [];
    latest.push(`${program.page}:${at}: ${message}`);
    problems.set(program, latest);
  }
  return problems;
}
