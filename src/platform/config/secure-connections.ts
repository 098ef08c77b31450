/** What the connections to other parts of a deployment are configured with. */
interface Connections {
  readonly ENVIRONMENT: string;
  readonly DATABASE_URL: string;
  readonly LEDGER_URL?: string | undefined;
  readonly PRICE_FEED_URL?: string | undefined;
  readonly TEMPORAL_TLS?: boolean;
  readonly TEMPORAL_API_KEY?: string | undefined;
  readonly TEMPORAL_TLS_CLIENT_CERT_PATH?: unknown;
  readonly LEDGER_EMBEDDED?: boolean;
  readonly CLOCK_OFFSET?: 'none' | 'database';
}

/** Whether nothing of value can be lost: on a developer's machine. */
export function isDevelopment({ ENVIRONMENT }: Pick<Connections, 'ENVIRONMENT'>): boolean {
  return ENVIRONMENT === 'development';
}

/**
 * What is not encrypted or not verified outside development, and what only `npm start` has: ADA that cost nothing, and a clock that
 * can be moved. Each with the name of its variable.
 */
export function insecureConnections(variables: Connections): string[] {
  if (isDevelopment(variables)) return [];
  const { TEMPORAL_TLS: isTemporalEncrypted } = variables;
  return [
    ...(variables.LEDGER_EMBEDDED === true ? ['LEDGER_EMBEDDED: must be false'] : []),
    ...(variables.CLOCK_OFFSET === 'database' ? ['CLOCK_OFFSET: must be none'] : []),
    ...(isVerified(variables.DATABASE_URL) ? [] : ['DATABASE_URL: must say sslmode=verify-full']),
    ...(isTemporalEncrypted === false ? ['TEMPORAL_TLS: must be true'] : []),
    ...(isTemporalEncrypted === true && !isKnownToTemporal(variables)
      ? ['TEMPORAL_API_KEY: must be set, or TEMPORAL_TLS_CLIENT_CERT_PATH']
      : []),
    ...(['LEDGER_URL', 'PRICE_FEED_URL'] as const).flatMap((variable) =>
      isPlain(variables[variable]) ? [`${variable}: must be an https URL`] : [],
    ),
  ].map((problem) => `${problem} outside development`);
}

function isPlain(url: string | undefined): boolean {
  return url !== undefined && new URL(url).protocol !== 'https:';
}

function isKnownToTemporal({
  TEMPORAL_API_KEY: key,
  TEMPORAL_TLS_CLIENT_CERT_PATH: certificate,
}: Connections): boolean {
  return key !== undefined || certificate !== undefined;
}

/** Whether the server has to prove its name. Parameters of the driver that weaken or replace the mode are refused. */
function isVerified(databaseUrl: string): boolean {
  const { searchParams } = new URL(databaseUrl);
  const weakening = ['ssl', 'uselibpqcompat'].some((name) => searchParams.has(name));
  return searchParams.getAll('sslmode').join(',') === 'verify-full' && !weakening;
}
