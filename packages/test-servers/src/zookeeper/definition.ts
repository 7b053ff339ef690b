import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalFolders, ServerDefinition } from '../server/definition.ts';
import { javaArguments, zookeeperProgram } from './java.ts';
import { clientPort, probeZookeeper } from './probe.ts';

export const zookeeperImage = 'zookeeper:3.9';

/** The system keeps what the server wrote, even if it is killed. */
const withoutDisk = { 'zookeeper.forceSync': 'no' };

/** The common options of servers, alone and in an ensemble. */
export interface ZookeeperOptions {
  /**
   * In ms: ZooKeeper's unit of time. Sessions time out after 2 to 20 of them, unless configured.
   * @default 2_000
   */
  readonly tickTime?: number;
  /** In ms: the shortest session timeout. @default 2 * tickTime */
  readonly minSessionTimeout?: number;
  /** In ms: the longest session timeout. @default 20 * tickTime */
  readonly maxSessionTimeout?: number;
  /**
   * Further settings of `zoo.cfg`, such as `{ snapCount: '1000' }`. They override all others.
   * @default {}
   */
  readonly config?: Readonly<Record<string, string>>;
  /**
   * System properties of the server's Java, such as `{ 'znode.container.checkIntervalMs': '100' }`.
   * @default {}
   */
  readonly javaProperties?: Readonly<Record<string, string>>;
  /**
   * Options of the server's Java, such as `['-Xmx1g', '-XX:TieredStopAtLevel=4']`. The defaults of
   * local servers start quickly, with little memory.
   * @default []
   */
  readonly javaOptions?: readonly string[];
}

/** What one server needs besides its options. */
export interface Setup {
  /** Settings in `zoo.cfg` of a local process; the options' `config` overrides them. */
  readonly settings?: (folders: LocalFolders) => Readonly<Record<string, string>>;
  /** Written into the server's folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** The number of the server among those of its ensemble. @default none */
  readonly member?: number;
  /** Of the container. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The definition of one ZooKeeper server. */
export function defineZookeeper(options: ZookeeperOptions, setup: Setup = {}): ServerDefinition {
  const { tickTime = 2_000, config = {}, javaOptions = [] } = options;
  const javaProperties = { ...withoutDisk, ...options.javaProperties };
  const sessions = sessionSettings(options);
  return {
    name: 'zookeeper',
    image: zookeeperImage,
    containerPort: clientPort,
    containerCommand: [],
    containerEnvironment: {
      ZOO_TICK_TIME: `${tickTime}`,
      ZOO_MAX_CLIENT_CNXNS: '0',
      ZOO_4LW_COMMANDS_WHITELIST: '*',
      ZOO_ADMINSERVER_ENABLED: 'false',
      ZOO_CFG_EXTRA: linesOf({ ...sessions, ...config }).join(' '),
      ...javaEnvironment(javaProperties, javaOptions),
      ...setup.environment,
    },
    program: zookeeperProgram,
    async prepare({ dataFolder }) {
      if (setup.member !== undefined) await writeFile(join(dataFolder, 'myid'), `${setup.member}\n`);
    },
    async configure(folders, port) {
      const { folder, dataFolder } = folders;
      const settings = {
        tickTime: `${tickTime}`,
        dataDir: dataFolder,
        clientPort: `${port}`,
        clientPortAddress: '127.0.0.1',
        // Any number.
        maxClientCnxns: '0',
        'admin.enableServer': 'false',
        '4lw.commands.whitelist': '*',
        ...sessions,
        ...setup.settings?.(folders),
        ...config,
      };
      const files = {
        ...setup.files,
        'zoo.cfg': `${linesOf(settings).join('\n')}\n`,
      };
      await Promise.all(Object.entries(files).map(([name, content]) => writeFile(join(folder, name), content)));
    },
    localArguments: ({ folder }) => javaArguments(join(folder, 'zoo.cfg'), folder, javaProperties, javaOptions),
    readyTimeout: 60_000,
    portTaken: /BindException: Address already in use/,
    url: (host, port) => `zookeeper://${host}:${port}`,
    probe: probeZookeeper,
  };
}

function sessionSettings({ minSessionTimeout, maxSessionTimeout }: ZookeeperOptions): Record<string, string> {
  return {
    ...(minSessionTimeout === undefined ? {} : { minSessionTimeout: `${minSessionTimeout}` }),
    ...(maxSessionTimeout === undefined ? {} : { maxSessionTimeout: `${maxSessionTimeout}` }),
  };
}

/** Java reads this, whatever starts it in its container. */
function javaEnvironment(
  properties: Readonly<Record<string, string>>,
  options: readonly string[],
): Record<string, string> {
  const all = [...options, ...Object.entries(properties).map(([name, value]) => `"-D${name}=${value}"`)];
  return all.length === 0 ? {} : { JAVA_TOOL_OPTIONS: all.join(' ') };
}

function linesOf(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).map(([name, value]) => `${name}=${value}`);
}
