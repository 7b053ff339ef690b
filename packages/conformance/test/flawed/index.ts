import { basics } from './basics.ts';
import { expiry } from './expiry.ts';
import type { Flaw } from './flaw.ts';
import { handedOver } from './handed-over.ts';
import { naming } from './names.ts';
import { ownCalls } from './own-calls.ts';
import { ownership } from './ownership.ts';
import { queues } from './queue.ts';
import { recordStores } from './record-stores.ts';
import { registers } from './registers.ts';
import { sharing } from './shared.ts';
import { tokens } from './tokens.ts';
import { unseen } from './unseen.ts';
import { visibility } from './visibility.ts';
import { wakes } from './wake.ts';

/** Providers that look right and are not. */
export const flaws: readonly Flaw[] = [
  basics,
  ownership,
  expiry,
  tokens,
  queues,
  wakes,
  sharing,
  handedOver,
  registers,
  recordStores,
  naming,
  visibility,
  ownCalls,
  unseen,
].flat();
