import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { ofLevel } from '../../support/selection.ts';
import { conformingPostgres } from '../support/conformance.ts';

const others = ofLevel('locks').filter((id) => withoutFaults.includes(id) && !id.startsWith('processes-'));
await suite(conformingPostgres, 'postgres', over, {}, others);
