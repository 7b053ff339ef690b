import { over, suite } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';
import { answersAndWakes } from '../../support/selection.ts';

// processes.long.test.ts has the others.
await suite(conformingMariadb, 'mariadb', over, { timeout: 10_000 }, answersAndWakes);
