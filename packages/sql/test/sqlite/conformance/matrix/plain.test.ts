import { configured, suite } from '../../support/conformance.ts';

suite('sqlite, without routines', configured, { routines: false });
