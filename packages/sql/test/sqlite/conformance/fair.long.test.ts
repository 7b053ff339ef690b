import { configured, suite } from '../support/conformance.ts';
import { ofProviders } from '../../support/selection.ts';

// matrix/fair-locks.test.ts has the others.
suite('sqlite', configured, {}, ofProviders);
