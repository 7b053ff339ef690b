import { ofLibsql, suite } from '../support/conformance.ts';
import { ofSqliteLibraries } from '../../support/selection.ts';

suite('sqlite, a Database of libsql', ofLibsql, {}, ofSqliteLibraries);
