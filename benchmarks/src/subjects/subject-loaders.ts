/** How to get each subject, by its name. */
export type Loaders<Subject> = Readonly<Record<string, () => Promise<Subject>>>;

/** A peer that cannot run here, and why. */
interface Absence {
  readonly name: string;
  readonly reason: string;
}

/** The names of all subjects that run on this Node, and those that do not. */
export interface SubjectNames {
  readonly present: readonly string[];
  readonly absent: readonly Absence[];
}

const needsNode: Readonly<Record<string, number>> = { 'redlock-universal': 22 };

/** Which of `names` run on this Node. */
export function presentNames(names: readonly string[]): SubjectNames {
  const major = Number(process.versions.node.split('.')[0]);
  const tooOld = (name: string): boolean => major < (needsNode[name] ?? 0);
  return {
    present: names.filter((name) => !tooOld(name)),
    absent: names.filter(tooOld).map((name) => ({
      name,
      reason: `needs Node ${needsNode[name]}, this is ${process.versions.node}; see benchmarks/README.md for how to run on a newer one`,
    })),
  };
}

export function loadFrom<Subject>(loaders: Loaders<Subject>, name: string): Promise<Subject> {
  const load = loaders[name];
  if (load === undefined) throw new Error(`There is no subject "${name}", only ${Object.keys(loaders).join(', ')}.`);
  return load();
}
