import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** The origin of the figures. */
export interface Environment {
  readonly node: string;
  readonly platform: string;
  readonly cpus: number;
  readonly cpu: string;
  /** Versions of the compared libraries. */
  readonly versions: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly quick: boolean;
}

export function readEnvironment(seed: number, quick: boolean): Environment {
  const all = cpus();
  return {
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    cpus: all.length,
    cpu: all[0]?.model.trim() ?? 'unknown',
    versions: readVersions(),
    seed,
    quick,
  };
}

export function describeEnvironment({ node, platform, cpus: count, cpu, versions, seed }: Environment): string {
  const peers = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `Node ${node}, ${count} × ${cpu} (${platform}), seed ${seed}\n${peers.join(', ')}`;
}

function readVersions(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  // Type-only dependencies are not compared.
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => !name.startsWith('@types/')));
}
