/** The programs of a server that runs as a local process. */
export interface Program {
  /** The executable, looked up in `PATH`. */
  readonly binary: string;
  /** Further places: `<folder>/<version>/<rest>`, of which the newest version is used. */
  readonly versions?: { readonly folder: string; readonly rest: string };
  /** Files or folders of which one must exist as well. @default none */
  readonly needs?: readonly string[];
  readonly debianPackage: string;
  /** How to install it on macOS, as a command line. */
  readonly macos: string;
}

/** Where a local server has its files. */
export interface LocalFolders {
  /** Only for its data: it is emptied if a restart must not keep them. */
  readonly dataFolder: string;
  /** For everything else, such as sockets and configuration. */
  readonly folder: string;
}

/**
 * Runs a program that belongs to the server, as the user of the server; rejects with its output if
 * it fails.
 */
export type RunTool = (binary: string, args: readonly string[], input?: string) => Promise<void>;

/** Everything that differs between kinds of servers. */
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
   * A command that is executed inside the container at each start, and repeated until it succeeds.
   * @default none
   */
  readonly containerSetup?: readonly string[];
  readonly program: Program;
  /**
   * The user of a local process if this one is root, for servers that refuse to be root.
   * @default as this process
   */
  readonly account?: string;
  /**
   * Fills an empty data folder with the initial content of this kind. As this is slow, a copy may
   * replace it. @default nothing
   */
  fill?(folders: LocalFolders, run: RunTool): Promise<void>;
  /** Adapts a data folder to this server, before its first start. @default nothing */
  prepare?(folders: LocalFolders, run: RunTool): Promise<void>;
  /** Writes the configuration for each start into `folders.folder`. @default nothing */
  configure?(folders: LocalFolders, port: number): Promise<void>;
  /**
   * The arguments of a local process that listens on loopback only and keeps its files in
   * `folders`.
   */
  localArguments(folders: LocalFolders, port: number): readonly string[];
  /** Variables of a local process besides those of this one. @default none */
  environment?(port: number): Readonly<Record<string, string>>;
  /** In ms: time limit for a local process to get ready. @default 10_000 */
  readonly readyTimeout?: number;
  /**
   * The signal for a fast graceful shutdown, with or without connected clients. @default 'SIGTERM'
   */
  readonly stopSignal?: NodeJS.Signals;
  /**
   * Shell commands that remove what a local server leaves outside its folder after SIGKILL. They
   * run in the server's folder, with its data in `data`. @default ''
   */
  readonly cleanUp?: string;
  /** What the server prints if its port is taken. */
  readonly portTaken: RegExp;
  /**
   * What it prints if it ends because another process temporarily uses another resource of it.
   * @default nothing
   */
  readonly othersThere?: RegExp;
  /** Includes the scheme and the credentials, if there are any. */
  url(host: string, port: number): string;
  /**
   * Rejects while the server at `url`, and `local` if set, is not ready; settles within about a
   * second.
   */
  probe(url: URL, local?: LocalServer): Promise<void>;
  /** Never shown in an error. */
  readonly secret?: string;
}

/** Distinguishes a local process from another server on its port. */
export interface LocalServer {
  readonly pid: number;
  readonly dataFolder: string;
}
