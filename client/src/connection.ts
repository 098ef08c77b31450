/** The service, and who calls it. */
export interface Connection {
  /** Where the service is, without `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Token of a wallet session. */
  readonly token?: string | undefined;
  /** Sends the requests; that of the platform unless given. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The headers that say who calls. */
export function credentialsOf({ apiKey, token }: Connection): Record<string, string> {
  return { 'X-API-Key': apiKey, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
}
