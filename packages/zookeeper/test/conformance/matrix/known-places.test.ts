import { startAlone } from '../../support/backends.ts';
import { suite } from '../../support/conformance.ts';
import { ofTheWholeProvider } from '../../support/selection.ts';

suite('zookeeper, knownPlaces: false', await startAlone(), { knownPlaces: false }, ofTheWholeProvider);
