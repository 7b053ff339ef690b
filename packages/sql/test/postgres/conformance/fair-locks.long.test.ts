import { over, suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { users } from '../../../../conformance/test/support/selection.ts';

await suite(conformingPostgres, 'postgres', over, {}, users);
