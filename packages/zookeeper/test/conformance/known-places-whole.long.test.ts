import { startAlone } from '../support/backends.ts';
import { suite, withFaults, withoutFaults } from '../support/conformance.ts';

const backend = await startAlone();
suite('zookeeper, knownPlaces: false', backend, { knownPlaces: false }, withoutFaults);
suite('zookeeper, knownPlaces: false, faults', backend, { knownPlaces: false }, withFaults);
