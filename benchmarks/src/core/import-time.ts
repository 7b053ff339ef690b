import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { now } from '../measure/clock.ts';
import { shuffle } from '../measure/random.ts';
import type { Rotation } from '../measure/rotation.ts';
import type { Result } from '../results.ts';
import { median } from '../measure/statistics.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The imports, each by a separate module that imports nothing else. */
const imported: Readonly<Record<string, string | undefined>> = {
  'bare Node': undefined,
  '@locks/core': '@locks/core',
  '@locks/redis': '@locks/redis',
  '@verrou/core': '@verrou/core',
  'redis-semaphore': 'redis-semaphore',
};

/** The lifetime of a process that only imports a package, less that of one that imports nothing. */
export function measureImportTime({ rounds, random }: Rotation): Result[] {
  const names = Object.keys(imported);
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of shuffle(names, random)) {
      const took = timeOf(imported[name]);
      if (round > 0) times.get(name)?.push(took);
    }
  }
  const bare = times.get('bare Node') ?? [];
  return names.map((name) => {
    const differences = (times.get(name) ?? []).map((took, round) => took - (bare[round] ?? Number.NaN));
    return {
      scenario: 'core/import',
      subject: name,
      importTime: name === 'bare Node' ? median(bare) : median(differences),
    };
  });
}

function timeOf(specifier: string | undefined): number {
  const code = specifier === undefined ? 'export {};' : `import ${JSON.stringify(specifier)};`;
  const start = now();
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: here,
    encoding: 'utf8',
  });
  const took = now() - start;
  if (status !== 0) throw new Error(`import ${specifier} failed: ${stderr}`);
  return took;
}
