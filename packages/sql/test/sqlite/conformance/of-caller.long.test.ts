import { every, ofConnections, selection } from '../../support/selection.ts';
import { ofCaller, suite } from '../support/conformance.ts';

suite('sqlite, knex of a caller', ofCaller, {}, selection(every, ...ofConnections));
