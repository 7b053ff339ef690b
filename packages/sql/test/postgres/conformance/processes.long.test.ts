import { over, suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { acrossProcesses } from '../../../../conformance/test/support/selection.ts';

await suite(conformingPostgres, 'postgres, processes', over, {}, acrossProcesses);
