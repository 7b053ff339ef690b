import { ofTheLine, selection } from '../../support/selection.ts';
import { over, suite, withoutFaults } from '../support/conformance.ts';

await suite('postgres, not fair', over, { fair: false }, selection(withoutFaults, ...ofTheLine));
