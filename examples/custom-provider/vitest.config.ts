import { packageTests } from '../../vitest.shared.ts';

export default packageTests(import.meta.url, { options: { testTimeout: 30_000 } });
