/** The package has no types of its own: what is used of it. */
declare module 'slip39' {
  export default class Slip39 {
    /** Each group is [threshold, number of shares]. */
    static fromArray(
      secret: readonly number[],
      options: { readonly threshold: number; readonly groups: readonly (readonly [number, number])[] },
    ): Slip39;
    /** Throws for shares that are not exactly as many as needed, or do not belong together. */
    static recoverSecret(shares: readonly string[], passphrase?: string): number[];
    static validateMnemonic(share: string): boolean;
    /** The shares of a group, by `r/<group>`. */
    fromPath(path: string): { readonly mnemonics: string[] };
  }
}
