// Mutation testing: npm run stryker. Everything is mutated but the testing module, which is used by
// tests only. Reports are in .cache/stryker; a run uses the results of an earlier one, as long as
// neither source nor tests have changed.
export default {
  packageManager: 'npm',
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.stryker.config.ts', related: false },
  mutate: ['src/**/*.ts', '!src/testing/**'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  // All tests together take about a second; a mutant that takes longer than this and half as much
  // again does not end.
  timeoutMS: 2_000,
  incremental: true,
  incrementalFile: '.cache/stryker/incremental.json',
  tempDirName: '.cache/stryker/sandbox',
  // In the sandbox its paths would be wrong; Stryker corrects them with an interface that
  // TypeScript 7 does not have.
  tsconfigFile: 'none',
  ignorePatterns: ['dist', '.cache', 'tsconfig.json', 'test/tsconfig.json'],
  reporters: ['clear-text', 'json', 'html'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: '.cache/stryker/report.json' },
  htmlReporter: { fileName: '.cache/stryker/report.html' },
  thresholds: { high: 95, low: 90, break: 90 },
};
