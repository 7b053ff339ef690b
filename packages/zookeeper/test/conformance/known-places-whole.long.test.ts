import { startAlone } from '../support/backends.ts';
import { suite, withoutFaults } from '../support/conformance.ts';

suite('zookeeper, knownPlaces: false', await startAlone(), { knownPlaces: false }, withoutFaults);
