import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureProgram } from '@locks/test-servers';

const run = promisify(execFile);

const jars = [
  'curator-recipes',
  'curator-framework',
  'curator-client',
  'guava',
  'zookeeper',
  'zookeeper-jute',
  'slf4j-api',
  'slf4j-simple',
].map((name) => `/usr/share/java/${name}.jar`);
const kazooFolder = '/usr/lib/python3/dist-packages/kazoo';

/** How the peers are started; an address and the timeout of the session follow. */
export interface PeerPrograms {
  readonly curator: readonly string[];
  readonly kazoo: readonly string[];
}

/**
 * Compiles the peers into `folder`, which is new; installs what they need first where that is
 * harmless, else rejects with what to install.
 */
export async function preparePeers(): Promise<{
  readonly programs: PeerPrograms;
  readonly remove: () => Promise<void>;
}> {
  const python = await pythonWithKazoo();
  const javac = await ensureProgram(
    { binary: 'javac', debianPackage: 'default-jdk-headless', macos: 'brew install openjdk' },
    'zookeeper',
  );
  const java = await ensureProgram(
    {
      binary: 'java',
      needs: [jars[0] ?? ''],
      debianPackage: 'libcurator-recipes-java',
      macos: 'is not supported: Curator is looked for where Debian puts it',
    },
    'zookeeper',
  );
  const missing = jars.filter((jar) => !existsSync(jar));
  if (missing.length > 0) throw new Error(`Curator is installed, but not whole: there is no ${missing.join(', ')}`);
  const classes = await mkdtemp(join(tmpdir(), 'locks-test-curator-'));
  const classPath = [classes, ...jars].join(delimiter);
  // Once: the source would be compiled at each start, which takes a second.
  await run(javac, ['-Xlint:all,-path', '-Werror', '-cp', classPath, '-d', classes, sourceOf('CuratorPeer.java')]);
  return {
    programs: {
      curator: [
        java,
        '-XX:+UseSerialGC',
        '-XX:TieredStopAtLevel=1',
        '-XX:-UsePerfData',
        '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
        '-cp',
        classPath,
        'CuratorPeer',
      ],
      kazoo: [python, sourceOf('kazoo_peer.py')],
    },
    remove: () => rm(classes, { recursive: true, force: true }),
  };
}

function sourceOf(name: string): string {
  return fileURLToPath(new URL(`../peers/${name}`, import.meta.url));
}

/** The first `python3` of the path may be one that Debian's packages are not installed for. */
async function pythonWithKazoo(): Promise<string> {
  for (const python of ['python3', '/usr/bin/python3']) {
    try {
      await run(python, ['-c', 'import kazoo']);
      return python;
    } catch {
      continue;
    }
  }
  await ensureProgram(
    { binary: 'python3', needs: [kazooFolder], debianPackage: 'python3-kazoo', macos: 'pip3 install kazoo' },
    'zookeeper',
  );
  return '/usr/bin/python3';
}
