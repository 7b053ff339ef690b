import commonjs from '@rollup/plugin-commonjs';
import json from '@rollup/plugin-json';
import resolve from '@rollup/plugin-node-resolve';

const output = (format, file) => ({ format, file: `bundles/${file}`, inlineDynamicImports: true });

export default {
  input: 'bundled.mjs',
  plugins: [resolve({ preferBuiltins: true }), commonjs(), json()],
  output: [output('es', 'rollup.mjs'), output('cjs', 'rollup.cjs')],
};
