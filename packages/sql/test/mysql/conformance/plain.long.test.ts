import { every } from '../../support/selection.ts';
import { over, suite } from '../../servers/conformance.ts';
import { plainMariadb } from '../support/conformance.ts';

await suite(plainMariadb, 'mariadb, without routines', over, { routines: false }, every);
