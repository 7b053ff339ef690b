import { configured, suite } from '../../support/conformance.ts';

suite('sqlite', configured, {}, ({ level }) => level === 'locks');
