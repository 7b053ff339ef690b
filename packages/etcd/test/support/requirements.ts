import { requirements } from '@locks/conformance';
import type { Need } from '@locks/conformance';

const faultless = new Set<Need>(['processes', 'createOther']);

/** The requirements for which no fault is needed. */
const withoutFaults: readonly string[] = requirements
  .filter(({ needs = [] }) => needs.every((need) => faultless.has(need)))
  .map(({ id }) => id);

/**
 * What a provider answers, and how its users are woken. The rest is about core above it, and is the
 * same on every store. With `LOCKS_TEST_WHOLE` all of it.
 */
export const quick: readonly string[] = withoutFaults.filter(
  (id) => process.env['LOCKS_TEST_WHOLE'] !== undefined || !id.startsWith('locks-') || id.startsWith('locks-wake'),
);

/** The others. */
export const withFaults: readonly string[] = requirements
  .map(({ id }) => id)
  .filter((id) => !withoutFaults.includes(id));

/** What happens in one process, without a fault. */
export const inOneProcess: readonly string[] = requirements
  .filter(({ needs = [] }) => needs.every((need) => need === 'createOther'))
  .map(({ id }) => id);
