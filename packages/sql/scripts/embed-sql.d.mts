export declare const dialects: readonly string[];
export declare function statementsIn(
  dialect: string,
  inside?: string,
): readonly { readonly name: string; readonly text: string }[];
