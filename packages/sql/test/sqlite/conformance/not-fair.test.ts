import { suite } from '../support/conformance.ts';

suite('sqlite, not fair', { fair: false });
