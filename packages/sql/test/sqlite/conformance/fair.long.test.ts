import { ofLevel } from '../../support/selection.ts';
import { configured, suite } from '../support/conformance.ts';

// fair-locks.long.test.ts has the others.
suite('sqlite', configured, {}, ofLevel('provider'));
