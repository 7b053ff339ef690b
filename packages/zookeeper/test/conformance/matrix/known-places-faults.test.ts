import { startAlone } from '../../support/backends.ts';
import { suite } from '../../support/conformance.ts';
import { ofTheProviderWithFaults } from '../../support/selection.ts';

suite('zookeeper, knownPlaces: false, faults', await startAlone(), { knownPlaces: false }, ofTheProviderWithFaults);
