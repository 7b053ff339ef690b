export declare const dialects: readonly string[];
export declare function statementsIn(
  dialect: string,
  inside?: string,
): readonly { readonly name: string; readonly text: string }[];
export declare function embedStatements(dialect: string, inside?: string): string;
export declare function embedMigrations(dialect: string): string;
