import { startAlone } from '../../support/backends.ts';
import { ofTheProvider } from '../../support/selection.ts';
import { suite, withoutFaults } from '../../support/conformance.ts';

suite('zookeeper, knownPlaces: false', await startAlone(), { knownPlaces: false }, ofTheProvider(withoutFaults));
