import { startAlone } from '../../support/backends.ts';
import { ofTheProvider } from '../../support/selection.ts';
import { suite, withFaults } from '../../support/conformance.ts';

suite('zookeeper, knownPlaces: false, faults', await startAlone(), { knownPlaces: false }, ofTheProvider(withFaults));
