import { every, ofTheLine, selection } from '../../support/selection.ts';
import { configured, suite } from '../support/conformance.ts';

suite('sqlite, not fair', configured, { fair: false }, selection(every, ...ofTheLine));
