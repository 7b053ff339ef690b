import { suite } from '../support/conformance.ts';

suite('sqlite', {});
