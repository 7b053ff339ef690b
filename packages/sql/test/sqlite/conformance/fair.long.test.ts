import { ofLevel } from '../../support/selection.ts';
import { configured, suite } from '../support/conformance.ts';

// matrix/fair-locks.test.ts has the others.
suite('sqlite', configured, {}, ofLevel('provider'));
