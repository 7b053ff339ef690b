import { conformanceTests } from '@locks/conformance/vitest';
import { needsFault } from '@locks/conformance';
import { systemRuntime } from '@locks/core/adapter';
import { configSources, mergeSources, openProvider } from '@locks/core/open';
import { afterAll } from 'vitest';
import { accounts } from '../../support/accounts.ts';

/** The rest is about core above a provider, which calls it in the same ways. */
const whole = process.env['LOCKS_TEST_WHOLE'] !== undefined;

// The suite, by the accounts that the pages of the backends tell to make.
for (const [name, make] of Object.entries(accounts)) {
  const { url, options, stop } = await make();
  afterAll(() => stop());
  conformanceTests({
    name: `${name}, the least-privilege account of the documentation`,
    async create() {
      const { backend } = mergeSources(await configSources({ url, options }));
      return await openProvider(backend, systemRuntime);
    },
    only: (one) => !needsFault(one) && one.needs === undefined && (whole || one.level === 'provider'),
  });
}
