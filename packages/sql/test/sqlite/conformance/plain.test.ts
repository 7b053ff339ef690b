import { every, ofHolds, selection } from '../../support/selection.ts';
import { configured, suite } from '../support/conformance.ts';

// The rest is in plain.long.test.ts.
suite('sqlite, without routines', configured, { routines: false }, selection(every, ...ofHolds));
