import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultExclude, defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration, ViteUserConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** What a project of tests may set. */
export type Options = NonNullable<TestProjectInlineConfiguration['test']>;

/**
 * The tests of a package, as projects of vitest: `npm test` runs those called `test:…`, `npm run
 * test:all` those called `long:…` too, and once a week those called `matrix:…`.
 */
export interface PackageTests {
  /** For all of them. */
  readonly options?: Options;
  /**
   * By the first half of the name. @default `matrix` for the files in folders of that name, `long`
   * for those called `*.long.test.ts`, `test` for the others
   */
  readonly projects?: Readonly<Record<string, Options>>;
  /** What imports mean, by their text. @default what the packages say */
  readonly alias?: Readonly<Record<string, string>>;
}

const long = 'test/**/*.long.test.ts';
const matrix = 'test/**/matrix/*.test.ts';

/** The usual projects. `others` are the files that belong to none of them. */
export function usual(others: readonly string[] = []): Readonly<Record<'test' | 'long' | 'matrix', Options>> {
  const exclude = [...defaultExclude, ...others];
  return {
    test: { exclude: [...exclude, long, matrix] },
    long: { include: [long], exclude: [...exclude, matrix] },
    matrix: { include: [matrix], exclude },
  };
}

/**
 * Whether this machine takes long to start a process, as a virtual machine within another one does.
 * There each connection of a database costs ten times as much of a core, and tests wait for cores.
 */
function startsSlowly(): boolean {
  const times = Array.from({ length: 5 }, () => {
    const begun = performance.now();
    spawnSync('true');
    return performance.now() - begun;
  });
  return times.filter((time) => time > 6).length > 2;
}

/**
 * Tests mostly wait. With more workers a core has more to do than it can, and waits become longer.
 * With fewer, cores stand idle: four for each use 90 % of them, two 80 %.
 */
const cores = startsSlowly() ? availableParallelism() / 2 : availableParallelism();
const sideBySide: Options = { maxWorkers: Math.ceil(4 * cores), sequence: { groupOrder: 0 } };
/** Those that take long have more servers and processes for each worker, and measure more times. */
const fewer: Options = { maxWorkers: Math.ceil(2.5 * cores), sequence: { groupOrder: 1 } };

/** The configuration of the package whose `vitest.config.ts` has the address `url`. */
export function packageTests(
  url: string,
  { options = {}, projects = usual(), alias = {} }: PackageTests = {},
): ViteUserConfig {
  const root = fileURLToPath(new URL('.', url));
  return together(
    Object.entries(projects).map(([kind, own]) => ({
      root,
      resolve: { alias },
      test: {
        include: ['test/**/*.test.ts'],
        // Files of a package share a process: to start one and to load the packages takes 0.5 s of
        // a core, which is more than most files need.
        isolate: false,
        ...(kind.startsWith('test') ? sideBySide : fewer),
        ...options,
        ...own,
        name: `${kind}:${basename(root)}`,
      },
    })),
  );
}

/** All `projects` side by side, in the workers of one run. */
export function together(projects: NonNullable<NonNullable<ViteUserConfig['test']>['projects']>): ViteUserConfig {
  copyServers();
  return defineConfig({ test: { projects, sequence: { sequencer: LongestFirst } } });
}

/** A database fills its data folder once in a run: that takes 2 s of a core. Others copy it. */
function copyServers(): void {
  if (process.env['LOCKS_TEST_COPIES'] !== undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'locks-test-copies-'));
  process.env['LOCKS_TEST_COPIES'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/**
 * Starts the files that take longest first: a run should not end with one of them alone. Packages
 * take turns, as some wait and some compute. The others come one package after the other: a process
 * is used again only by the next file of its package.
 */
class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byPackage = new Map<string, TestSpecification[]>();
    for (const file of longestFirst(files)) {
      const { name } = file.project;
      byPackage.set(name, [...(byPackage.get(name) ?? []), file]);
    }
    const first = [...byPackage.values()].flatMap((some) =>
      some.filter((file) => expected(file) >= 20_000).map((file, round) => ({ file, round })),
    );
    first.sort((a, b) => a.round - b.round || expected(b.file) - expected(a.file));
    return Promise.resolve([...new Set([...first.map(({ file }) => file), ...[...byPackage.values()].flat()])]);
  }

  /** Parts that take about as long as each other: the files are dealt to them in turns. */
  override shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    return Promise.resolve(longestFirst(files).filter((_, place) => place % count === index - 1));
  }
}

function longestFirst(files: readonly TestSpecification[]): readonly TestSpecification[] {
  const sorted = [...files];
  sorted.sort((a, b) => expected(b) - expected(a) || (a.moduleId < b.moduleId ? -1 : 1));
  return sorted;
}

/** What the size of a file does not show: the seconds that some need, as measured. */
const measured: readonly (readonly [path: RegExp, seconds: number])[] = [
  // Many requirements wait for a session to end.
  [/zookeeper\/test\/conformance\//, 120],
  [/zookeeper\/test\/faults\//, 60],
  // etcd waits for its disk.
  [/etcd\/test\/(conformance|faults)\//, 120],
  // Many events wait for a failover, or for a lease to end.
  [/\/topologies\/.*(losses|failover|moved-masters)/, 60],
  // They go to several stores, one after the other.
  [/docs-tests\/test\/(migrating|objects|once|jobs|load|storm|examples)/, 60],
  [/custom-provider\/test\/conformance/, 80],
  [/demo\/test\/.*\.long\./, 20],
  // It installs packages, and bundles applications.
  [/docs-tests\/test\/modules\//, 100],
  [/\/test\/(etag|record)\//, 150],
  // Such a file is one line, and checks every requirement.
  [/\/test\/.*conformance\//, 60],
  [/conformance\/test\/(combine|faults|flawed|memory|processes)/, 30],
  [/composites\/test\/.*\/(ordered-queues|quorum-protocol|migration-protocol)\./, 30],
  [/test-servers\/test\/(mariadb|postgres|redis|zookeeper)\./, 50],
  // Each test starts processes, and some wait for a failover.
  [/cli\/test\/(doctor|run)\/.*\.long\.|cli\/test\/run\//, 40],
  [
    /redis\/test\/(connect\/(refused|network|asked)|locks\/(restart-guard|assignment\/flaws)|options\/libraries|quorum\/lease-outlives)/,
    30,
  ],
  [/sql\/test\/.*(faults|sessions|frozen-server|statements)\.long\./, 35],
  [/sql\/test\/databases\/(assignment|differential|fence)\./, 35],
];

/** How long a file takes, in ms. */
function expected({ moduleId }: TestSpecification): number {
  const [, seconds] = measured.find(([path]) => path.test(moduleId)) ?? [];
  // Other files take about 1 s for each kB.
  return seconds === undefined ? statSync(moduleId).size : seconds * 1_000;
}
