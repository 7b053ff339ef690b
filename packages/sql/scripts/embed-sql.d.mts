export declare const dialects: readonly string[];
export declare function embedStatements(dialect: string, inside?: string): string;
export declare function embedMigrations(dialect: string): string;
