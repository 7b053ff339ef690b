import { lossesTests } from '../support/losses.ts';

lossesTests('Sentinels');
