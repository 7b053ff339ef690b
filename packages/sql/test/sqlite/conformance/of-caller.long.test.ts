import { ofCaller, suite } from '../support/conformance.ts';
import { ofConnections } from '../../support/selection.ts';

suite('sqlite, knex of a caller', ofCaller, {}, ofConnections);
