import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureProgram } from '@locks/test-servers';
import type { Program } from '@locks/test-servers';

const run = promisify(execFile);

export const curator = 'Curator';
export const kazoo = 'kazoo';

/** The lock libraries in other languages. */
export const peerNames: readonly string[] = [curator, kazoo];

/** The sources of the programs, which no compiler copies to `dist`. */
const sources = fileURLToPath(new URL('../../src/zookeeper/peers', import.meta.url));

/** How to start the peers. */
export interface PeerPrograms extends AsyncDisposable {
  /**
   * Command lines by the name of the subject; they lack the server, and the timeout of the session.
   */
  readonly commands: ReadonlyMap<string, readonly string[]>;
  /** Of the peers and of what they run on. */
  readonly versions: Readonly<Record<string, string>>;
}

interface Prepared {
  readonly command: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
}

const preparations: Readonly<Record<string, (folder: string) => Promise<Prepared>>> = {
  [curator]: prepareCurator,
  [kazoo]: prepareKazoo,
};

/**
 * Prepares those of `names` that are separate programs. Rejects with what to install when something
 * is missing.
 */
export async function preparePeers(names: readonly string[]): Promise<PeerPrograms> {
  const folder = await mkdtemp(join(tmpdir(), 'locks-benchmarks-'));
  const end = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const commands = new Map<string, readonly string[]>();
  const versions = new Map<string, string>();
  try {
    for (const [name, prepare] of Object.entries(preparations)) {
      if (!names.includes(name)) continue;
      const prepared = await prepare(folder);
      commands.set(name, prepared.command);
      for (const [what, version] of Object.entries(prepared.versions)) versions.set(what, version);
    }
  } catch (error) {
    await end();
    throw error;
  }
  return { commands, versions: Object.fromEntries(versions), [Symbol.asyncDispose]: end };
}

const jars = '/usr/share/java';
const recipes = join(jars, 'curator-recipes.jar');

async function prepareCurator(folder: string): Promise<Prepared> {
  const javac = await need(curator, { binary: 'javac', debianPackage: 'default-jdk-headless', macos: '' });
  const library: Program = { binary: 'java', needs: [recipes], debianPackage: 'libcurator-recipes-java', macos: '' };
  const java = await need(curator, library);
  // The first jar names the others that it needs. Nothing is logged.
  const classPath = [recipes, join(jars, 'slf4j-nop.jar')].join(delimiter);
  await run(javac, ['-cp', classPath, '-d', folder, join(sources, 'CuratorPeer.java')]);
  const { stderr } = await run(java, ['-version']);
  // Beside each jar there is a link that has its version in its name.
  const versions = (await readdir(jars)).map((name) => /^curator-recipes-([\d.]+)\.jar$/.exec(name)?.[1]);
  return {
    command: [java, '-cp', [folder, classPath].join(delimiter), 'CuratorPeer'],
    versions: {
      curator: versions.find((version) => version !== undefined) ?? 'unknown',
      java: /"([^"]+)"/.exec(stderr)?.[1] ?? 'unknown',
    },
  };
}

/** Debian's, which is not the first in every `PATH`. */
const systemPython = '/usr/bin/python3';

async function prepareKazoo(): Promise<Prepared> {
  let found = (await kazooOf('python3')) ?? (await kazooOf(systemPython));
  if (found === undefined) {
    const needs = ['/usr/lib/python3/dist-packages/kazoo'];
    await need(kazoo, { binary: 'python3', needs, debianPackage: 'python3-kazoo', macos: '' });
    found = await kazooOf(systemPython);
  }
  if (found === undefined) throw new Error(`${systemPython} has no kazoo although it is installed`);
  return { command: [found.python, join(sources, 'kazoo_peer.py')], versions: found.versions };
}

async function kazooOf(python: string): Promise<{ python: string; versions: Record<string, string> } | undefined> {
  const script = 'import kazoo.version, platform; print(kazoo.version.__version__, platform.python_version())';
  try {
    const [version = '', of = ''] = (await run(python, ['-c', script])).stdout.trim().split(' ');
    return { python, versions: { kazoo: version, python: of } };
  } catch {
    return undefined;
  }
}

/** The path of a program, installed where that is harmless. */
async function need(name: string, program: Program): Promise<string> {
  try {
    return await ensureProgram(program, 'zookeeper');
  } catch (error) {
    throw new Error(
      `${name} is measured too, but cannot run here. Install what it needs (Debian, Ubuntu: "sudo apt-get install ${program.debianPackage}"), ` +
        'or say with --subjects which peers to measure',
      { cause: error },
    );
  }
}
