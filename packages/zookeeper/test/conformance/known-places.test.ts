import { startAlone } from '../support/backends.ts';
import { suite } from '../support/conformance.ts';
import { every, ofPlaces, selection } from '../support/selection.ts';

suite('zookeeper, knownPlaces: false', await startAlone(), { knownPlaces: false }, selection(every, ...ofPlaces));
