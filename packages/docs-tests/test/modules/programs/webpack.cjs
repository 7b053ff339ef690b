const { join } = require('node:path');
const webpack = require('webpack');

const output = { path: join(__dirname, 'bundles'), filename: 'webpack.cjs' };
webpack({ mode: 'production', target: 'node20', entry: './bundled.mjs', output }, (error, stats) => {
  if (error) throw error;
  console.log(stats.toString({ all: false, errors: true, warnings: true }));
});
