import { packageTests } from '../../vitest.shared.ts';

export default packageTests(import.meta.url);
