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
}

/** Whether nothing of value can be lost: on a developer's machine, and with the embedded ledger. */
export function isDevelopment({
  ENVIRONMENT,
  LEDGER_EMBEDDED,
}: Pick<Connections, 'ENVIRONMENT' | 'LEDGER_EMBEDDED'>): boolean {
  return ENVIRONMENT === 'development' || LEDGER_EMBEDDED === true;
}

/** What is not encrypted or not verified outside development, each with the name of its variable. */
export function insecureConnections(variables: Connections): string[] {
  if (isDevelopment(variables)) return [];
  const { TEMPORAL_TLS: isTemporalEncrypted } = variables;
  return [
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
