/**
 * The URL of the database with `password`, which may have any character; the URL's own stays when none is given.
 * Throws an Error when the URL has no host, because then it has no place for a password.
 */
export function withPassword(databaseUrl: string, password: string | undefined): string {
  if (password === undefined) return databaseUrl;
  const url = new URL(databaseUrl);
  if (url.host === '') throw new Error('DATABASE_PASSWORD needs a DATABASE_URL with a host');
  url.password = encodeURIComponent(password);
  return url.href;
}
