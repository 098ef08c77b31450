/** What a command prints, and whether it did what it was asked for. */
export interface CommandResult {
  readonly ok: boolean;
  readonly output: string;
}
