import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pack, unpack } from './pack.ts';
import { root } from './repository.ts';
import { start } from './running.ts';
import type { Running } from './running.ts';

/** A copy of an example outside of the repository. */
export interface ExampleCopy {
  readonly folder: string;
  /** Runs Node with `args` in the folder. Its temporary files are beside the copy. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Running;
}

export interface ExampleCopies {
  /** Copies the example, with the packages that its `package.json` names and no others. */
  copy(name: string): ExampleCopy;
  /** Copies it without its packages. */
  bare(name: string): ExampleCopy;
  /** Our packed packages, by name. */
  readonly tarballs: ReadonlyMap<string, string>;
  /** Ends what runs, and removes everything. */
  remove(): Promise<void>;
}

/** What the examples install of ours. */
const packed = ['composites', 'core', 'nestjs', 'redis', 'sql'].map((name) => `packages/${name}`);

/** Packs our packages once for all copies. */
export function createExampleCopies(): ExampleCopies {
  const parent = mkdtempSync(join(tmpdir(), 'locks-examples-'));
  const tarballs = pack(packed, join(parent, 'packed'));
  const all: Running[] = [];

  function bare(name: string): ExampleCopy {
    const folder = join(parent, name);
    const temporary = join(parent, `${name}-tmp`);
    mkdirSync(temporary);
    cpSync(join(root, 'examples', name), folder, { recursive: true, filter: isSource });
    return {
      folder,
      start(args, env = {}) {
        const running = start(args, { cwd: folder, env: { TMPDIR: temporary, ...env } });
        all.push(running);
        return running;
      },
    };
  }

  function copy(name: string): ExampleCopy {
    const example = bare(name);
    for (const dependency of dependenciesOf(example.folder)) {
      const target = join(example.folder, 'node_modules', dependency);
      const tarball = tarballs.get(dependency);
      mkdirSync(dirname(target), { recursive: true });
      if (tarball !== undefined) unpack(tarball, target);
      else if (dependency.startsWith('@locks/'))
        throw new Error(`${name} needs ${dependency}, which is not packed here.`);
      // A registry may be out of reach: `npm ci` has installed it for the workspace.
      else symlinkSync(installed(dependency, join(root, 'examples', name)), target, 'dir');
    }
    return example;
  }

  return {
    copy,
    bare,
    tarballs,
    async remove() {
      await Promise.all(all.map((running) => running.end('SIGKILL')));
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What a run, an installation or a build leaves is not copied. */
function isSource(path: string): boolean {
  return !/^(?:node_modules|dist|\.cache|phase|counter|.*\.db(?:-\w+)?)$/.test(basename(path));
}

function dependenciesOf(folder: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies);
}

/** Where the package is that `from` finds by that name. */
function installed(name: string, from: string): string {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return folder;
  if (dirname(from) === from) throw new Error(`The package ${name} is not installed. Run: npm ci`);
  return installed(name, dirname(from));
}
