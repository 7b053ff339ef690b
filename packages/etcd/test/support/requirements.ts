import { requirements } from '@locks/conformance';
import type { Need } from '@locks/conformance';

const faultless = new Set<Need>(['processes', 'createOther']);

/** The requirements for which no fault is needed. */
export const withoutFaults: readonly string[] = requirements
  .filter(({ needs = [] }) => needs.every((need) => faultless.has(need)))
  .map(({ id }) => id);

/** The others. */
export const withFaults: readonly string[] = requirements
  .map(({ id }) => id)
  .filter((id) => !withoutFaults.includes(id));

/** What happens in one process, without a fault. */
export const inOneProcess: readonly string[] = requirements
  .filter(({ needs = [] }) => needs.every((need) => need === 'createOther'))
  .map(({ id }) => id);
