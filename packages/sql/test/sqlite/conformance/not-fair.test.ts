import { configured, suite } from '../support/conformance.ts';

suite('sqlite, not fair', configured, { fair: false });
