import { suite } from '../../support/conformance.ts';
import { startAlone } from '../../support/backends.ts';
import { ofTheProviderWithFaults } from '../../support/selection.ts';

suite('zookeeper, semaphore, faults', await startAlone(), { recipe: 'semaphore' }, ofTheProviderWithFaults);
