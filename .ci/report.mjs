// A reporter of vitest: writes the count, each failure, and each error outside of tests, which
// vitest's JSON report omits, to a file of its own in the folder LOCKS_TEST_REPORTS.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const text = (errors) =>
  errors
    .map(({ stack, name, message, diff }) => `${stack ?? `${name}: ${message}`}\n${diff ?? ''}`.trimEnd())
    .join('\n');

export default class Report {
  onTestRunEnd(modules, unhandled) {
    const folder = process.env.LOCKS_TEST_REPORTS;
    if (folder === undefined) return;
    const failures = unhandled.map((error) => ({
      name: `outside of tests, near ${error.VITEST_TEST_PATH ?? 'no test'} ${error.VITEST_TEST_NAME ?? ''}`.trimEnd(),
      message: text([error]),
    }));
    let passed = 0;
    for (const module of modules) {
      const path = relative('.', module.moduleId);
      if (module.errors().length > 0) failures.push({ name: path, message: text(module.errors()) });
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0) {
          failures.push({ name: `${path} > ${suite.fullName}`, message: text(suite.errors()) });
        }
      }
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result();
        if (state === 'passed') passed++;
        if (state === 'failed') failures.push({ name: `${path} > ${test.fullName}`, message: text(errors) });
      }
    }
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify({ passed, failures }));
  }
}
