import { over, suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { acrossProcesses } from '../../support/selection.ts';

await suite(conformingPostgres, 'postgres, processes', over, {}, acrossProcesses);
