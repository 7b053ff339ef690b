import { configured, suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { ofPools } from '../../support/selection.ts';

await suite(conformingPostgres, 'postgres, by configuration', configured, {}, ofPools);
