import { configured, suite } from '../support/conformance.ts';
import { ofHolds } from '../../support/selection.ts';

// The rest is in matrix/plain.test.ts.
suite('sqlite, without routines', configured, { routines: false }, ofHolds);
