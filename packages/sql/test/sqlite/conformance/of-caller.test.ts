import { ofCaller, suite } from '../support/conformance.ts';

suite('sqlite, knex of a caller', ofCaller, {});
