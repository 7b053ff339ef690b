import { packageTests } from '../../vitest.shared.ts';

export default packageTests(import.meta.url, { options: { testTimeout: 60_000 } });
