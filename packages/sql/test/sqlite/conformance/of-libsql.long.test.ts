import { inOneProcess, ofSqliteLibraries, selection } from '../../support/selection.ts';
import { ofLibsql, suite } from '../support/conformance.ts';

suite('sqlite, a Database of libsql', ofLibsql, {}, selection(inOneProcess, ...ofSqliteLibraries));
