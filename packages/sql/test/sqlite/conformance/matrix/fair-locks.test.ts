import { ofLevel } from '../../../support/selection.ts';
import { configured, suite } from '../../support/conformance.ts';

suite('sqlite', configured, {}, ofLevel('locks'));
