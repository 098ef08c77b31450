/** The SQLSTATE with which Postgres refused a statement; empty for another error. */
export function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
