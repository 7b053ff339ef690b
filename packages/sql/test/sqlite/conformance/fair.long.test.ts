import { configured, suite } from '../support/conformance.ts';

// matrix/fair-locks.test.ts has the others.
suite('sqlite', configured, {}, ({ level }) => level === 'provider');
