import { every, ofHolds, selection } from '../../support/selection.ts';
import { configured, suite } from '../support/conformance.ts';

// The rest is in matrix/plain.test.ts.
suite('sqlite, without routines', configured, { routines: false }, selection(every, ...ofHolds));
