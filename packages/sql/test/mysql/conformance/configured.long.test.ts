import { selection } from '../../support/selection.ts';
import { configured, suite, withFaults } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';

// What a pool of the provider's own might do differently: the rest of the faults happens to the
// server, or to time.
await suite(
  conformingMariadb,
  'mariadb, pool from configuration',
  configured,
  {},
  selection(withFaults, 'sever-', 'lost-reply', 'duplicate-', 'locks-sever', 'locks-dropped'),
);
