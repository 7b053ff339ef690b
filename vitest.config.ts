import type { ViteUserConfig } from 'vitest/config';
import demo from './examples/demo/vitest.config.ts';
import customProvider from './examples/custom-provider/vitest.config.ts';
import cli from './packages/cli/vitest.config.ts';
import composites from './packages/composites/vitest.config.ts';
import conformance from './packages/conformance/vitest.config.ts';
import core from './packages/core/vitest.config.ts';
import docsTests from './packages/docs-tests/vitest.config.ts';
import etcd from './packages/etcd/vitest.config.ts';
import nestjs from './packages/nestjs/vitest.config.ts';
import opentelemetry from './packages/opentelemetry/vitest.config.ts';
import redis from './packages/redis/vitest.config.ts';
import sql from './packages/sql/vitest.config.ts';
import testServers from './packages/test-servers/vitest.config.ts';
import ui from './packages/ui/vitest.config.ts';
import zookeeper from './packages/zookeeper/vitest.config.ts';
import { together } from './vitest.shared.ts';

const packages = [
  cli,
  composites,
  conformance,
  core,
  customProvider,
  demo,
  docsTests,
  etcd,
  nestjs,
  opentelemetry,
  redis,
  sql,
  testServers,
  ui,
  zookeeper,
];

/** The tests of all packages: what one waits for, another uses. */
const config: ViteUserConfig = together(packages.flatMap(({ test }) => test?.projects ?? []));

export default config;
