import { configured, suite } from '../../support/conformance.ts';
import { ofUsers } from '../../../support/selection.ts';

suite('sqlite', configured, {}, ofUsers);
