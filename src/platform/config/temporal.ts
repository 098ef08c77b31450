import { z } from 'zod';
import { fileContent, flag, optionalText } from './environment.ts';

/** The variables that say where Temporal is, and who the service is to it. */
export const temporalVariables = z.object({
  TEMPORAL_ADDRESS: z.string().regex(/^[^\s/:]+:\d+$/, 'must be host:port'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_TASK_QUEUE: z.string().min(1).default('vaults'),
  TEMPORAL_TLS: flag.default(false),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: fileContent.optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: fileContent.optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: fileContent.optional(),
  TEMPORAL_API_KEY: optionalText,
});

type TemporalVariables = z.infer<typeof temporalVariables>;

/** Temporal, and who the service is to it. */
export function temporalConfig(variables: TemporalVariables) {
  const { TEMPORAL_TLS_CLIENT_CERT_PATH: crt, TEMPORAL_TLS_CLIENT_KEY_PATH: key } = variables;
  const authority = variables.TEMPORAL_TLS_SERVER_CA_CERT_PATH;
  return {
    address: variables.TEMPORAL_ADDRESS,
    namespace: variables.TEMPORAL_NAMESPACE,
    taskQueue: variables.TEMPORAL_TASK_QUEUE,
    /** False for a connection that is not encrypted. */
    tls: variables.TEMPORAL_TLS && {
      ...(authority && { serverRootCACertificate: authority }),
      ...(crt && key && { clientCertPair: { crt, key } }),
    },
    apiKey: variables.TEMPORAL_API_KEY,
  };
}

/** Variables that would have no effect alone. */
export function temporalProblems(variables: TemporalVariables): string[] {
  const isGiven = (end: 'CERT' | 'KEY') => variables[`TEMPORAL_TLS_CLIENT_${end}_PATH`] !== undefined;
  const missing = isGiven('CERT') ? 'KEY' : 'CERT';
  const needTls = ['TEMPORAL_API_KEY', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH', 'TEMPORAL_TLS_CLIENT_CERT_PATH'] as const;
  return [
    ...(isGiven('CERT') === isGiven('KEY') ? [] : [`TEMPORAL_TLS_CLIENT_${missing}_PATH is not set`]),
    ...needTls.flatMap((variable) =>
      variables[variable] === undefined || variables.TEMPORAL_TLS ? [] : [`${variable}: requires TEMPORAL_TLS=true`],
    ),
  ];
}
