import { configured, suite } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';
import { ofPools } from '../../support/selection.ts';

await suite(conformingMariadb, 'mariadb, pool from configuration', configured, {}, ofPools);
