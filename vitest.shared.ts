import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultExclude, defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration, ViteUserConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** What a project of tests may set. */
export type Options = NonNullable<TestProjectInlineConfiguration['test']>;

/**
 * The tests of a package, as projects of vitest: `npm test` runs those called `test:…`, `npm run test:long` those called
 * `long:…`.
 */
export interface PackageTests {
  /** For all of them. */
  readonly options?: Options;
  /** By the first half of the name. @default `test`, and `long` for the files called `*.long.test.ts` */
  readonly projects?: Readonly<Record<string, Options>>;
}

const long = 'test/**/*.long.test.ts';

/** The usual two projects. `others` are the files that belong to neither. */
export function usual(others: readonly string[] = []): Readonly<Record<'test' | 'long', Options>> {
  return {
    test: { exclude: [...defaultExclude, long, ...others] },
    long: { include: [long], exclude: [...defaultExclude, ...others] },
  };
}

/** Tests mostly wait. With more workers a core has more to do than it can, and waits become longer. */
const sideBySide: Options = { maxWorkers: 3 * availableParallelism(), sequence: { groupOrder: 0 } };
/** Those that take long have more servers for each worker. */
const fewer: Options = { maxWorkers: 2 * availableParallelism(), sequence: { groupOrder: 1 } };

/** The configuration of the package whose `vitest.config.ts` has the address `url`. */
export function packageTests(url: string, { options = {}, projects = usual() }: PackageTests = {}): ViteUserConfig {
  const root = fileURLToPath(new URL('.', url));
  return together(
    Object.entries(projects).map(([kind, own]) => ({
      root,
      test: {
        include: ['test/**/*.test.ts'],
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
  return defineConfig({ test: { projects, sequence: { sequencer: LongestFirst } } });
}

/** Starts the files that take longest first: a run should not end with one of them alone. */
class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = [...files];
    sorted.sort((a, b) => expected(b) - expected(a));
    return Promise.resolve(sorted);
  }
}

/** In ms. */
function expected({ moduleId }: TestSpecification): number {
  // Such a file is one line, and checks every requirement.
  if (moduleId.includes('conformance')) return 60_000;
  // Other files take about 1 s for each kB.
  return statSync(moduleId).size;
}
