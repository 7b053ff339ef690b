import { defineConfig } from 'vitest/config';

// With it vitest does not take that of the packages.
export default defineConfig({});
