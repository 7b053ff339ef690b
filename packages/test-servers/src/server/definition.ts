/** Where a server's programs come from when it runs as a local process. */
export interface Program {
  /** The executable, looked up in `PATH`. */
  readonly binary: string;
  /** Where it may be besides: `<folder>/<version>/<rest>`, of which the newest version counts. */
  readonly versions?: { readonly folder: string; readonly rest: string };
  /** Files or folders of which one must exist as well. @default none */
  readonly needs?: readonly string[];
  readonly debianPackage: string;
  /** How to install it on macOS, as a command line. */
  readonly macos: string;
}

/** Where a local server has its files. */
export interface LocalFolders {
  /** For its data, and only for that: it is emptied when a restart shall not keep them. */
  readonly dataFolder: string;
  /** For all else, such as sockets and what it reads at its start. */
  readonly folder: string;
}

/**
 * Runs a program that belongs to the server, as the user that the server will be; rejects with its
 * output when it fails.
 */
export type RunTool = (binary: string, args: readonly string[], input?: string) => Promise<void>;

/** All that differs between one kind of server and another. */
export interface ServerDefinition {
  /** Part of environment variables (`LOCKS_TEST_<NAME>_URL`) and of temporary names: lower case. */
  readonly name: string;
  /** The image for Docker, unless `LOCKS_TEST_<NAME>_IMAGE` names another. */
  readonly image: string;
  /** The port that the server listens on inside its container. */
  readonly containerPort: number;
  readonly containerCommand: readonly string[];
  /** @default {} */
  readonly containerEnvironment?: Readonly<Record<string, string>>;
  /**
   * The network that the container joins, and its name there. @default Docker's own, without a name
   */
  readonly containerNetwork?: { readonly network: string; readonly alias: string };
  /**
   * A command that is executed inside the container at each start, again and again until it
   * succeeds. @default none
   */
  readonly containerSetup?: readonly string[];
  readonly program: Program;
  /**
   * The user that a local process runs as when this one is root, for servers that refuse to be.
   * @default as this process
   */
  readonly account?: string;
  /**
   * Fills an empty data folder with what all servers of this kind begin with. It takes long, so a
   * copy of what another one was filled with may take its place. @default nothing to do
   */
  fill?(folders: LocalFolders, run: RunTool): Promise<void>;
  /**
   * Makes a data folder that of this server, before its first start in it. @default nothing to do
   */
  prepare?(folders: LocalFolders, run: RunTool): Promise<void>;
  /**
   * Writes what the server reads at each of its starts, into `folders.folder`. @default nothing to
   * do
   */
  configure?(folders: LocalFolders, port: number): Promise<void>;
  /**
   * The arguments of a local process that listens on loopback only and keeps its files in
   * `folders`.
   */
  localArguments(folders: LocalFolders, port: number): readonly string[];
  /** Variables of a local process besides those of this one. @default none */
  environment?(port: number): Readonly<Record<string, string>>;
  /** In ms: how long a local process may take to get ready. @default 10_000 */
  readonly readyTimeout?: number;
  /**
   * What asks the server to end now, in order, with clients connected or not. @default 'SIGTERM'
   */
  readonly stopSignal?: NodeJS.Signals;
  /**
   * Shell commands that remove what a local server leaves outside its folder after SIGKILL. They
   * run in the server's folder, where its data is in `data`. @default ''
   */
  readonly cleanUp?: string;
  /** What the server prints when another process has its port. */
  readonly portTaken: RegExp;
  /**
   * What it prints when it ends because another process has, for a moment, something else of its
   * own.
   * @default nothing
   */
  readonly othersThere?: RegExp;
  /** Includes the scheme and the credentials, if there are any. */
  url(host: string, port: number): string;
  /**
   * Rejects as long as the server at `url`, and `local` if it is given, is not ready; settles
   * within about a second.
   */
  probe(url: URL, local?: LocalServer): Promise<void>;
  /** Is never shown in an error. */
  readonly secret?: string;
}

/** Tells a local process from another server that has got its port. */
export interface LocalServer {
  readonly pid: number;
  readonly dataFolder: string;
}
